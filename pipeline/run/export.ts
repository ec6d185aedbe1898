import type { LocatedVersion } from "../../snapshots/store/locate-version.ts";
import { assertWhole } from "../exports/assert-whole.ts";
import { dataPackage } from "../exports/data-package.ts";
import type { DatasetName } from "../exports/datasets.ts";
import { filesOfDataset } from "../exports/files-of-dataset.ts";
import { ENCODERS, type ExportFormat } from "../exports/formats.ts";
import { hiddenNamesOf } from "../exports/hidden-names.ts";
import { rowsOfVersions, type Table } from "../exports/rows-of-versions.ts";
import { assertFree, type OutputFile, type Written, writeOutput } from "../exports/write-output.ts";
import { chosenVersions, type VersionsWish } from "./chosen-versions.ts";
import type { RunEffects } from "./effects.ts";
import { optedOutOf } from "./opted-out.ts";
import type { Settings } from "./settings.ts";
import { withStore } from "./store-errors.ts";

export { dataDictionary, dataDictionaryValue } from "../exports/data-dictionary.ts";
export { DATASET_NAMES, type DatasetName } from "../exports/datasets.ts";
export { EXPORT_FORMATS, type ExportFormat } from "../exports/formats.ts";

/** Where bytes go: a file that is written whole or not at all, or whoever takes them piece by piece. */
export type Output = OutputFile | { readonly take: (chunk: Uint8Array) => void };

/** What to export, from which versions, in which form. */
export interface ExportRequest extends VersionsWish {
  readonly dataset: DatasetName;
  readonly format: ExportFormat;
}

/** What was exported; `written` only where it went to a file. */
export interface ExportResult {
  readonly dataset: DatasetName;
  readonly format: ExportFormat;
  readonly versions: readonly string[];
  readonly rows: number;
  readonly written: Written | undefined;
}

function put(output: Output, chunks: Iterable<Uint8Array>): Written | undefined {
  if ("path" in output) return writeOutput(output, chunks);
  for (const chunk of chunks) output.take(chunk);
  return undefined;
}

/** The same table; counts its rows as they are taken. */
function counted({ columns, rows }: Table): { readonly table: Table; readonly count: () => number } {
  let count = 0;
  function* countedRows() {
    for (const row of rows) {
      count += 1;
      yield row;
    }
  }
  return { table: { columns, rows: { [Symbol.iterator]: countedRows } }, count: () => count };
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

async function locateWhole(settings: Settings, request: ExportRequest): Promise<readonly LocatedVersion[]> {
  const versions = await chosenVersions(settings, request);
  for (const located of versions) {
    await withStore(() => assertWhole(located, filesOfDataset(request.dataset, located.manifest)));
  }
  return versions;
}

/**
 * `govdata export`: a dataset of one version, or of every kept one, as CSV, NDJSON or Parquet, without whoever opted
 * out. Every file it needs is verified before a byte is written. Throws `PipelineError`.
 */
export async function runExport(
  settings: Settings,
  request: ExportRequest,
  output: Output,
  effects: Pick<RunEffects, "progress">,
): Promise<ExportResult> {
  if ("path" in output) assertFree(output);
  const { dataset, format } = request;
  const optedOut = optedOutOf(settings, effects);
  const versions = await locateWhole(settings, request);
  const hiddenOf = once(() => hiddenNamesOf(versions, optedOut));
  const { table, count } = counted(
    rowsOfVersions(
      dataset,
      versions.map((located) => ({ located, hidden: () => hiddenOf()(located) })),
      { withVersion: request.isOfAllVersions },
    ),
  );
  const written = await withStore(() => put(output, ENCODERS[format](table)));
  return { dataset, format, versions: versions.map(({ version }) => version), rows: count(), written };
}

/** `govdata export --datapackage`: one version described for Frictionless, by its manifest. Throws `PipelineError`. */
export async function runDataPackage(
  settings: Settings,
  version: string | undefined,
  output: Output,
  effects: Pick<RunEffects, "progress">,
): Promise<Written | undefined> {
  if ("path" in output) assertFree(output);
  const optedOut = optedOutOf(settings, effects);
  const versions = await chosenVersions(settings, { version, isOfAllVersions: false });
  return withStore(() => {
    const hiddenOf = hiddenNamesOf(versions, optedOut);
    const packages = versions.map((located) => dataPackage(located, hiddenOf(located)));
    return put(
      output,
      packages.map((each) => Buffer.from(`${JSON.stringify(each, null, 2)}\n`, "utf8")),
    );
  });
}
