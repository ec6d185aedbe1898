import { checkDocuments } from "../../format/agreement/check-documents.ts";
import { checkProposalLines } from "../../format/agreement/check-evidence.ts";
import { checkWholeListing } from "../../format/agreement/check-listing.ts";
import { allDifferent, unless } from "../../format/agreement/disagreement.ts";
import type { TableSchemaOf } from "../../format/data-package.ts";
import type { ManifestFile, ManifestSource, RunReport } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import type { PublishedSet } from "../../format/published-set.ts";
import type { SignManifest } from "../read/manifest-signature.ts";
import { SnapshotError, type SnapshotProblem } from "../read/snapshot-error.ts";
import { renderIndex } from "./build-index.ts";
import { type PackedBefore, packedBefore } from "./packed-bodies.ts";
import { type PublishResult, publishVersion } from "./publish-version.ts";
import {
  type RenderedFile,
  renderDataPackage,
  renderDocuments,
  renderedFile,
  type ShapedFile,
} from "./render-documents.ts";
import type { SnapshotDisk } from "./snapshot-disk.ts";

function checkRun(set: PublishedSet, run: RunReport): readonly SnapshotProblem[] {
  const { counts } = run;
  return [
    ...unless(run.as_of === set.asOf, PATHS.run, "as_of is not that of the documents"),
    ...unless(counts.daos_scored === set.daos.length, PATHS.run, "counts.daos_scored is not their number"),
    ...unless(
      counts.daos_unscored === set.unscored.length,
      PATHS.run,
      "counts.daos_unscored is not their number",
    ),
    ...unless(
      counts.entities_published === set.entities.length,
      PATHS.run,
      "counts.entities_published is not their number",
    ),
  ];
}

/** Refuses a set whose documents cannot all be true, with `DOCUMENT_INVALID`, the first reason and their number. */
export function assertPublishable(set: PublishedSet, run: RunReport): void {
  const spaces = set.listings.map((listing) => listing.spaceId);
  const problems = [
    ...checkDocuments(set),
    ...set.listings.flatMap(checkWholeListing),
    ...set.evidence.flatMap(checkProposalLines),
    ...unless(allDifferent(spaces), "delegates", "a DAO has two listings"),
    ...checkRun(set, run),
  ];
  const [first] = problems;
  if (first === undefined) return;
  const others = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  throw new SnapshotError("DOCUMENT_INVALID", `${first.message}${others}`, { path: first.path });
}

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
