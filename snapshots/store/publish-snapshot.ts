import { join } from "node:path";
import { encodeCanonical } from "../format/canonical-json.ts";
import { timestampOf } from "../format/ids.ts";
import { FORMAT_VERSION, MANIFEST_BYTES_MAX } from "../format/limits.ts";
import { Manifest, type ManifestSource, Pointer } from "../format/manifest.ts";
import { PATHS } from "../format/paths.ts";
import type { PublishedSet } from "../format/published-set.ts";
import type { RunReport } from "../format/run-report.ts";
import { attempt } from "./attempt.ts";
import { assertPublishable } from "./check-plan.ts";
import { encodeDocument } from "./encode-document.ts";
import { VERSION_HASH_DIGITS } from "./locate-version.ts";
import { type PreviousVersion, readPreviousVersion } from "./previous-version.ts";
import { POINTER_FILE } from "./read-pointer.ts";
import { renderDocuments } from "./render-documents.ts";
import { renderIndex } from "./render-index.ts";
import { type RenderedFile, renderedFile } from "./rendered-file.ts";
import type { SnapshotDisk } from "./snapshot-disk.ts";
import { SnapshotError } from "./snapshot-error.ts";
import { type StagedCounts, stageVersion, writeDurably } from "./stage-version.ts";
import { clearLeftovers, removeExpired, STAGING_PREFIX } from "./tidy-root.ts";
import { verifyStaged } from "./verify-staged.ts";

/** What is to be published, and when (wall time: the version's name and `created_at`). */
export interface SnapshotPlan {
  readonly set: PublishedSet;
  readonly run: RunReport;
  readonly sources: readonly ManifestSource[];
  readonly createdAtMs: number;
}

/** What was published. `warnings` name what could not be tidied up after the pointer had moved. */
export interface PublishResult extends StagedCounts {
  readonly version: string;
  readonly sequence: number;
  readonly manifest: Manifest;
  readonly removed: readonly string[];
  readonly warnings: readonly string[];
}

function renderAll({ set, run }: SnapshotPlan): readonly RenderedFile[] {
  const documents = renderDocuments(set, run);
  assertPublishable(set, run);
  return [...documents, renderIndex(set, documents)].toSorted((a, b) =>
    a.entry.path < b.entry.path ? -1 : 1,
  );
}

function renderManifest(
  { set, sources, createdAtMs }: SnapshotPlan,
  files: readonly RenderedFile[],
  previous: PreviousVersion | undefined,
): RenderedFile {
  const pointer = previous?.pointer;
  const manifest = {
    format: FORMAT_VERSION,
    methodology_version: set.methodologyVersion,
    sequence: (pointer?.sequence ?? 0) + 1,
    previous: pointer === undefined ? null : { version: pointer.version, sha256: pointer.manifest.sha256 },
    replaces: null,
    created_at: timestampOf(createdAtMs),
    as_of: set.asOf,
    sources,
    redacted: false,
    files: files.map((file) => file.entry),
  };
  const bytes = encodeDocument(PATHS.manifest, Manifest, manifest);
  if (bytes.length > MANIFEST_BYTES_MAX) {
    throw new SnapshotError("DOCUMENT_INVALID", `${PATHS.manifest}: is larger than any reader would read`);
  }
  return renderedFile(bytes, { path: PATHS.manifest, records: 1, media_type: "application/json" });
}

/** `20261121T060000Z-3f9ac2d1`: UTC time of the run, then the first digits of the manifest's hash. */
function versionName(createdAtMs: number, manifestSha256: string): string {
  const time = timestampOf(createdAtMs)
    .replace(/\.\d{3}Z$/, "Z")
    .replaceAll(/[-:]/g, "");
  return `${time}-${manifestSha256.slice(0, VERSION_HASH_DIGITS)}`;
}

async function movePointer(disk: SnapshotDisk, staging: string, pointer: Pointer): Promise<void> {
  const temporary = `${staging}.json`;
  await attempt("write the new pointer", () =>
    writeDurably(disk, temporary, encodeCanonical(Pointer, pointer)),
  );
  await attempt("move the pointer", () => disk.rename(temporary, POINTER_FILE));
  await attempt("make the move of the pointer durable (readers already see it)", () =>
    disk.syncDirectory("."),
  );
}

async function publishLocked(plan: SnapshotPlan, disk: SnapshotDisk): Promise<PublishResult> {
  const previous = readPreviousVersion(disk.root);
  await attempt("clear what an earlier run left", () => clearLeftovers(disk, previous?.pointer));
  const files = renderAll(plan);
  const manifestFile = renderManifest(plan, files, previous);
  const manifest = Manifest.parse(JSON.parse(manifestFile.bytes.toString("utf8")));
  const version = versionName(plan.createdAtMs, manifestFile.entry.sha256);
  const staging = `${STAGING_PREFIX}${plan.run.run_id}`;
  try {
    const counts = await attempt("write the files of the version", () =>
      stageVersion(disk, staging, [...files, manifestFile], previous),
    );
    await verifyStaged(join(disk.root, staging), manifestFile.entry);
    await attempt("name the version", () => disk.rename(staging, version));
    await attempt("make the name of the version durable", () => disk.syncDirectory("."));
    await movePointer(disk, staging, {
      format: FORMAT_VERSION,
      sequence: manifest.sequence,
      version,
      manifest: { sha256: manifestFile.entry.sha256, bytes: manifestFile.entry.bytes },
      published_at: manifest.created_at,
    });
    const tidied = await removeExpired(disk, version, plan.createdAtMs);
    return { version, sequence: manifest.sequence, manifest, ...counts, ...tidied };
  } catch (error) {
    // Only to give the space back; the next run clears what this cannot.
    await Promise.allSettled([disk.remove(staging), disk.remove(`${staging}.json`)]);
    throw error;
  }
}

/** Publishes every document or none. Readers switch when the pointer is renamed, and only there; throws `SnapshotError`. */
export async function publishSnapshot(plan: SnapshotPlan, disk: SnapshotDisk): Promise<PublishResult> {
  await attempt("make the snapshot root", () => disk.makeRoot());
  const unlock = await attempt("take the publish lock", async () => disk.lock());
  try {
    return await publishLocked(plan, disk);
  } finally {
    unlock();
  }
}
