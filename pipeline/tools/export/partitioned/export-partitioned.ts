import { randomBytes } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { pipelineFailure } from "../../../facts/errors.ts";
import type { OutputFile } from "../../../home/atomic-write.ts";
import { chooseVersion } from "../../../home/choose-version.ts";
import { hasWarehouse, homeFile, openHomeWarehouse } from "../../../home/home.ts";
import { hiddenNamesOf, optedOutOf } from "../../../home/opt-outs.ts";
import { readRegistry } from "../../../home/read-registry.ts";
import type { RunEffects, Settings } from "../../../home/settings.ts";
import { withStore } from "../../../home/store-errors.ts";
import { openWarehouseView, type WarehouseView } from "../../../warehouse/warehouse-reader.ts";
import { createOutputFolder, type FolderKind, type OutputFolder } from "../../output-folder.ts";
import { RECORDS } from "../rows.ts";
import { type ExportParts, openDaoExport } from "./export-dao.ts";
import { createPseudonyms, nameVoters, pseudonymKey } from "./pseudonyms.ts";
import { queryFiles } from "./queries.ts";
import { createTableWriter, exportReadme } from "./tables.ts";

/** Increase this when readers of older exports would misread the new one. */
const EXPORT_FORMAT = 2;

const PARTITIONED_EXPORT: FolderKind = {
  name: "a partitioned export",
  markFile: "about.json",
  kind: "govdata-export",
  hint: "--force only replaces an empty folder or a whole earlier export.",
  failure: "OUTPUT_FAILED",
  makesParents: false,
};

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
  const folder = createOutputFolder(output, PARTITIONED_EXPORT);
  try {
    const registry = readRegistry(settings);
    const optedOut = optedOutOf(settings, effects);
    const located = await chooseVersion(settings, request);
    const view = openView(settings);
    try {
      return await withStore(() => {
        const hidden = hiddenNamesOf([located], optedOut)(located);
        const pseudonyms = createPseudonyms(pseudonymKey(settings, randomBytes));
        const parts = { located, hidden, registry, view, pseudonyms };
        return fillFolder(folder, parts, settings.packageDirectory, effects);
      });
    } finally {
      view.close();
    }
  } finally {
    folder.drop();
  }
}

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

async function fillFolder(
  folder: OutputFolder,
  parts: ExportParts,
  packageDirectory: string,
  { progress }: Pick<RunEffects, "progress">,
) {
  const { located, hidden, registry, view, pseudonyms } = parts;
  const { version, manifest } = located;
  const writer = createTableWriter(folder);
  const voters = nameVoters(view, registry, pseudonyms);
  const { spaceIds, exportDao } = openDaoExport(parts, voters, writer);
  const madeMs = Date.parse(manifest.created_at);
  const fetchedSince: string[] = [];
  for (const [index, spaceId] of spaceIds.entries()) {
    // Writing never awaits, so interrupts are only seen here.
    await nextTurn();
    const { votes, lastFetchMs } = exportDao(spaceId);
    if (lastFetchMs > madeMs) fetchedSince.push(spaceId);
    progress.step("export", index + 1, spaceIds.length, spaceId, { votes });
  }
  writer.rows("voters", "", voters.rows());
  writer.collect(
    "dgi",
    RECORDS.dgi(located, () => hidden),
  );
  writer.finish(spaceIds[0] ?? "none");

  for (const [path, sql] of queryFiles(packageDirectory)) folder.putText(`sql/${path}`, sql);
  folder.putText("README.md", exportReadme());
  const { tables } = writer;
  const files = await folder.finish((written) => ({
    format: EXPORT_FORMAT,
    version,
    sequence: manifest.sequence,
    as_of: manifest.as_of,
    methodology_version: manifest.methodology_version,
    created_at: manifest.created_at,
    fetched_since: fetchedSince,
    // Exports with the same key have the same pseudonyms.
    pseudonyms: { key_id: pseudonyms.keyId },
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
