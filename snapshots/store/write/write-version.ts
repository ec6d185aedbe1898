import { dirname, join } from "node:path";
import { sha256Hex } from "../../format/canonical-json.ts";
import { timestampOf } from "../../format/ids.ts";
import type { Manifest, ManifestFile } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import { type PreviousVersion, versionHolding } from "../read/kept-versions.ts";
import { readManifest, VERSION_HASH_DIGITS } from "../read/locate-version.ts";
import type { SignManifest } from "../read/manifest-signature.ts";
import { openIndex } from "../read/open-index.ts";
import { attempt, invalidFile, refusalOf, SnapshotError } from "../read/snapshot-error.ts";
import { fileProblem, forEachInFlight, readVerified, unnamedProblems } from "../read/verified-file.ts";
import type { LargeFile, RenderedFile } from "./render-documents.ts";
import type { SnapshotDisk } from "./snapshot-disk.ts";

/** Files written and flushed at a time; three times faster than one by one where this was measured. */
const FILES_IN_FLIGHT = 64;

/** A larger file is read back a piece at a time. */
const READ_WHOLE_BYTES_MAX = 8 * 1024 * 1024;

/** What a version is written from. */
interface VersionContent {
  /** Wall time, for its name. */
  readonly createdAtMs: number;
  /** Taken as they are written, and let go of then. */
  readonly files: Iterable<RenderedFile | LargeFile> | AsyncIterable<RenderedFile | LargeFile>;
  /** Files that stay what they are in a kept version; linked from there, or copied where links fail. */
  readonly kept?: { readonly version: string; readonly entries: readonly ManifestFile[] } | undefined;
  /** Where a file of the same bytes may be linked from. */
  readonly previous: PreviousVersion | undefined;
  /** Asked for once all other files are written, with all of them in the order of their paths. */
  readonly manifestBytes: (files: ManifestFile[]) => Buffer;
  readonly signManifest: SignManifest | undefined;
}

/** Writes a version whole and verifies it before it gets its name; nobody reads it before the pointer moves. */
export async function writeVersion(disk: SnapshotDisk, staging: string, content: VersionContent) {
  const { counts, bytes } = await attempt("write the files of the version", () =>
    stageFiles(disk, staging, content),
  );
  const sha256 = sha256Hex(bytes);
  const version = versionName(content.createdAtMs, sha256);
  const manifest = await readBack(join(disk.root, staging), sha256);
  await nameVersion(disk, staging, version);
  return { version, manifest, sha256, bytes, counts };
}

/** Writes every file into `staging` (linked where the same bytes lie already), then flushes each folder once. */
async function stageFiles(disk: SnapshotDisk, staging: string, content: VersionContent) {
  const counts = { filesWritten: 0, filesLinked: 0, bytesWritten: 0 };
  const folders = foldersUnder(disk, staging);
  const entries: ManifestFile[] = [];
  const write = async (path: string, bytes: FileBytes): Promise<void> => {
    counts.bytesWritten += await writeDurably(disk, `${staging}/${path}`, bytes);
    counts.filesWritten += 1;
  };
  await folders.make(".");
  await forEachInFlight(jobsOf(disk, content), FILES_IN_FLIGHT, async ({ entry, from, read }) => {
    entries.push(entry);
    await folders.make(dirname(entry.path));
    if (from !== undefined && (await isLinked(disk, from, staging, entry))) counts.filesLinked += 1;
    else await write(entry.path, read());
  });
  const bytes = content.manifestBytes(entries.toSorted((a, b) => (a.path < b.path ? -1 : 1)));
  await write(PATHS.manifest, bytes);
  const signature = content.signManifest?.(bytes);
  if (signature !== undefined) await write(PATHS.signature, signature);
  for (const folder of folders.names()) await disk.syncDirectory(join(staging, folder));
  return { counts, bytes };
}

/** Each file with where the same bytes may lie already, and how to get them where they do not. */
async function* jobsOf(disk: SnapshotDisk, { files, kept, previous }: VersionContent) {
  for await (const { entry, bytes } of files) {
    yield { entry, from: versionHolding(previous, entry), read: () => bytes };
  }
  if (kept === undefined) return;
  for (const entry of kept.entries) {
    const from = versionHolding(previous, entry) ?? kept.version;
    yield { entry, from, read: () => readVerified(join(disk.root, kept.version), entry) };
  }
}

async function isLinked(disk: SnapshotDisk, from: string, to: string, entry: ManifestFile): Promise<boolean> {
  try {
    // Read first: to link a file that has rotted would carry the damage into every later version.
    readVerified(join(disk.root, from), entry);
    await disk.link(`${from}/${entry.path}`, `${to}/${entry.path}`);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error) return false;
    throw error;
  }
}

/** Folders below one that is being filled, each made when the first file needs it. */
export function foldersUnder(disk: Pick<SnapshotDisk, "makeDirectory">, staging: string) {
  const made = new Map<string, Promise<void>>();
  const make = (folder: string): Promise<void> => {
    const known = made.get(folder);
    if (known !== undefined) return known;
    const making = (folder === "." ? Promise.resolve() : make(dirname(folder))).then(() =>
      disk.makeDirectory(join(staging, folder)),
    );
    made.set(folder, making);
    return making;
  };
  return { make, names: (): readonly string[] => [...made.keys()].toSorted() };
}

/** What is written as one file. */
type FileBytes = (RenderedFile | LargeFile)["bytes"];

/** Makes one new file, whole and flushed before its descriptor closes; answers how many bytes it holds. */
export async function writeDurably(disk: SnapshotDisk, path: string, bytes: FileBytes): Promise<number> {
  const file = await disk.create(path);
  let size = 0;
  try {
    // Not asked of Buffer: what a thread made is a bare array of bytes here.
    for (const piece of bytes instanceof Uint8Array ? [bytes] : bytes) {
      await file.write(piece);
      size += piece.length;
    }
    await file.sync();
    return size;
  } finally {
    await file.close();
  }
}

/** Reads a staged version back as a reader would, before it gets its name; throws `PUBLISH_FAILED`. */
async function readBack(directory: string, sha256: string): Promise<Manifest> {
  try {
    const { manifest, sha256: found } = readManifest(directory);
    // One after the other on this thread: thousands of small files cost eight times as much through a pool. The index
    // may be too large to be read whole, and is verified where it is opened.
    for (const file of manifest.files) {
      if (file.path === PATHS.index) continue;
      if (file.bytes <= READ_WHOLE_BYTES_MAX) readVerified(directory, file);
      else {
        const wrong = await fileProblem(directory, file);
        if (wrong !== undefined) throw refusalOf(wrong);
      }
    }
    const [problem] = unnamedProblems(directory, manifest);
    if (problem !== undefined) throw refusalOf(problem);
    if (found !== sha256) throw invalidFile(PATHS.manifest, "does not have the SHA-256 expected");
    (await openIndex(directory, manifest)).close();
    return manifest;
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    // Nothing is published yet: what is wrong is this run, and not a version that anybody could look at.
    const message = `what was written does not read back: ${error.message}`;
    throw new SnapshotError("PUBLISH_FAILED", message, { cause: error });
  }
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
