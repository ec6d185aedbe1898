import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import { sha256Hex } from "../../format/canonical-json.ts";
import { VersionName } from "../../format/ids.ts";
import { MANIFEST_BYTES_MAX } from "../../format/limits.ts";
import { Manifest, type ManifestFile, type Pointer } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import { requireSignature, type TrustedKey } from "./manifest-signature.ts";
import { parseFormatted, parseJsonFile, readPointer } from "./read-pointer.ts";
import { invalidFile, SnapshotError } from "./snapshot-error.ts";
import { readCapped, readVerified } from "./verified-file.ts";

/** Which version to read, and the lowest sequence that is not a rollback. */
export interface VersionChoice {
  /** The pointer's version where absent. */
  readonly version?: string;
  /** A pointer with a lower sequence is refused with `SNAPSHOT_ROLLED_BACK`. */
  readonly sequenceMin?: number;
  /** A version that none of these keys has signed is refused with `SNAPSHOT_UNSIGNED`; absent, nobody is asked. */
  readonly trustedKeys?: readonly TrustedKey[] | undefined;
}

/** A version whose manifest is what the pointer (or its own name) says. */
export interface LocatedVersion {
  readonly version: string;
  readonly directory: string;
  readonly manifest: Manifest;
}

/** A manifest without its files, of which there may be many. */
export type ManifestHead = Omit<Manifest, "files">;

/**
 * The version asked for, its manifest verified before it is taken apart, as what is not ours may be made to cost much:
 * that of the pointer against the hash and size in the pointer, an older one against the digits of the hash in its own
 * name. Throws `SnapshotError`.
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

/** A version by its own name alone, its manifest verified against the digits of the hash in it; throws `SnapshotError`. */
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

/** The manifest in a directory, with the hash of its bytes: within its size, of its shape, no path twice. */
export function readManifest(directory: string) {
  const { bytes, sha256 } = readManifestBytes(directory);
  return { manifest: parseManifest(bytes), sha256 };
}

/** A manifest of its shape that names each path once, in their order; throws `SnapshotError`. */
export function parseManifest(bytes: Buffer): Manifest {
  const manifest = parseFormatted(PATHS.manifest, bytes, Manifest);
  let before = "";
  for (const { path } of manifest.files) {
    if (path === before) throw manifestInvalid("names a file twice");
    if (path < before) throw manifestInvalid("does not name its files in the order of their paths");
    before = path;
  }
  return manifest;
}

/** What is wrong with a manifest. */
export const manifestInvalid = (message: string): SnapshotError => invalidFile(PATHS.manifest, message);

/** The folder of a version; throws `SnapshotError` where there is none of that name. */
export function versionDirectory(root: string, version: string): string {
  const isVersion = VersionName.safeParse(version).success;
  const directory = join(root, isVersion ? version : ".");
  if (!isVersion || !isFolder(directory)) {
    throw new SnapshotError("SNAPSHOT_MISSING", "there is no such version under the snapshot root", {
      path: PATHS.manifest,
    });
  }
  return directory;
}

/** A link is no version: it could lead out of the root. What the system refuses to look at is none either. */
function isFolder(path: string): boolean {
  try {
    return lstatSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Hex digits of a manifest's hash that end the name of its version. */
export const VERSION_HASH_DIGITS = 8;

/** Refuses a pointer that names something older than what was seen before. */
export function refuseRollback(pointer: Pointer, sequenceMin = 0): void {
  if (pointer.sequence >= sequenceMin) return;
  throw new SnapshotError(
    "SNAPSHOT_ROLLED_BACK",
    `the pointer's sequence ${pointer.sequence} is below ${sequenceMin}, which was seen before`,
  );
}

/** Refuses a manifest that is not the one its version is named after. */
export function assertNamed(version: string, { sha256 }: { readonly sha256: string }): void {
  if (version.endsWith(`-${sha256.slice(0, VERSION_HASH_DIGITS)}`)) return;
  throw manifestInvalid("does not have the hash its version is named after");
}

/** Refuses the bytes of a manifest that the pointer does not speak of, before they are taken apart. */
export function assertSealed(
  pointer: Pointer,
  { sha256, bytes }: ReturnType<typeof readManifestBytes>,
): void {
  if (bytes.length !== pointer.manifest.bytes)
    throw manifestInvalid("does not have the size the pointer says");
  if (sha256 !== pointer.manifest.sha256) throw manifestInvalid("does not have the hash the pointer says");
}

/** Refuses a manifest that has the right hash and is of another publication than the pointer. */
export function assertSameMoment(pointer: Pointer, manifest: ManifestHead): void {
  if (manifest.format !== pointer.format) throw manifestInvalid("is of another format than the pointer");
  if (manifest.sequence !== pointer.sequence) throw manifestInvalid("has another sequence than the pointer");
  if (manifest.created_at !== pointer.published_at)
    throw manifestInvalid("has another time than the pointer");
}

/** What the manifest says of one file; throws `SnapshotError` where it does not name it. */
export function manifestFile(manifest: Manifest, path: string): ManifestFile {
  const file = findFile(manifest, path);
  if (file === undefined) throw manifestInvalid(`does not name ${path}`);
  return file;
}

/** Halves the list, which is in the order of paths: whoever reads a version asks for each of hundreds of thousands. */
function findFile({ files }: Manifest, path: string): ManifestFile | undefined {
  let [from, to] = [0, files.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((files[middle]?.path ?? "") < path) from = middle + 1;
    else to = middle;
  }
  return files[from]?.path === path ? files[from] : undefined;
}

type Files = Pick<LocatedVersion, "directory" | "manifest">;

/** A JSON document of a version, verified by hash and of its shape; throws `SnapshotError`. */
export function readDocument<Shape extends z.ZodType>(
  { directory, manifest }: Files,
  path: string,
  shape: Shape,
): z.output<Shape> {
  return parseJsonFile(path, readVerified(directory, manifestFile(manifest, path)), shape);
}

/** The same, or undefined where the version has no such file. */
export const findDocument = <Shape extends z.ZodType>(located: Files, path: string, shape: Shape) =>
  findFile(located.manifest, path) === undefined ? undefined : readDocument(located, path, shape);

/** Looks at the signature a version carries: by one of the keys, none, or one that none of them gave. */
export function carriedSignature(
  { directory }: LocatedVersion,
  trustedKeys: readonly TrustedKey[],
): "trusted" | "none" | "untrusted" {
  if (!existsSync(join(directory, PATHS.signature))) return "none";
  const { bytes } = readManifestBytes(directory);
  try {
    requireSignature(directory, bytes, trustedKeys);
    return "trusted";
  } catch (error) {
    if (error instanceof SnapshotError && error.code === "SNAPSHOT_UNSIGNED") return "untrusted";
    throw error;
  }
}

/** Whose versions may be made current again. */
export interface SignatureRule {
  /** A version that none of these keys has signed is refused with `SNAPSHOT_UNSIGNED`; absent, nobody is asked. */
  readonly trustedKeys?: readonly TrustedKey[] | undefined;
  /** Takes one that has no signature at all. One that somebody else signed is never taken. */
  readonly allowsUnsigned?: boolean;
}

/**
 * Refuses a version that nobody vouches for. To sign it anew, or to point at it, would vouch for what somebody else may
 * have written: who can write here can also take a signature away.
 */
export function assertVouchedFor(
  located: LocatedVersion,
  { trustedKeys, allowsUnsigned = false }: SignatureRule,
  whatIs: Readonly<Record<"none" | "untrusted", string>>,
): void {
  if (trustedKeys === undefined) return;
  const carried = carriedSignature(located, trustedKeys);
  if (carried === "trusted" || (carried === "none" && allowsUnsigned)) return;
  throw new SnapshotError("SNAPSHOT_UNSIGNED", whatIs[carried], { path: PATHS.signature });
}
