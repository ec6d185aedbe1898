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
import { attempt, SnapshotError } from "../read/snapshot-error.ts";
import { encodeDocument, type LargeFile, type RenderedFile } from "./render-documents.ts";
import {
  clearLeftovers,
  removeExpired,
  type SnapshotDisk,
  STAGING_PREFIX,
  whileLocked,
} from "./snapshot-disk.ts";
import { writeDurably, writeVersion } from "./write-version.ts";

/** When a version is made, under what name until it has its own, and who vouches for it. */
export interface Publication {
  readonly runId: string;
  /** Wall time: the version's name and `created_at`. */
  readonly createdAtMs: number;
  /** Without it the version is not signed. */
  readonly signManifest?: SignManifest | undefined;
}

/** A version that is ready to be written: its files, and what the manifest says beside them. */
interface VersionDraft {
  readonly about: Pick<Manifest, "methodology_version" | "as_of" | "sources" | "replaces" | "redacted">;
  /** Taken once, one after the other: they may be made on the way. */
  readonly files: Iterable<RenderedFile | LargeFile> | AsyncIterable<RenderedFile | LargeFile>;
  /** Files that stay what they are in a kept version; linked from there, or copied where links fail. */
  readonly kept?: { readonly version: string; readonly entries: readonly ManifestFile[] };
}

/** What was published. `warnings` name what could not be tidied up after the pointer had moved. */
export type PublishResult = Awaited<ReturnType<typeof publishVersion>>;

/**
 * The one durable way to a new version: whatever `prepare` drafts under the lock is published whole or not at all.
 * Readers switch when the pointer is renamed, and only there; throws `SnapshotError`.
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
    const { about, files, kept } = await prepare(previous);
    const staging = `${STAGING_PREFIX}${runId}`;
    try {
      const { counts, ...written } = await writeVersion(disk, staging, {
        files,
        kept,
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
      // Only to give the space back; the next run clears what this cannot.
      await Promise.allSettled([disk.remove(staging), disk.remove(`${staging}.json`)]);
      throw error;
    }
  });
}

/** Readers take every file whole but the index, which SQLite pages through. */
function bytesMaxOf(path: string): number {
  return path === PATHS.index ? FILE_BYTES_MAX : WHOLE_FILE_BYTES_MAX;
}

/** What a manifest says of the deployment that its signature is for. */
export function deploymentOf(signManifest: SignManifest | undefined): Pick<Manifest, "deployment"> {
  const deployment = signManifest?.deployment;
  return deployment === undefined ? {} : { deployment };
}

function manifestBytes(
  {
    deployment,
    methodology_version,
    as_of,
    sources,
    replaces,
    redacted,
  }: VersionDraft["about"] & Pick<Manifest, "deployment">,
  files: ManifestFile[],
  createdAtMs: number,
  previous: PreviousVersion | undefined,
): Buffer {
  const pointer = previous?.pointer;
  const endless = files.find(({ path, bytes }) => bytes > bytesMaxOf(path));
  if (endless !== undefined) {
    throw new SnapshotError("DOCUMENT_INVALID", `${endless.path}: is larger than readers accept`, {
      path: endless.path,
    });
  }
  const bytes = encodeDocument(PATHS.manifest, Manifest, {
    format: FORMAT_VERSION,
    ...(deployment === undefined ? {} : { deployment }),
    methodology_version,
    sequence: (pointer?.sequence ?? 0) + 1,
    previous: pointer === undefined ? null : { version: pointer.version, sha256: pointer.manifest.sha256 },
    replaces,
    created_at: timestampOf(createdAtMs),
    as_of,
    sources,
    redacted,
    files,
  });
  if (bytes.length > MANIFEST_BYTES_MAX) {
    throw new SnapshotError("DOCUMENT_INVALID", `${PATHS.manifest}: is larger than readers accept`);
  }
  return bytes;
}

/** The pointer to a version by its manifest and the bytes of that. */
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

/** Points readers at a version, durably and in one step; `staging` names what is there until then. */
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
