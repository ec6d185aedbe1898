import { dirname, join } from "node:path";
import { forEachInFlight } from "../../base/concurrency.ts";
import { sha256Hex } from "../../format/canonical-json.ts";
import { timestampOf } from "../../format/ids.ts";
import type { Manifest, ManifestFile } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import { type PreviousVersion, versionHolding } from "../read/kept-versions.ts";
import { readManifest, VERSION_HASH_DIGITS } from "../read/locate-version.ts";
import type { SignManifest } from "../read/manifest-signature.ts";
import { openIndex } from "../read/open-index.ts";
import {
  attempt,
  invalidFile,
  isSnapshotFailure,
  refusalOf,
  snapshotFailure,
} from "../read/snapshot-error.ts";
import { readVerified, unnamedProblems } from "../read/verified-file.ts";
import type { RenderedFile } from "./render-documents.ts";
import type { SnapshotDisk } from "./snapshot-disk.ts";

/** Concurrent writes with flush; measured three times faster than one by one. */
const FILES_IN_FLIGHT = 64;

/** The files of a new version, before its manifest. */
export interface VersionContent {
  /** Iterated once, while they are written, and not kept; they may be made lazily. */
  readonly files: Iterable<RenderedFile> | AsyncIterable<RenderedFile>;
  /** Files that are identical in a kept version: linked to it, or copied if links fail. */
  readonly kept?: { readonly version: string; readonly entries: readonly ManifestFile[] };
}

interface VersionPlan extends VersionContent {
  readonly createdAtMs: number;
  /** Files with the same bytes are linked to this version. */
  readonly previous: PreviousVersion | undefined;
  /** Called once after all other files are written, with these sorted by path. */
  readonly manifestBytes: (files: ManifestFile[]) => Buffer;
  readonly signManifest: SignManifest | undefined;
}

/** Writes a version and verifies it before it gets its name; nobody reads it before the pointer is moved. */
export async function writeVersion(disk: SnapshotDisk, staging: string, content: VersionPlan) {
  const { counts, bytes } = await attempt("write the files of the version", () =>
    stageFiles(disk, staging, content),
  );
  const sha256 = sha256Hex(bytes);
  const version = versionName(content.createdAtMs, sha256);
  const manifest = await readBack(join(disk.root, staging), sha256);
  await nameVersion(disk, staging, version);
  return { version, manifest, sha256, bytes, counts };
}

/** Writes or links every file into `staging`, then flushes each folder once. */
async function stageFiles(disk: SnapshotDisk, staging: string, content: VersionPlan) {
  const counts = { filesWritten: 0, filesLinked: 0, bytesWritten: 0 };
  const folders = foldersUnder(disk, staging);
  const entries: ManifestFile[] = [];
  const write = async (path: string, bytes: Buffer): Promise<void> => {
    await writeDurably(disk, `${staging}/${path}`, bytes);
    counts.bytesWritten += bytes.length;
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

async function* jobsOf(disk: SnapshotDisk, { files, kept, previous }: VersionPlan) {
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
    // Verified first, because a link to a damaged file would spread the damage to every later version.
    readVerified(join(disk.root, from), entry);
    await disk.link(`${from}/${entry.path}`, `${to}/${entry.path}`);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error) return false;
    throw error;
  }
}

/** Creates folders in a staging folder, each when its first file needs it. */
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

export async function writeDurably(disk: SnapshotDisk, path: string, bytes: Buffer): Promise<void> {
  const file = await disk.create(path);
  try {
    await file.write(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Reads a staged version back like a reader; throws `PUBLISH_FAILED`. */
async function readBack(directory: string, sha256: string): Promise<Manifest> {
  try {
    const { manifest, sha256: sha256OnDisk } = readManifest(directory);
    // Sequential and synchronous, because thousands of small files take eight times as long with a pool. The index may be
    // too large for memory, and is verified when it is opened.
    for (const file of manifest.files) {
      if (file.path !== PATHS.index) readVerified(directory, file);
    }
    const [problem] = unnamedProblems(directory, manifest);
    if (problem !== undefined) throw refusalOf(problem);
    if (sha256OnDisk !== sha256) throw invalidFile(PATHS.manifest, "does not have the SHA-256 expected");
    (await openIndex(directory, manifest)).close();
    return manifest;
  } catch (error) {
    if (!isSnapshotFailure(error)) throw error;
    // Nothing is published yet, so this run has failed, and no published version is damaged.
    const message = `the written version does not read back: ${error.message}`;
    throw snapshotFailure("PUBLISH_FAILED", message, { cause: error });
  }
}

/** The name of a version: UTC time and the first digits of the manifest's hash, as `20261121T060000Z-3f9ac2d1`. */
export function versionName(createdAtMs: number, manifestSha256: string): string {
  const time = timestampOf(createdAtMs)
    .replace(/\.\d{3}Z$/, "Z")
    .replaceAll(/[-:]/g, "");
  return `${time}-${manifestSha256.slice(0, VERSION_HASH_DIGITS)}`;
}

/** Renames a staged version to its final name, durably; nobody reads it before the pointer is moved. */
export async function nameVersion(disk: SnapshotDisk, staging: string, version: string): Promise<void> {
  await attempt("name the version", () => disk.rename(staging, version));
  await attempt("make the name of the version durable", () => disk.syncDirectory("."));
}
