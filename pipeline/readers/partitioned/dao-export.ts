import { PipelineError } from "../../facts/errors.ts";
import type { ProposalVotes } from "../../facts/proposal-votes.ts";
import { entityOfWallet, type Registry, type TrackedDao } from "../../facts/tracked.ts";
import type { ViewedDao, WarehouseView } from "../../warehouse/warehouse-reader.ts";
import type { NamedVoters } from "./named-voters.ts";
import type { Pseudonyms } from "./pseudonyms.ts";
import type { VersionDaos } from "./published-dao.ts";
import {
  delegateListRecords,
  delegationEventRecord,
  indicatorRecords,
  proposalRecord,
  scoreRecord,
} from "./records.ts";
import type { TableWriter } from "./table-writer.ts";
import { assertBelonging, createVotesGroups, type HeldVotes, heldVotes } from "./vote-groups.ts";

/** What one DAO's tables are made of and where they go. */
export interface DaoExportInput {
  readonly version: string;
  readonly asOfMs: number;
  readonly registry: Registry;
  readonly daos: VersionDaos;
  readonly view: Pick<WarehouseView, "dao" | "ballots">;
  readonly voters: NamedVoters;
  readonly pseudonyms: Pseudonyms;
  readonly tables: TableWriter;
}

/** What came of one DAO. */
export interface ExportedDao {
  readonly votes: number;
  /** When it was last fetched from any source; `undefined` where it never was. */
  readonly lastFetchMs: number | undefined;
}

function spaceRecord(
  { dao, space, fetches, lastCompleteFetchMs, isArchive }: ViewedDao,
  asOfMs: number,
): object {
  const { governor } = dao;
  return {
    space_id: dao.spaceId,
    name: dao.name,
    category: dao.category,
    as_of_ms: asOfMs,
    is_fetched: lastCompleteFetchMs !== undefined,
    is_archive: isArchive,
    last_complete_fetch_ms: lastCompleteFetchMs,
    source_ids: fetches.map(({ sourceId }) => sourceId).join(","),
    is_proposing_gated: space?.isProposingGated,
    has_fixed_period: space?.hasFixedPeriod,
    quorum: space?.quorum,
    admins_and_moderators_count: space?.adminsAndModeratorsCount,
    token_decimals: governor?.decimals,
    is_self_by_default: governor?.isSelfByDefault,
  };
}

/** The DAO of the registry; throws `PipelineError` NOT_FOUND where the version tells of one that is tracked no more. */
function trackedDao({ daos }: Registry, spaceId: string, version: string): TrackedDao {
  const dao = daos.find((each) => each.spaceId === spaceId);
  if (dao !== undefined) return dao;
  throw new PipelineError(
    "NOT_FOUND",
    `version ${version} tells of ${spaceId}, which the registry does not track`,
    {
      hint: "Name the registry that the version was made with (--registry), or publish anew.",
    },
  );
}

/** A function that writes all tables of one DAO, its ballots one at a time. Throws `PipelineError` SNAPSHOT_STALE where the version was made of other facts. */
export function createDaoExport(input: DaoExportInput): (spaceId: string) => ExportedDao {
  const { version, asOfMs, registry, daos, view, voters, pseudonyms, tables } = input;
  const entities = entityOfWallet(registry);
  const authorIds = (author: string | undefined) =>
    author === undefined
      ? undefined
      : {
          voterId: pseudonyms.voterIdOf(author),
          personId: pseudonyms.personIdOf(author, entities.get(author)),
        };
  const groupsOf = createVotesGroups(voters);
  const writeVotes = (spaceId: string) => {
    const held = new Map<string, HeldVotes>();
    function* seen(): Generator<ProposalVotes> {
      for (const ballot of view.ballots(spaceId)) {
        held.set(ballot.proposalId, heldVotes(ballot));
        yield ballot;
      }
    }
    const votes = tables.groups("ballots", spaceId, groupsOf(spaceId, seen()));
    return { held, votes };
  };
  const writeDelegation = (spaceId: string, { delegateLists, delegationEvents }: ViewedDao): void => {
    const ids = new Map<string, string>();
    const idOf = (address: string): string => {
      const id = ids.get(address) ?? pseudonyms.accountIdOf(address);
      ids.set(address, id);
      return id;
    };
    function* records(): Generator<object> {
      for (const event of delegationEvents) yield delegationEventRecord(spaceId, event, idOf);
    }
    tables.records("delegate_lists", spaceId, delegateListRecords(delegateLists, idOf));
    tables.records("delegation_events", spaceId, records());
  };

  return (spaceId) => {
    const facts = view.dao(trackedDao(registry, spaceId, version));
    const published = daos.read(spaceId);
    const lines = new Map(published.lines.map((line) => [line.id, line]));
    const { held, votes } = writeVotes(spaceId);
    assertBelonging(version, spaceId, facts.proposals, lines, held);
    function* proposals(): Generator<object> {
      for (const proposal of facts.proposals) {
        const line = lines.get(proposal.proposalId);
        if (line === undefined) continue;
        const fetchedVotesCount = held.get(proposal.proposalId)?.votes;
        yield proposalRecord(proposal, {
          spaceId,
          line,
          authorIds: authorIds(proposal.author),
          fetchedVotesCount,
        });
      }
    }
    tables.records("proposals", spaceId, proposals());
    tables.collect("spaces", [spaceRecord(facts, asOfMs)]);
    tables.collect("scores", [scoreRecord(published)]);
    tables.collect("indicators", indicatorRecords(published.evidence));
    tables.records("history", spaceId, published.history);
    tables.records("delegates", spaceId, published.delegates);
    tables.records("delegate_days", spaceId, published.delegateDays);
    writeDelegation(spaceId, facts);
    const fetchedMs = facts.fetches.map(({ fetchedAtMs }) => fetchedAtMs);
    return {
      votes,
      lastFetchMs: fetchedMs.length === 0 ? undefined : Math.max(...fetchedMs),
    };
  };
}
