import { randomBytes } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { LocatedVersion } from "../../../snapshots/store/read/locate-version.ts";
import { PipelineError } from "../../facts/errors.ts";
import type { Registry } from "../../facts/tracked.ts";
import type { OutputFile } from "../../home/atomic-write.ts";
import { chooseVersion } from "../../home/choose-version.ts";
import { hasWarehouse, homeWarehouseFiles, openHomeWarehouse, readRegistry } from "../../home/home.ts";
import { hiddenNamesOf, optedOutOf } from "../../home/opt-outs.ts";
import type { RunEffects, Settings } from "../../home/settings.ts";
import { withStore } from "../../home/store-errors.ts";
import { openWarehouseView, type WarehouseView } from "../../warehouse/warehouse-reader.ts";
import { EXPORT_FORMAT, exportReadme } from "./about.ts";
import { createDaoExport, type ExportedDao } from "./dao-export.ts";
import { assertReplaceable, createExportFolder, type ExportFolder, putQueries } from "./export-folder.ts";
import { nameVoters } from "./named-voters.ts";
import { createPseudonyms, type Pseudonyms, pseudonymKey } from "./pseudonyms.ts";
import { type VersionDaos, versionDaos } from "./published-dao.ts";
import { createTableWriter, type TableWriter } from "./table-writer.ts";
import type { TableName } from "./tables.ts";

/** What was exported. */
export interface PartitionedResult {
  readonly version: string;
  readonly asOf: string;
  /** DAOs that were fetched again since the version was made, to no other effect. */
  readonly fetchedSince: readonly string[];
  readonly files: number;
  readonly bytes: number;
  /** Rows of each table. */
  readonly rows: Readonly<Record<TableName, number>>;
}

/** All that an export is made of. */
interface Parts {
  readonly located: LocatedVersion;
  readonly registry: Registry;
  readonly daos: VersionDaos;
  readonly view: WarehouseView;
  readonly pseudonyms: Pseudonyms;
}

function openView(settings: Settings): WarehouseView {
  if (!hasWarehouse(settings)) {
    throw new PipelineError("HOME_MISSING", "the home has no warehouse, and votes are nowhere else", {
      hint: "--home (GOVDATA_HOME) says which home; `govdata fetch` fills one.",
    });
  }
  // A view does not bring an older file up to date.
  openHomeWarehouse(settings).close();
  return openWarehouseView(homeWarehouseFiles(settings));
}

/** Every table of every DAO; answers which DAOs were fetched after the version was made. */
async function writeTables(
  { located, registry, daos, view, pseudonyms }: Parts,
  tables: TableWriter,
  { progress }: Pick<RunEffects, "progress">,
): Promise<readonly string[]> {
  const { version, manifest } = located;
  const voters = nameVoters(view, registry, pseudonyms);
  const exportDao = createDaoExport({
    version,
    asOfMs: Date.parse(manifest.as_of),
    registry,
    daos,
    view,
    voters,
    pseudonyms,
    tables,
  });
  const exported: (ExportedDao & { readonly spaceId: string })[] = [];
  for (const spaceId of daos.spaceIds) {
    // Writing never waits, so this is the one place where an interrupt is heard.
    await nextTurn();
    const dao = exportDao(spaceId);
    exported.push({ ...dao, spaceId });
    progress.step("export", exported.length, daos.spaceIds.length, spaceId, { votes: dao.votes });
  }
  tables.groups("voters", "", voters.groups());
  tables.collect("dgi", daos.dgi());
  tables.finish(daos.spaceIds[0] ?? "none");
  const madeMs = Date.parse(manifest.created_at);
  return exported.filter(({ lastFetchMs = 0 }) => lastFetchMs > madeMs).map(({ spaceId }) => spaceId);
}

async function fillFolder(
  folder: ExportFolder,
  parts: Parts,
  settings: Settings,
  effects: Pick<RunEffects, "progress">,
): Promise<PartitionedResult> {
  const { version, manifest } = parts.located;
  const writer = createTableWriter(folder);
  const fetchedSince = await writeTables(parts, writer, effects);
  putQueries(folder, settings.packageDirectory);
  folder.put("README.md", [Buffer.from(exportReadme(), "utf8")]);
  const tables = writer.tables();
  const files = await folder.finish((written) => ({
    kind: "govdata-export",
    format: EXPORT_FORMAT,
    version,
    sequence: manifest.sequence,
    as_of: manifest.as_of,
    methodology_version: manifest.methodology_version,
    created_at: manifest.created_at,
    fetched_since: fetchedSince,
    pseudonyms: { key_id: parts.pseudonyms.keyId },
    tables,
    files: written,
  }));
  return {
    version,
    asOf: manifest.as_of,
    fetchedSince,
    files: files.length,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    rows: Object.fromEntries(
      Object.entries(tables).map(([name, { rows }]) => [name, rows]),
    ) as PartitionedResult["rows"],
  };
}

/**
 * `govdata export --partitioned`: a version's scores and the facts that they were made of as Parquet, a file for each table
 * and DAO, voters under pseudonyms; whole or not at all. It takes no lock: the warehouse is read as of one moment, and a
 * version never changes. Throws `PipelineError`.
 */
export async function runPartitionedExport(
  settings: Settings,
  request: { readonly version: string | undefined },
  output: OutputFile,
  effects: Pick<RunEffects, "progress">,
): Promise<PartitionedResult> {
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
