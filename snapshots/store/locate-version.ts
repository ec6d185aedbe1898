import { lstatSync } from "node:fs";
import { join } from "node:path";
import { sha256Hex } from "../format/canonical-json.ts";
import { VersionName } from "../format/ids.ts";
import { MANIFEST_BYTES_MAX } from "../format/limits.ts";
import { Manifest, type ManifestFile } from "../format/manifest.ts";
import { PATHS } from "../format/paths.ts";
import type { TrustedKey } from "./manifest-signature.ts";
import { parseFormatted, readPointer } from "./read-pointer.ts";
import { requireSignature } from "./require-signature.ts";
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

/** Hex digits of a manifest's hash that end the name of its version. */
export const VERSION_HASH_DIGITS = 8;

function invalid(message: string): SnapshotError {
  return new SnapshotError("SNAPSHOT_INVALID", `${PATHS.manifest}: ${message}`, { path: PATHS.manifest });
}

/** The manifest in a directory, with the hash of its bytes: within its size, of its shape, no path twice. */
export function readManifest(directory: string): {
  readonly manifest: Manifest;
  readonly sha256: string;
  readonly bytes: Buffer;
} {
  const bytes = readCapped(directory, PATHS.manifest, MANIFEST_BYTES_MAX);
  const manifest = parseFormatted(PATHS.manifest, bytes, Manifest);
  const paths = new Set(manifest.files.map((file) => file.path));
  if (paths.size !== manifest.files.length) throw invalid("names a file twice");
  return { manifest, sha256: sha256Hex(bytes), bytes };
}

/** What the manifest says of one file; throws `SnapshotError` where it does not name it. */
export function manifestFile(manifest: Manifest, path: string): ManifestFile {
  const file = manifest.files.find((each) => each.path === path);
  if (file === undefined) throw invalid(`does not name ${path}`);
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

function versionDirectory(root: string, version: string): string {
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
  if (!version.endsWith(`-${sha256.slice(0, VERSION_HASH_DIGITS)}`)) {
    throw invalid("does not have the hash its version is named after");
  }
  return { version, directory, manifest, sha256, bytes };
}

/**
 * The version asked for, its manifest verified: that of the pointer against the hash and size in the
 * pointer, an older one against the digits of the hash in its own name. Throws `SnapshotError`.
 */
export function locateVersion(root: string, choice: VersionChoice = {}): LocatedVersion {
  const pointer = readPointer(root);
  if (choice.sequenceMin !== undefined && pointer.sequence < choice.sequenceMin) {
    throw new SnapshotError(
      "SNAPSHOT_ROLLED_BACK",
      `the pointer's sequence ${pointer.sequence} is below ${choice.sequenceMin}, which was seen before`,
    );
  }
  const version = choice.version ?? pointer.version;
  const { directory, manifest, sha256, bytes } = locateByName(root, version);
  if (version === pointer.version) {
    if (bytes.length !== pointer.manifest.bytes) throw invalid("does not have the size the pointer says");
    if (sha256 !== pointer.manifest.sha256) throw invalid("does not have the hash the pointer says");
    if (manifest.sequence !== pointer.sequence) throw invalid("has another sequence than the pointer");
    if (manifest.created_at !== pointer.published_at) throw invalid("has another time than the pointer");
  }
  if (choice.trustedKeys !== undefined) requireSignature(directory, bytes, choice.trustedKeys);
  return { version, directory, manifest };
}
