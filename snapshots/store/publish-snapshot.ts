import type { TableSchemaOf } from "../format/data-package.ts";
import type { ManifestFile, ManifestSource } from "../format/manifest.ts";
import type { PublishedSet } from "../format/published-set.ts";
import type { RunReport } from "../format/run-report.ts";
import { assertPublishable } from "./check-plan.ts";
import type { SignManifest } from "./manifest-signature.ts";
import { type PackedBefore, packedBefore } from "./packed-bodies.ts";
import { type PublishResult, publishVersion } from "./publish-version.ts";
import { renderDataPackage } from "./render-data-package.ts";
import { renderDocuments } from "./render-documents.ts";
import { renderIndex } from "./render-index.ts";
import { type RenderedFile, renderedFile, type ShapedFile } from "./rendered-file.ts";
import type { SnapshotDisk } from "./snapshot-disk.ts";
import { SnapshotError } from "./snapshot-error.ts";

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

/** Everything that can be refused is, before a byte is written. */
function shapeAll({ set, run }: SnapshotPlan): readonly ShapedFile[] {
  const documents = renderDocuments(set, run);
  assertPublishable(set, run);
  if (new Set(documents.map(({ about }) => about.path)).size !== documents.length) {
    throw new SnapshotError("DOCUMENT_INVALID", "two documents would have the same path");
  }
  return documents;
}

/** The files as bytes, one after the other; the index and the data package are made of what the others have become. */
function* renderAll(
  { set, sources, tableSchemaOf = () => undefined }: SnapshotPlan,
  documents: readonly ShapedFile[],
  before: PackedBefore,
): Generator<RenderedFile> {
  const entries: ManifestFile[] = [];
  for (const { about, encode } of documents) {
    const file = renderedFile(encode(), about);
    entries.push(file.entry);
    yield file;
  }
  const index = renderIndex(set, documents, entries, before.of);
  entries.push(index.entry);
  yield index;
  const version = {
    as_of: set.asOf,
    methodology_version: set.methodologyVersion,
    sources,
    files: entries,
  };
  yield renderDataPackage(version, tableSchemaOf);
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
  let before: PackedBefore | undefined;
  try {
    return await publishVersion(
      { runId: run.run_id, createdAtMs, signManifest },
      async (previous) => {
        const documents = shapeAll(plan);
        before = await packedBefore(disk.root, previous);
        return { about, files: renderAll(plan, documents, before) };
      },
      disk,
    );
  } finally {
    before?.close();
  }
}
