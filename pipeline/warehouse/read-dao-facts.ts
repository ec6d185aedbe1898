import type { Database } from "better-sqlite3";
import type { DaoFacts } from "../facts/dao-facts.ts";
import type { Registry, TrackedDao } from "../facts/tracked.ts";
import { lastCompleteFetch } from "./last-complete-fetch.ts";
import { readBallots } from "./queries/read-ballots.ts";
import { readCompleteFetches } from "./queries/read-complete-fetches.ts";
import { readDao } from "./queries/read-dao.ts";
import { readDelegateLists } from "./queries/read-delegate-lists.ts";
import { readDelegationEvents } from "./queries/read-delegation-events.ts";
import { readEntityVoters } from "./queries/read-entity-voters.ts";
import { readNames } from "./queries/read-names.ts";
import { readProposals } from "./queries/read-proposals.ts";
import { readSpace } from "./queries/read-space.ts";

/** Everything known about one DAO as of one commit; empty facts where it was never fetched. */
export function readDaoFacts(database: Database): (dao: TrackedDao, registry: Registry) => DaoFacts {
  const queries = {
    dao: readDao(database),
    completeFetches: readCompleteFetches(database),
    space: readSpace(database),
    proposals: readProposals(database),
    ballots: readBallots(database),
    entityVoters: readEntityVoters(database),
    delegateLists: readDelegateLists(database),
    delegationEvents: readDelegationEvents(database),
    names: readNames(database),
  };
  const read = (dao: TrackedDao, registry: Registry): DaoFacts => {
    const daoNumber = queries.dao(dao.spaceId);
    const entityIdOfVoter = queries.entityVoters(registry.entities);
    const names = queries.names();
    if (daoNumber === undefined) return { ...NEVER_FETCHED, dao, entityIdOfVoter, names };
    return {
      dao,
      space: queries.space(daoNumber, dao.spaceId),
      proposals: queries.proposals(daoNumber),
      ballots: queries.ballots(daoNumber),
      entityIdOfVoter,
      delegateLists: queries.delegateLists(daoNumber, dao.spaceId),
      delegationEvents:
        dao.governor === undefined ? [] : queries.delegationEvents(daoNumber, dao.governor.token),
      names,
      ...lastCompleteFetch(queries.completeFetches(daoNumber), dao),
    };
  };
  // One transaction: another process may commit between two of the queries.
  return database.transaction(read);
}

const NEVER_FETCHED = {
  space: undefined,
  proposals: [],
  ballots: new Map(),
  delegateLists: [],
  delegationEvents: [],
  lastCompleteFetchMs: undefined,
  isArchive: false,
};
