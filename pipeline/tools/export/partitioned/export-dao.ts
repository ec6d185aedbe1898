import { filesByDao } from "../../../../snapshots/format/documents.ts";
import type { HiddenNames } from "../../../../snapshots/format/hidden-entities.ts";
import { PATHS } from "../../../../snapshots/format/paths.ts";
import type { LocatedVersion } from "../../../../snapshots/store/read/locate-version.ts";
import { findDocument } from "../../../../snapshots/store/read/parse-document.ts";
import { invariant, pipelineFailure } from "../../../facts/errors.ts";
import type { ProposalVotes } from "../../../facts/proposal-votes.ts";
import { entityOfWallet, type Registry } from "../../../facts/tracked.ts";
import type { WarehouseView } from "../../../warehouse/warehouse-reader.ts";
import { readExplained } from "../../read-explained.ts";
import { indicatorsOf, RECORDS } from "../rows.ts";
import type { NamedVoters, Pseudonyms } from "./pseudonyms.ts";
import {
  delegateListRecords,
  delegationEventRecords,
  proposalRecord,
  scoreRecord,
  spaceRecord,
} from "./records.ts";
import type { TableWriter } from "./tables.ts";
import { assertBelonging, type HeldVotes, heldVotes, voteRows } from "./vote-rows.ts";

export interface ExportParts {
  readonly located: LocatedVersion;
  readonly hidden: HiddenNames;
  readonly registry: Registry;
  readonly view: WarehouseView;
  readonly pseudonyms: Pseudonyms;
}

/** Opens a version for exporting it DAO by DAO, one ballot at a time. Throws `SnapshotFailure`. */
export function openDaoExport(
  { located, hidden, registry, view, pseudonyms }: ExportParts,
  voters: NamedVoters,
  tables: TableWriter,
) {
  const { version, manifest } = located;
  // A version may have hundreds of thousands of files, so they are grouped by DAO.
  const { byDao } = filesByDao(manifest.files);
  const summaries = bySpace(findDocument(located, "daos"));
  const rankings = bySpace(findDocument(located, "rankings"));
  const unscored = bySpace(findDocument(located, "unscored"));
  const tracked = new Map(registry.daos.map((dao) => [dao.spaceId, dao]));
  const entities = entityOfWallet(registry);
  const entityIdOfVoter = view.entityIdOfVoter(registry);
  return {
    /** Every DAO of the version, scored or not, by id. */
    spaceIds: [...byDao].flatMap(([id, files]) =>
      files.some(({ path }) => path === PATHS.proposals(id)) ? [id] : [],
    ),
    /**
     * Writes all tables of one DAO; returns the number of votes and when it was last fetched. Throws `SNAPSHOT_STALE`
     * if the version was made from other facts, and `NOT_FOUND` if the DAO is no longer tracked.
     */
    exportDao(spaceId: string) {
      const dao = tracked.get(spaceId);
      if (dao === undefined) {
        throw pipelineFailure(
          "NOT_FOUND",
          `version ${version} contains ${spaceId}, which the registry does not track`,
          { hint: "Use the registry that the version was made with (--registry), or publish again." },
        );
      }
      const facts = view.dao(dao);
      const files = byDao.get(spaceId) ?? [];
      const daoVersion = { ...located, manifest: { ...manifest, files } };
      const published = readExplained(daoVersion, spaceId, unscored.get(spaceId));
      invariant(published !== undefined, `${spaceId} has proposals, but no evidence`);
      const { evidence } = published;
      const lines = new Map(published.proposals.map((line) => [line.id, line]));
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
            ...proposalRecord(proposal, line),
            space_id: spaceId,
            author_id: author && pseudonyms.voterIdOf(author),
            author_person_id: author && pseudonyms.personIdOf(author, entities.get(author)),
            ballot_votes_count: held.get(proposalId)?.fetchedCount,
          };
        }
      }
      const listedAt = evidence.measures.delegation?.as_of;
      function* delegates(): Generator<object> {
        for (const record of RECORDS.delegates(daoVersion, () => hidden))
          yield { ...record, as_of_ms: listedAt && Date.parse(listedAt) };
      }
      const delegateDays = (findDocument(daoVersion, "delegateDays", spaceId) ?? []).map((day) => ({
        space_id: spaceId,
        ...day,
      }));
      const ids = new Map<string, string>();
      const idOf = (address: string): string => {
        const id = ids.get(address) ?? pseudonyms.accountIdOf(address);
        ids.set(address, id);
        return id;
      };
      const assessment = findDocument(daoVersion, "risk", spaceId);
      tables.records("proposals", spaceId, proposals());
      tables.collect("spaces", [spaceRecord(facts, evidence)]);
      tables.collect("scores", [
        scoreRecord(evidence, summaries.get(spaceId), rankings.get(spaceId), assessment),
      ]);
      tables.collect("indicators", indicatorsOf(evidence));
      tables.records(
        "history",
        spaceId,
        RECORDS.history(daoVersion, () => hidden),
      );
      tables.records("delegates", spaceId, delegates());
      tables.records("delegate_days", spaceId, delegateDays);
      tables.records("delegate_lists", spaceId, delegateListRecords(facts.delegateLists, idOf));
      tables.records(
        "delegation_events",
        spaceId,
        delegationEventRecords(spaceId, facts.delegationEvents, idOf),
      );
      return { votes, lastFetchMs: Math.max(0, ...facts.fetches.map(({ fetchedAtMs }) => fetchedAtMs)) };
    },
  };
}

const bySpace = <Row extends { readonly space_id: string }>(rows: readonly Row[] = []) =>
  new Map(rows.map((row) => [row.space_id, row]));
