import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { sha256Hex } from "../../format/canonical-json.ts";
import { VersionName } from "../../format/ids.ts";
import { MANIFEST_BYTES_MAX } from "../../format/limits.ts";
import { Manifest, type ManifestFile, type Pointer } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import { requireSignature, type TrustedKey } from "./manifest-signature.ts";
import { parseFormatted, readPointer } from "./read-pointer.ts";
import { invalidFile, readable, type SnapshotFailure, snapshotFailure } from "./snapshot-error.ts";
import { readCapped } from "./verified-file.ts";

/** Which version to read, and the lowest sequence that is not a rollback. */
export interface VersionChoice {
  /** By default the pointer's version. */
  readonly version?: string | undefined;
  /** A pointer with a lower sequence is refused with `SNAPSHOT_ROLLED_BACK`. */
  readonly sequenceMin?: number | undefined;
  /** A version that none of these keys has signed is refused with `SNAPSHOT_UNSIGNED`; absent: none has to be signed. */
  readonly trustedKeys?: readonly TrustedKey[] | undefined;
}

/** A version whose manifest was verified against the pointer or against its own name. */
export interface LocatedVersion {
  readonly version: string;
  readonly directory: string;
  readonly manifest: Manifest;
}

/** A manifest without its files, of which there may be many. */
export type ManifestHead = Omit<Manifest, "files">;

/**
 * Finds a version and verifies its manifest before parsing it, because parsing a forged one could be expensive: that of
 * the current version against the hash and size in the pointer, an older one against the hash digits in its own name.
 * Throws `SnapshotFailure`.
 */
export function locateVersion(root: string, choice: VersionChoice = {}): LocatedVersion {
  const pointer = readPointer(root);
  refuseRollback(pointer, choice.sequenceMin);
  const version = choice.version ?? pointer.version;
  const { directory, ...named } = readNamed(root, version);
  const isCurrent = version === pointer.version;
  if (isCurrent) assertSealed(pointer, named);
  if (choice.trustedKeys !== undefined) requireSignature(directory, named.bytes, choice.trustedKeys);
  const manifest = parseManifest(named.bytes);
  if (isCurrent) assertSameMoment(pointer, manifest);
  return { version, directory, manifest };
}

/** Finds a version by its name, with its manifest verified only against the hash digits in it; throws `SnapshotFailure`. */
export function locateByName(root: string, version: string): LocatedVersion & ReturnType<typeof readNamed> {
  const named = readNamed(root, version);
  return { version, ...named, manifest: parseManifest(named.bytes) };
}

function readNamed(root: string, version: string) {
  const directory = versionDirectory(root, version);
  const manifest = readManifestBytes(directory);
  assertNamed(version, manifest);
  return { directory, ...manifest };
}

function readManifestBytes(directory: string) {
  const bytes = readCapped(directory, PATHS.manifest, MANIFEST_BYTES_MAX);
  return { sha256: sha256Hex(bytes), bytes };
}

/** Reads the manifest in a directory, with the hash of its bytes; checks size, shape and order of paths. */
export function readManifest(directory: string) {
  const { bytes, sha256 } = readManifestBytes(directory);
  return { manifest: parseManifest(bytes), sha256 };
}

/** Parses a manifest and checks that its paths ascend without duplicates; throws `SnapshotFailure`. */
export function parseManifest(bytes: Buffer): Manifest {
  const manifest = parseFormatted(PATHS.manifest, bytes, Manifest);
  let before = "";
  for (const { path } of manifest.files) {
    if (path === before) throw manifestInvalid("names a file twice");
    if (path < before) throw manifestInvalid("does not list its files in the order of paths");
    before = path;
  }
  return manifest;
}

export const manifestInvalid = (message: string): SnapshotFailure => invalidFile(PATHS.manifest, message);

/** The folder of a version; throws `SnapshotFailure` if there is none. */
export function versionDirectory(root: string, version: string): string {
  const isVersion = VersionName.safeParse(version).success;
  const directory = join(root, isVersion ? version : ".");
  if (!isVersion || !isFolder(directory)) {
    throw snapshotFailure("SNAPSHOT_MISSING", "there is no such version under the snapshot root", {
      path: PATHS.manifest,
    });
  }
  return directory;
}

/** Whether a path is a folder; false for links, which could lead out of the root, and for unreadable paths. */
function isFolder(path: string): boolean {
  try {
    return lstatSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Number of hex digits of the manifest's hash at the end of a version's name. */
export const VERSION_HASH_DIGITS = 8;

export function refuseRollback(pointer: Pointer, sequenceMin = 0): void {
  if (pointer.sequence >= sequenceMin) return;
  throw snapshotFailure(
    "SNAPSHOT_ROLLED_BACK",
    `the pointer's sequence ${pointer.sequence} is below ${sequenceMin}, which was seen before`,
  );
}

/** Refuses a manifest whose hash is not in the name of its version. */
export function assertNamed(version: string, { sha256 }: { readonly sha256: string }): void {
  if (version.endsWith(`-${sha256.slice(0, VERSION_HASH_DIGITS)}`)) return;
  throw manifestInvalid("does not have the hash its version is named after");
}

/** Refuses manifest bytes without the size and hash in the pointer, before they are parsed. */
export function assertSealed(
  pointer: Pointer,
  { sha256, bytes }: ReturnType<typeof readManifestBytes>,
): void {
  if (bytes.length !== pointer.manifest.bytes) throw manifestInvalid("does not have the size in the pointer");
  if (sha256 !== pointer.manifest.sha256) throw manifestInvalid("does not have the hash in the pointer");
}

/** Refuses a manifest that has the right hash but belongs to another publication than the pointer. */
export function assertSameMoment(pointer: Pointer, manifest: ManifestHead): void {
  if (manifest.sequence !== pointer.sequence) throw manifestInvalid("has another sequence than the pointer");
  if (manifest.created_at !== pointer.published_at)
    throw manifestInvalid("has another time than the pointer");
}

/** Like `findFile`, but throws `SnapshotFailure` if there is none. */
export function manifestFile(manifest: Manifest, path: string): ManifestFile {
  const file = findFile(manifest, path);
  if (file === undefined) throw manifestInvalid(`does not name ${path}`);
  return file;
}

/** The manifest's entry of one file, by binary search: readers look up each of hundreds of thousands of files. */
export function findFile({ files }: Manifest, path: string): ManifestFile | undefined {
  let [from, to] = [0, files.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((files[middle]?.path ?? "") < path) from = middle + 1;
    else to = middle;
  }
  return files[from]?.path === path ? files[from] : undefined;
}

/** Whether a version is signed: by a trusted key, not at all, or only by an untrusted key. */
export function signatureStatus(
  { directory }: LocatedVersion,
  trustedKeys: readonly TrustedKey[],
): "trusted" | "none" | "untrusted" {
  if (!existsSync(join(directory, PATHS.signature))) return "none";
  const { bytes } = readManifestBytes(directory);
  return readable(() => requireSignature(directory, bytes, trustedKeys)) ? "trusted" : "untrusted";
}

/** Which signatures allow a version to become current again. */
export interface SignatureRule extends Pick<VersionChoice, "trustedKeys"> {
  /** Accepts a version without any signature, but never one that is signed only by an untrusted key. */
  readonly allowsUnsigned?: boolean;
}

/**
 * Refuses a version without a trusted signature. Signing or publishing it again would vouch for content that somebody
 * else may have written, because anybody with write access can also remove a signature.
 */
export function assertVouchedFor(
  located: LocatedVersion,
  { trustedKeys, allowsUnsigned = false }: SignatureRule,
  messages: Readonly<Record<"none" | "untrusted", string>>,
): void {
  if (trustedKeys === undefined) return;
  const status = signatureStatus(located, trustedKeys);
  if (status === "trusted" || (status === "none" && allowsUnsigned)) return;
  throw snapshotFailure("SNAPSHOT_UNSIGNED", messages[status], { path: PATHS.signature });
}
