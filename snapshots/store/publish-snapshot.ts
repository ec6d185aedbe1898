import type { TableSchemaOf } from "../format/data-package.ts";
import type { ManifestSource } from "../format/manifest.ts";
import type { PublishedSet } from "../format/published-set.ts";
import type { RunReport } from "../format/run-report.ts";
import { assertPublishable } from "./check-plan.ts";
import type { SignManifest } from "./manifest-signature.ts";
import { type PublishResult, publishVersion } from "./publish-version.ts";
import { renderDataPackage } from "./render-data-package.ts";
import { renderDocuments } from "./render-documents.ts";
import { renderIndex } from "./render-index.ts";
import type { RenderedFile } from "./rendered-file.ts";
import type { SnapshotDisk } from "./snapshot-disk.ts";

/** What was published. */
export type { PublishResult };

/** What is to be published, and when (wall time: the version's name and `created_at`). */
export interface SnapshotPlan {
  readonly set: PublishedSet;
  readonly run: RunReport;
  readonly sources: readonly ManifestSource[];
  readonly createdAtMs: number;
  /** Without it the version is not signed. */
  readonly signManifest?: SignManifest | undefined;
  /** Without it the data package says of no file that it is a table. */
  readonly tableSchemaOf?: TableSchemaOf | undefined;
}

function renderAll({
  set,
  run,
  sources,
  tableSchemaOf = () => undefined,
}: SnapshotPlan): readonly RenderedFile[] {
  const documents = renderDocuments(set, run);
  assertPublishable(set, run);
  const files = [...documents, renderIndex(set, documents)];
  const version = {
    as_of: set.asOf,
    methodology_version: set.methodologyVersion,
    sources,
    files: files.map(({ entry }) => entry),
  };
  return [...files, renderDataPackage(version, tableSchemaOf)];
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
  return publishVersion(
    { runId: run.run_id, createdAtMs, signManifest },
    () => ({ about, files: renderAll(plan) }),
    disk,
  );
}
