import type { LocatedVersion } from "../../../../snapshots/store/read/locate-version.ts";
import { pipelineFailure } from "../../../facts/errors.ts";
import type { ProposalVotes } from "../../../facts/proposal-votes.ts";
import { entityOfWallet, type Registry, type TrackedDao } from "../../../facts/tracked.ts";
import type { WarehouseView } from "../../../warehouse/warehouse-reader.ts";
import type { NamedVoters } from "./named-voters.ts";
import type { Pseudonyms } from "./pseudonyms.ts";
import type { VersionDaos } from "./published-dao.ts";
import {
  delegateListRecords,
  delegationEventRecord,
  indicatorRecords,
  measuredRecord,
  proposalRecord,
  scoreRecord,
  spaceRecord,
} from "./records.ts";
import type { TableWriter } from "./table-writer.ts";
import { assertBelonging, type HeldVotes, heldVotes, voteRows } from "./vote-rows.ts";

export interface ExportParts {
  readonly located: LocatedVersion;
  readonly registry: Registry;
  readonly daos: VersionDaos;
  readonly view: WarehouseView;
  readonly pseudonyms: Pseudonyms;
}

/**
 * Returns a function that writes all tables of one DAO, one ballot at a time. It returns the number of votes
 * and when the DAO was last fetched. Throws `SNAPSHOT_STALE` if the version was made from other
 * facts.
 */
export function createDaoExport(
  { located, registry, daos, view, pseudonyms }: ExportParts,
  voters: NamedVoters,
  tables: TableWriter,
) {
  const { version, manifest } = located;
  const entities = entityOfWallet(registry);
  const entityIdOfVoter = view.entityIdOfVoter(registry);
  const tracked = new Map(registry.daos.map((dao) => [dao.spaceId, dao]));
  return (spaceId: string) => {
    const facts = view.dao(requireTracked(tracked.get(spaceId), spaceId, version));
    const published = daos.read(spaceId);
    const lines = new Map(published.lines.map((line) => [line.id, line]));
    const held = new Map<string, HeldVotes>();
    function* ballots(): Generator<ProposalVotes> {
      for (const ballot of view.ballots(spaceId)) {
        held.set(ballot.proposalId, heldVotes(ballot, entityIdOfVoter));
        yield ballot;
      }
    }
    const votes = tables.rows("ballots", spaceId, voteRows(spaceId, ballots(), voters));
    assertBelonging(version, spaceId, facts.proposals, lines, held);
    function* proposals(): Generator<object> {
      for (const proposal of facts.proposals) {
        const { proposalId, author } = proposal;
        const line = lines.get(proposalId);
        if (line === undefined) continue;
        yield {
          ...proposalRecord(proposal),
          space_id: spaceId,
          author_id: author === undefined ? null : pseudonyms.voterIdOf(author),
          author_person_id: author === undefined ? null : pseudonyms.personIdOf(author, entities.get(author)),
          ballot_votes_count: held.get(proposalId)?.fetchedCount,
          title: line.title,
          link: line.link,
          ...measuredRecord(line),
        };
      }
    }
    const ids = new Map<string, string>();
    const idOf = (address: string): string => {
      const id = ids.get(address) ?? pseudonyms.accountIdOf(address);
      ids.set(address, id);
      return id;
    };
    function* delegationEvents(): Generator<object> {
      for (const event of facts.delegationEvents) yield delegationEventRecord(spaceId, event, idOf);
    }
    tables.records("proposals", spaceId, proposals());
    const { links } = published.evidence;
    tables.collect("spaces", [{ ...spaceRecord(facts, Date.parse(manifest.as_of)), ...links }]);
    tables.collect("scores", [scoreRecord(published)]);
    tables.collect("indicators", indicatorRecords(published.evidence));
    tables.records("history", spaceId, published.history);
    tables.records("delegates", spaceId, published.delegates);
    tables.records("delegate_days", spaceId, published.delegateDays);
    tables.records("delegate_lists", spaceId, delegateListRecords(facts.delegateLists, idOf));
    tables.records("delegation_events", spaceId, delegationEvents());
    return { votes, lastFetchMs: Math.max(0, ...facts.fetches.map(({ fetchedAtMs }) => fetchedAtMs)) };
  };
}

/** Throws `NOT_FOUND` if the version contains a DAO that is no longer tracked. */
function requireTracked(dao: TrackedDao | undefined, spaceId: string, version: string): TrackedDao {
  if (dao !== undefined) return dao;
  throw pipelineFailure(
    "NOT_FOUND",
    `version ${version} contains ${spaceId}, which the registry does not track`,
    {
      hint: "Use the registry that the version was made with (--registry), or publish again.",
    },
  );
}
