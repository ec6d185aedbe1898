import { randomBytes } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { LocatedVersion } from "../../../../snapshots/store/read/locate-version.ts";
import { pipelineFailure } from "../../../facts/errors.ts";
import type { ProposalVotes } from "../../../facts/proposal-votes.ts";
import { entityOfWallet, type Registry, type TrackedDao } from "../../../facts/tracked.ts";
import type { OutputFile } from "../../../home/atomic-write.ts";
import { chooseVersion } from "../../../home/choose-version.ts";
import { hasWarehouse, homeFile, openHomeWarehouse } from "../../../home/home.ts";
import { hiddenNamesOf, optedOutOf } from "../../../home/opt-outs.ts";
import { readRegistry } from "../../../home/read-registry.ts";
import type { RunEffects, Settings } from "../../../home/settings.ts";
import { withStore } from "../../../home/store-errors.ts";
import { openWarehouseView, type WarehouseView } from "../../../warehouse/warehouse-reader.ts";
import { assertReplaceable, createExportFolder, type ExportFolder } from "./export-folder.ts";
import { type NamedVoters, nameVoters } from "./named-voters.ts";
import { createPseudonyms, type Pseudonyms, pseudonymKey } from "./pseudonyms.ts";
import { type VersionDaos, versionDaos } from "./published-dao.ts";
import { queryFiles } from "./queries.ts";
import {
  delegateListRecords,
  delegationEventRecord,
  indicatorRecords,
  measuredRecord,
  proposalRecord,
  scoreRecord,
  spaceRecord,
} from "./records.ts";
import { createTableWriter, type TableWriter } from "./table-writer.ts";
import { exportReadme } from "./tables.ts";
import { assertBelonging, type HeldVotes, heldVotes, voteRows } from "./vote-rows.ts";

/** Increase this when readers of older exports would misread the new one. */
const EXPORT_FORMAT = 2;

function openView(settings: Settings): WarehouseView {
  if (!hasWarehouse(settings)) {
    throw pipelineFailure("HOME_MISSING", "the home has no warehouse, the only place with votes", {
      hint: "Check --home (GOVDATA_HOME); `govdata fetch` fills a home.",
    });
  }
  // A view does not upgrade an older file.
  openHomeWarehouse(settings).close();
  return openWarehouseView(homeFile(settings, "warehouse"));
}

/** Writes every table of every DAO; returns the DAOs that were fetched after the version was made. */
async function writeTables(
  parts: ExportParts,
  tables: TableWriter,
  { progress }: Pick<RunEffects, "progress">,
): Promise<readonly string[]> {
  const { located, registry, daos, view, pseudonyms } = parts;
  const voters = nameVoters(view, registry, pseudonyms);
  const exportDao = createDaoExport(parts, voters, tables);
  const madeMs = Date.parse(located.manifest.created_at);
  const fetchedSince: string[] = [];
  for (const [index, spaceId] of daos.spaceIds.entries()) {
    // Writing never awaits, so interrupts are only seen here.
    await nextTurn();
    const { votes, lastFetchMs } = exportDao(spaceId);
    if (lastFetchMs > madeMs) fetchedSince.push(spaceId);
    progress.step("export", index + 1, daos.spaceIds.length, spaceId, { votes });
  }
  tables.rows("voters", "", voters.rows());
  tables.collect("dgi", daos.dgi());
  tables.finish(daos.spaceIds[0] ?? "none");
  return fetchedSince;
}

async function fillFolder(
  folder: ExportFolder,
  parts: ExportParts,
  settings: Settings,
  effects: Pick<RunEffects, "progress">,
) {
  const { version, manifest } = parts.located;
  const writer = createTableWriter(folder);
  const fetchedSince = await writeTables(parts, writer, effects);
  for (const [path, text] of queryFiles(settings.packageDirectory))
    folder.put(`sql/${path}`, [Buffer.from(text, "utf8")]);
  folder.put("README.md", [Buffer.from(exportReadme(), "utf8")]);
  const { tables } = writer;
  const files = await folder.finish((written) => ({
    kind: "govdata-export",
    format: EXPORT_FORMAT,
    version,
    sequence: manifest.sequence,
    as_of: manifest.as_of,
    methodology_version: manifest.methodology_version,
    created_at: manifest.created_at,
    fetched_since: fetchedSince,
    // Exports with the same key have the same pseudonyms.
    pseudonyms: { key_id: parts.pseudonyms.keyId },
    tables,
    files: written,
  }));
  return {
    version,
    asOf: manifest.as_of,
    /** DAOs that were fetched after the version was made; its data of their proposals is still valid. */
    fetchedSince,
    files: files.length,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    rows: Object.fromEntries(Object.entries(tables).map(([name, { rows }]) => [name, rows])),
  };
}

/**
 * `govdata export --partitioned`: a version's scores and the facts behind them as Parquet, one file per table
 * and DAO, with pseudonyms for voters; completely or not at all. Needs no lock: the warehouse is read as of
 * one moment, and a version never changes. Throws `PipelineFailure`.
 */
export async function runPartitionedExport(
  settings: Settings,
  request: { readonly version: string | undefined },
  output: OutputFile,
  effects: Pick<RunEffects, "progress">,
) {
  assertReplaceable(output);
  const registry = readRegistry(settings);
  const optedOut = optedOutOf(settings, effects);
  const located = await chooseVersion(settings, request);
  const view = openView(settings);
  try {
    const daos = await withStore(() => versionDaos(located, hiddenNamesOf([located], optedOut)(located)));
    const pseudonyms = createPseudonyms(pseudonymKey(settings, randomBytes));
    const folder = createExportFolder(output);
    try {
      const parts = { located, registry, daos, view, pseudonyms };
      return await withStore(() => fillFolder(folder, parts, settings, effects));
    } finally {
      folder.drop();
    }
  } finally {
    view.close();
  }
}

interface ExportParts {
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
function createDaoExport(
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
