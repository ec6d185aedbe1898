import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { sha256Hex } from "../../format/canonical-json.ts";
import { VersionName } from "../../format/ids.ts";
import { MANIFEST_BYTES_MAX } from "../../format/limits.ts";
import { Manifest, type ManifestFile, type Pointer } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import { requireSignature, type TrustedKey } from "./manifest-signature.ts";
import { parseFormatted, readPointer } from "./read-pointer.ts";
import { SnapshotError } from "./snapshot-error.ts";
import { readCapped } from "./verified-file.ts";

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

/** A manifest without its files, of which there may be hundreds of thousands. */
export type ManifestHead = Omit<Manifest, "files">;

/** Hex digits of a manifest's hash that end the name of its version. */
export const VERSION_HASH_DIGITS = 8;

/** What is wrong with a manifest. */
export function manifestInvalid(message: string): SnapshotError {
  return new SnapshotError("SNAPSHOT_INVALID", `${PATHS.manifest}: ${message}`, { path: PATHS.manifest });
}

/** Each path once, in their order: so a reader that keeps none of them knows that no file is named twice. */
export function assertInOrder(before: string, path: string): void {
  if (path === before) throw manifestInvalid("names a file twice");
  if (path < before) throw manifestInvalid("does not name its files in the order of their paths");
}

/** The manifest in a directory, with the hash of its bytes: within its size, of its shape, no path twice. */
export function readManifest(directory: string): {
  readonly manifest: Manifest;
  readonly sha256: string;
  readonly bytes: Buffer;
} {
  const bytes = readCapped(directory, PATHS.manifest, MANIFEST_BYTES_MAX);
  const manifest = parseFormatted(PATHS.manifest, bytes, Manifest);
  let before = "";
  for (const { path } of manifest.files) {
    assertInOrder(before, path);
    before = path;
  }
  return { manifest, sha256: sha256Hex(bytes), bytes };
}

/** What the manifest says of one file; throws `SnapshotError` where it does not name it. */
export function manifestFile(manifest: Manifest, path: string): ManifestFile {
  const file = manifest.files.find((each) => each.path === path);
  if (file === undefined) throw manifestInvalid(`does not name ${path}`);
  return file;
}

/** A link is no version: it could lead out of the root. What the system refuses to look at is none either. */
function isFolder(path: string): boolean {
  try {
    return lstatSync(path).isDirectory();
  } catch {
    return false;
  }
}

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

/** A version by its own name alone, its manifest verified against the digits of the hash in it; throws `SnapshotError`. */
export function locateByName(
  root: string,
  version: string,
): LocatedVersion & { readonly sha256: string; readonly bytes: Buffer } {
  const directory = versionDirectory(root, version);
  const { manifest, sha256, bytes } = readManifest(directory);
  assertNamed(version, { sha256 });
  return { version, directory, manifest, sha256, bytes };
}

/** Refuses a pointer that names something older than what was seen before. */
export function refuseRollback(pointer: Pointer, sequenceMin = 0): void {
  if (pointer.sequence >= sequenceMin) return;
  throw new SnapshotError(
    "SNAPSHOT_ROLLED_BACK",
    `the pointer's sequence ${pointer.sequence} is below ${sequenceMin}, which was seen before`,
  );
}

/** What is known of a manifest's bytes beside what they say. */
interface ManifestSeal {
  readonly sha256: string;
  readonly bytes: Buffer;
}

/** Refuses a manifest that is not the one its version is named after. */
export function assertNamed(version: string, { sha256 }: Pick<ManifestSeal, "sha256">): void {
  if (version.endsWith(`-${sha256.slice(0, VERSION_HASH_DIGITS)}`)) return;
  throw manifestInvalid("does not have the hash its version is named after");
}

/** Refuses the bytes of a manifest that the pointer does not speak of, before they are taken apart. */
export function assertSealed(pointer: Pointer, { sha256, bytes }: ManifestSeal): void {
  if (bytes.length !== pointer.manifest.bytes)
    throw manifestInvalid("does not have the size the pointer says");
  if (sha256 !== pointer.manifest.sha256) throw manifestInvalid("does not have the hash the pointer says");
}

/** Refuses a manifest that is not the one the pointer speaks of. */
export function assertPointed(pointer: Pointer, manifest: ManifestHead, seal: ManifestSeal): void {
  assertSealed(pointer, seal);
  if (manifest.sequence !== pointer.sequence) throw manifestInvalid("has another sequence than the pointer");
  if (manifest.created_at !== pointer.published_at)
    throw manifestInvalid("has another time than the pointer");
}

/**
 * The version asked for, its manifest verified: that of the pointer against the hash and size in the
 * pointer, an older one against the digits of the hash in its own name. Throws `SnapshotError`.
 */
export function locateVersion(root: string, choice: VersionChoice = {}): LocatedVersion {
  const pointer = readPointer(root);
  refuseRollback(pointer, choice.sequenceMin);
  const version = choice.version ?? pointer.version;
  const { directory, manifest, sha256, bytes } = locateByName(root, version);
  if (version === pointer.version) assertPointed(pointer, manifest, { sha256, bytes });
  if (choice.trustedKeys !== undefined) requireSignature(directory, bytes, choice.trustedKeys);
  return { version, directory, manifest };
}

/** What stands beside a manifest: a signature by one of the keys, none, or one that none of them gave. */
type CarriedSignature = "trusted" | "none" | "untrusted";

/** Looks at the signature a version carries. A new one for its content must not vouch for what nobody vouched for. */
export function carriedSignature(
  { directory }: LocatedVersion,
  trustedKeys: readonly TrustedKey[],
): CarriedSignature {
  if (!existsSync(join(directory, PATHS.signature))) return "none";
  try {
    requireSignature(directory, readManifest(directory).bytes, trustedKeys);
    return "trusted";
  } catch (error) {
    if (error instanceof SnapshotError && error.code === "SNAPSHOT_UNSIGNED") return "untrusted";
    throw error;
  }
}
