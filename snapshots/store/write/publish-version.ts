import { join } from "node:path";
import { encodeCanonical, sha256Hex } from "../../format/canonical-json.ts";
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
import { VERSION_HASH_DIGITS } from "../read/locate-version.ts";
import type { SignManifest } from "../read/manifest-signature.ts";
import { POINTER_FILE } from "../read/read-pointer.ts";
import { attempt, SnapshotError } from "../read/snapshot-error.ts";
import { encodeDocument, type RenderedFile } from "./render-documents.ts";
import {
  clearLeftovers,
  removeExpired,
  type SnapshotDisk,
  STAGING_PREFIX,
  whileLocked,
} from "./snapshot-disk.ts";
import {
  type StagedContent,
  type StagedCounts,
  type StagedFile,
  stageVersion,
  verifyStaged,
  writeDurably,
} from "./stage-version.ts";

/** When a version is made, under what name until it has its own, and who vouches for it. */
export interface Publication {
  readonly runId: string;
  /** Wall time: the version's name and `created_at`. */
  readonly createdAtMs: number;
  /** Without it the version is not signed. */
  readonly signManifest?: SignManifest | undefined;
}

/** A version that is ready to be written: its files, and what the manifest says beside them. */
export interface VersionDraft {
  readonly about: Pick<Manifest, "methodology_version" | "as_of" | "sources" | "replaces" | "redacted">;
  /** Taken once, one after the other: they may be made on the way. */
  readonly files: Iterable<RenderedFile>;
  /** Files that stay what they are in a kept version; linked from there, or copied where links fail. */
  readonly kept?: { readonly version: string; readonly entries: readonly ManifestFile[] };
}

/** What was published. `warnings` name what could not be tidied up after the pointer had moved. */
export interface PublishResult extends StagedCounts {
  readonly version: string;
  readonly sequence: number;
  readonly manifest: Manifest;
  readonly removed: readonly string[];
  readonly warnings: readonly string[];
}

/** Readers take every file whole but the index, which SQLite pages through. */
function bytesMaxOf(path: string): number {
  return path === PATHS.index ? FILE_BYTES_MAX : WHOLE_FILE_BYTES_MAX;
}

function manifestBytes(
  { about }: VersionDraft,
  entries: readonly ManifestFile[],
  createdAtMs: number,
  previous: PreviousVersion | undefined,
): Buffer {
  const pointer = previous?.pointer;
  const { methodology_version, as_of, sources, replaces, redacted } = about;
  const endless = entries.find(({ path, bytes }) => bytes > bytesMaxOf(path));
  if (endless !== undefined) {
    throw new SnapshotError("DOCUMENT_INVALID", `${endless.path}: is larger than any reader would read`, {
      path: endless.path,
    });
  }
  const bytes = encodeDocument(PATHS.manifest, Manifest, {
    format: FORMAT_VERSION,
    methodology_version,
    sequence: (pointer?.sequence ?? 0) + 1,
    previous: pointer === undefined ? null : { version: pointer.version, sha256: pointer.manifest.sha256 },
    replaces,
    created_at: timestampOf(createdAtMs),
    as_of,
    sources,
    redacted,
    files: entries.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  });
  if (bytes.length > MANIFEST_BYTES_MAX) {
    throw new SnapshotError("DOCUMENT_INVALID", `${PATHS.manifest}: is larger than any reader would read`);
  }
  return bytes;
}

/** A version that is written whole and verified under its own name; nobody reads it before the pointer moves. */
export async function writeVersion(
  disk: SnapshotDisk,
  staging: string,
  content: Omit<StagedContent, "seal"> & {
    readonly createdAtMs: number;
    readonly signManifest: SignManifest | undefined;
    /** Asked for once all files are written. */
    readonly manifestBytes: () => Buffer;
  },
): Promise<{
  readonly version: string;
  readonly manifest: Manifest;
  readonly sha256: string;
  readonly bytes: number;
  readonly counts: StagedCounts;
}> {
  let bytes: Buffer = Buffer.alloc(0);
  const seal = (): readonly StagedFile[] => {
    bytes = content.manifestBytes();
    const manifest = stagedFile(PATHS.manifest, bytes);
    const signature = content.signManifest?.(bytes);
    return signature === undefined ? [manifest] : [manifest, stagedFile(PATHS.signature, signature)];
  };
  const counts = await attempt("write the files of the version", () =>
    stageVersion(disk, staging, { ...content, seal }),
  );
  const { entry } = stagedFile(PATHS.manifest, bytes);
  const version = versionName(content.createdAtMs, entry.sha256);
  await verifyStaged(join(disk.root, staging), entry);
  await nameVersion(disk, staging, version);
  const manifest = Manifest.parse(JSON.parse(bytes.toString("utf8")));
  return { version, manifest, sha256: entry.sha256, bytes: entry.bytes, counts };
}

/** `20261121T060000Z-3f9ac2d1`: UTC time of the run, then the first digits of the manifest's hash. */
export function versionName(createdAtMs: number, manifestSha256: string): string {
  const time = timestampOf(createdAtMs)
    .replace(/\.\d{3}Z$/, "Z")
    .replaceAll(/[-:]/g, "");
  return `${time}-${manifestSha256.slice(0, VERSION_HASH_DIGITS)}`;
}

/** Gives a staged version its name, durably; nobody reads it before the pointer moves. */
export async function nameVersion(disk: SnapshotDisk, staging: string, version: string): Promise<void> {
  await attempt("name the version", () => disk.rename(staging, version));
  await attempt("make the name of the version durable", () => disk.syncDirectory("."));
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

function stagedFile(path: string, bytes: Buffer): StagedFile {
  return { entry: { path, bytes: bytes.length, sha256: sha256Hex(bytes) }, bytes };
}

/** The files as they are taken, each noted for the manifest. */
function* noting(files: Iterable<RenderedFile>, entries: ManifestFile[]): Generator<RenderedFile> {
  for (const file of files) {
    entries.push(file.entry);
    yield file;
  }
}

async function publishLocked(
  { runId, createdAtMs, signManifest }: Publication,
  prepare: (previous: PreviousVersion | undefined) => VersionDraft | Promise<VersionDraft>,
  disk: SnapshotDisk,
): Promise<PublishResult> {
  const previous = readPreviousVersion(disk.root);
  await attempt("clear what an earlier run left", () => clearLeftovers(disk, previous?.pointer));
  const draft = await prepare(previous);
  const staging = `${STAGING_PREFIX}${runId}`;
  try {
    const entries = [...(draft.kept?.entries ?? [])];
    const written = await writeVersion(disk, staging, {
      files: noting(draft.files, entries),
      kept: draft.kept,
      previous,
      createdAtMs,
      signManifest,
      manifestBytes: () => manifestBytes(draft, entries, createdAtMs, previous),
    });
    const { version, manifest, counts } = written;
    await movePointer(disk, staging, {
      format: FORMAT_VERSION,
      sequence: manifest.sequence,
      version,
      manifest: { sha256: written.sha256, bytes: written.bytes },
      published_at: manifest.created_at,
    });
    const tidied = await removeExpired(disk, version, createdAtMs);
    return { version, sequence: manifest.sequence, manifest, ...counts, ...tidied };
  } catch (error) {
    // Only to give the space back; the next run clears what this cannot.
    await Promise.allSettled([disk.remove(staging), disk.remove(`${staging}.json`)]);
    throw error;
  }
}

/**
 * The one durable way to a new version: whatever `prepare` drafts under the lock is published whole or not at all.
 * Readers switch when the pointer is renamed, and only there; throws `SnapshotError`.
 */
export async function publishVersion(
  publication: Publication,
  prepare: (previous: PreviousVersion | undefined) => VersionDraft | Promise<VersionDraft>,
  disk: SnapshotDisk,
): Promise<PublishResult> {
  await attempt("make the snapshot root", () => disk.makeRoot());
  return whileLocked(disk, () => publishLocked(publication, prepare, disk));
}
