import { encodeCanonical } from "../../format/canonical-json.ts";
import { timestampOf } from "../../format/ids.ts";
import {
  FILE_BYTES_MAX,
  FORMAT_VERSION,
  MANIFEST_BYTES_MAX,
  WHOLE_FILE_BYTES_MAX,
} from "../../format/limits.ts";
import { Manifest, type ManifestFile, Pointer } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import { type PreviousVersion, readPreviousVersion } from "../read/kept-versions.ts";
import type { SignManifest } from "../read/manifest-signature.ts";
import { POINTER_FILE } from "../read/read-pointer.ts";
import { attempt, snapshotFailure } from "../read/snapshot-error.ts";
import { encodeDocument } from "./render-documents.ts";
import {
  clearLeftovers,
  removeExpired,
  type SnapshotDisk,
  STAGING_PREFIX,
  whileLocked,
} from "./snapshot-disk.ts";
import { type VersionContent, writeDurably, writeVersion } from "./write-version.ts";

/** The run and time of a new version, and who signs it. */
export interface Publication {
  readonly runId: string;
  readonly createdAtMs: number;
  /** Without it the version is not signed. */
  readonly signManifest?: SignManifest | undefined;
}

interface VersionDraft extends VersionContent {
  readonly about: Pick<Manifest, "methodology_version" | "as_of" | "sources" | "replaces" | "redacted">;
}

/** The result of a publish. `warnings` list cleanups that failed after the pointer was moved. */
export type PublishResult = Awaited<ReturnType<typeof publishVersion>>;

/**
 * Publishes the version that `prepare` drafts under the lock, durably, completely or not at all. All new versions are
 * published here. Readers switch only when the pointer is renamed. Throws `SnapshotFailure`.
 */
export async function publishVersion(
  { runId, createdAtMs, signManifest }: Publication,
  prepare: (previous: PreviousVersion | undefined) => VersionDraft | Promise<VersionDraft>,
  disk: SnapshotDisk,
) {
  await attempt("make the snapshot root", () => disk.makeRoot());
  return whileLocked(disk, async () => {
    const previous = readPreviousVersion(disk.root);
    await attempt("clear what an earlier run left", () => clearLeftovers(disk, previous?.pointer));
    const { about, ...content } = await prepare(previous);
    const staging = `${STAGING_PREFIX}${runId}`;
    try {
      const { counts, ...written } = await writeVersion(disk, staging, {
        ...content,
        previous,
        createdAtMs,
        signManifest,
        manifestBytes: (entries) =>
          manifestBytes({ ...about, ...deploymentOf(signManifest) }, entries, createdAtMs, previous),
      });
      await movePointer(disk, staging, pointerTo(written));
      const { version, manifest } = written;
      const tidied = await removeExpired(disk, version, createdAtMs);
      return { version, sequence: manifest.sequence, manifest, ...counts, ...tidied };
    } catch (error) {
      // Frees disk space; the next run clears what is left.
      await Promise.allSettled([disk.remove(staging), disk.remove(`${staging}.json`)]);
      throw error;
    }
  });
}

/** Readers load every file completely, except the index, which SQLite reads in pages. */
function bytesMaxOf(path: string): number {
  return path === PATHS.index ? FILE_BYTES_MAX : WHOLE_FILE_BYTES_MAX;
}

export function deploymentOf(signManifest: SignManifest | undefined): Pick<Manifest, "deployment"> {
  const deployment = signManifest?.deployment;
  return deployment === undefined ? {} : { deployment };
}

function manifestBytes(
  about: VersionDraft["about"] & Pick<Manifest, "deployment">,
  files: ManifestFile[],
  createdAtMs: number,
  previous: PreviousVersion | undefined,
): Buffer {
  const pointer = previous?.pointer;
  const endless = files.find(({ path, bytes }) => bytes > bytesMaxOf(path));
  if (endless !== undefined) {
    throw snapshotFailure("DOCUMENT_INVALID", `${endless.path}: is larger than readers accept`, {
      path: endless.path,
    });
  }
  const bytes = encodeDocument(PATHS.manifest, Manifest, {
    // First, because it may be the whole manifest of a version that is published again.
    ...about,
    format: FORMAT_VERSION,
    sequence: (pointer?.sequence ?? 0) + 1,
    previous: pointer === undefined ? null : { version: pointer.version, sha256: pointer.manifest.sha256 },
    created_at: timestampOf(createdAtMs),
    files,
  });
  if (bytes.length > MANIFEST_BYTES_MAX) {
    throw snapshotFailure("DOCUMENT_INVALID", `${PATHS.manifest}: is larger than readers accept`);
  }
  return bytes;
}

export function pointerTo(located: {
  readonly version: string;
  readonly manifest: Manifest;
  readonly sha256: string;
  readonly bytes: Buffer;
}): Pointer {
  const { version, manifest, sha256, bytes } = located;
  return {
    format: manifest.format,
    sequence: manifest.sequence,
    version,
    manifest: { sha256, bytes: bytes.length },
    published_at: manifest.created_at,
  };
}

/** Moves the pointer to a version, durably and atomically; `staging` is the prefix of the temporary file. */
export async function movePointer(disk: SnapshotDisk, staging: string, pointer: Pointer): Promise<void> {
  const temporary = `${staging}.json`;
  await attempt("write the new pointer", () =>
    writeDurably(disk, temporary, encodeCanonical(Pointer, pointer)),
  );
  await attempt("move the pointer", () => disk.rename(temporary, POINTER_FILE));
  await attempt("make the move of the pointer durable (readers already see it)", () =>
    disk.syncDirectory("."),
  );
}
