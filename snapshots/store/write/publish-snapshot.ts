import type { CheckedSet } from "../../format/agreement/check-set.ts";
import { disagreementsAt } from "../../format/agreement/disagreement.ts";
import { DataPackage, describeVersion, type TableSchemaOf } from "../../format/data-package.ts";
import { valuesOf } from "../../format/documents.ts";
import { type ManifestFile, type ManifestSource, RunReport } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import type { SignManifest } from "../read/manifest-signature.ts";
import { SnapshotError } from "../read/snapshot-error.ts";
import {
  addIndexRows,
  certaintyByDao,
  noIndexRows,
  type PackedBodyOf,
  packedBefore,
  renderIndex,
} from "./build-index.ts";
import { type PublishResult, publishVersion } from "./publish-version.ts";
import { type RenderedFile, renderDocument, renderJson } from "./render-documents.ts";
import type { SnapshotDisk } from "./snapshot-disk.ts";

/** What is to be published, and when (wall time: the version's name and `created_at`). */
export interface SnapshotPlan {
  readonly set: CheckedSet;
  readonly run: RunReport;
  readonly sources: readonly ManifestSource[];
  readonly createdAtMs: number;
  /** Without it the version is not signed. */
  readonly signManifest?: SignManifest | undefined;
  /** Without it the data package says of no file that it is a table. */
  readonly tableSchemaOf?: TableSchemaOf | undefined;
}

/** Publishes every document or none. Readers switch when the pointer is renamed, and only there; throws `SnapshotError`. */
export async function publishSnapshot(plan: SnapshotPlan, disk: SnapshotDisk): Promise<PublishResult> {
  const { set, run, sources, createdAtMs, signManifest } = plan;
  const about = {
    methodology_version: set.methodologyVersion,
    as_of: set.asOf,
    sources: [...sources],
    replaces: null,
    redacted: false,
  };
  let before: Awaited<ReturnType<typeof packedBefore>> | undefined;
  try {
    return await publishVersion(
      { runId: run.run_id, createdAtMs, signManifest },
      async (previous) => {
        const report = renderRun(plan);
        before = await packedBefore(disk.root, previous);
        return { about, files: renderAll(plan, report, before.of) };
      },
      disk,
    );
  } finally {
    before?.close();
  }
}

/** `run.json`, which is no part of the set: refused with `DOCUMENT_INVALID` where it does not tell of it. */
function renderRun({ set, run }: SnapshotPlan): RenderedFile {
  const path = PATHS.run;
  const report = renderJson(path, RunReport, run);
  const { counts } = run;
  const lengthOf = (kind: "daos" | "unscored") => valuesOf(set.documents, kind)[0]?.length ?? 0;
  const entities = valuesOf(set.documents, "entity").length;
  const [problem] = disagreementsAt(path, [
    [run.as_of === set.asOf, "as_of is not that of the documents"],
    [counts.daos_scored === lengthOf("daos"), "counts.daos_scored is not their number"],
    [counts.daos_unscored === lengthOf("unscored"), "counts.daos_unscored is not their number"],
    [counts.entities_published === entities, "counts.entities_published is not their number"],
  ]);
  if (problem !== undefined) throw new SnapshotError("DOCUMENT_INVALID", problem.message, { path });
  return report;
}

/** The files as bytes, one after the other; the index and the data package are made of what the others have become. */
function* renderAll(
  { set, sources, tableSchemaOf = () => undefined }: SnapshotPlan,
  report: RenderedFile,
  before: PackedBodyOf,
): Generator<RenderedFile> {
  const { asOf: as_of, methodologyVersion: methodology_version } = set;
  const files: ManifestFile[] = [report.entry];
  yield report;
  const rows = noIndexRows();
  const certainty = certaintyByDao(valuesOf(set.documents, "evidence"));
  for (const document of set.documents) {
    const file = renderDocument(document);
    addIndexRows(rows, { as_of, methodology_version, certainty }, document, file);
    files.push(file.entry);
    yield file;
  }
  const index = renderIndex(rows, before);
  files.push(index.entry);
  yield index;
  const described = describeVersion({ as_of, methodology_version, sources, files }, tableSchemaOf);
  yield renderJson(PATHS.dataPackage, DataPackage, described);
}
