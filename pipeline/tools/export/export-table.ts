import type { Written } from "../../../snapshots/base/durable-files.ts";
import { encodeParsed } from "../../../snapshots/format/canonical-json.ts";
import { identifyFile } from "../../../snapshots/format/documents.ts";
import type { ManifestFile } from "../../../snapshots/format/manifest.ts";
import type { LocatedVersion } from "../../../snapshots/store/read/locate-version.ts";
import { describeAgain } from "../../../snapshots/store/read/read-documents.ts";
import { snapshotFailure } from "../../../snapshots/store/read/snapshot-error.ts";
import { fileProblem } from "../../../snapshots/store/read/verified-file.ts";
import { assertFree, type OutputFile, writeOutput } from "../../home/atomic-write.ts";
import { chooseVersion, everyVersion, type VersionOptions } from "../../home/choose-version.ts";
import { hiddenNamesOf, optedOutOf } from "../../home/opt-outs.ts";
import type { RunEffects, Settings } from "../../home/settings.ts";
import { withStore } from "../../home/store-errors.ts";
import type { DatasetName, ExportFormat } from "./choices.ts";
import { DATASETS, filesOfKinds } from "./datasets.ts";
import { ENCODERS, encodeForSpreadsheets } from "./encode.ts";
import { rowsOfVersions } from "./rows.ts";

/** Throws `SnapshotFailure` for the first file that does not match its manifest, before anything is written. */
async function assertWhole(
  { version, directory }: LocatedVersion,
  files: readonly ManifestFile[],
): Promise<void> {
  for (const file of files) {
    const problem = await fileProblem(directory, file);
    if (problem === undefined) continue;
    const message = `version ${version}: ${problem.message}`;
    throw snapshotFailure("SNAPSHOT_INVALID", message, { path: file.path });
  }
}

/** Where bytes go: a file written completely or not at all, or a function that takes them piece by piece. */
export type Output = OutputFile | { readonly take: (chunk: Uint8Array) => void };

interface ExportOptions extends VersionOptions {
  readonly isOfAllVersions: boolean;
  readonly dataset: DatasetName;
  readonly format: ExportFormat;
  /** CSV with a byte-order mark and times without a zone. */
  readonly isForSpreadsheets: boolean;
}

function put(output: Output, chunks: Iterable<Uint8Array>): Written | undefined {
  if ("path" in output) return writeOutput(output, chunks);
  for (const chunk of chunks) output.take(chunk);
  return undefined;
}

/**
 * `govdata export`: a dataset of one or all kept versions as CSV, NDJSON or Parquet, without opted-out
 * entities; `written` only for a file. Verifies every needed file before writing. Throws `PipelineFailure`.
 */
export async function runExport(
  settings: Settings,
  request: ExportOptions,
  output: Output,
  effects: Pick<RunEffects, "progress">,
) {
  if ("path" in output) assertFree(output);
  const { dataset, format } = request;
  const optedOut = optedOutOf(settings, effects);
  const versions = request.isOfAllVersions
    ? await everyVersion(settings)
    : [await chooseVersion(settings, request)];
  const { needs } = DATASETS[dataset];
  for (const located of versions)
    await withStore(() => assertWhole(located, filesOfKinds(needs, located.manifest)));
  const { columns, rows } = rowsOfVersions(dataset, versions, hiddenNamesOf(versions, optedOut), {
    withVersion: request.isOfAllVersions,
  });
  let count = 0;
  function* counted() {
    for (const row of rows) {
      count += 1;
      yield row;
    }
  }
  const encode = request.isForSpreadsheets ? encodeForSpreadsheets : ENCODERS[format];
  const written = await withStore(() => put(output, encode({ columns, rows: counted() })));
  return { dataset, format, versions: versions.map(({ version }) => version), rows: count, written };
}

/**
 * `govdata export --datapackage`: a version as a Frictionless data package for readers outside its folder: its own
 * `datapackage.json` with the version's name, without files of opted-out entities. A version without that file is
 * described by its manifest only, as today's columns need not be those of its tables. Throws `PipelineFailure`.
 */
export async function runDataPackage(
  settings: Settings,
  version: string | undefined,
  output: Output,
  effects: Pick<RunEffects, "progress">,
): Promise<Written | undefined> {
  if ("path" in output) assertFree(output);
  const optedOut = optedOutOf(settings, effects);
  const located = await chooseVersion(settings, { version });
  return withStore(() => {
    const { version, manifest } = located;
    const { ids } = hiddenNamesOf([located], optedOut)(located);
    const files = manifest.files.filter(({ path }) => {
      const file = identifyFile(path);
      return file?.kind !== "entity" || !ids.has(file.id);
    });
    const { resources, ...about } = describeAgain(located, files);
    const { created_at: created, sequence } = manifest;
    return put(output, [encodeParsed({ ...about, version, created, sequence, resources })]);
  });
}
