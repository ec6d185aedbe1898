import { join } from "node:path";
import { MANIFEST_BYTES_MAX } from "../format/limits.ts";
import type { Manifest, ManifestFile, Pointer } from "../format/manifest.ts";
import { PATHS } from "../format/paths.ts";
import { readManifest } from "./locate-version.ts";
import { parseJson } from "./parse-json-file.ts";
import { POINTER_FILE, readPointer } from "./read-pointer.ts";
import { SnapshotError } from "./snapshot-error.ts";
import { readCapped } from "./verified-file.ts";

/** What stands under the root before this run. */
export interface PreviousVersion {
  readonly pointer: Pointer;
  /** Files that may be linked instead of written; empty where the manifest is damaged. */
  readonly files: ReadonlyMap<string, ManifestFile>;
}

function filesOf(root: string, pointer: Pointer): ReadonlyMap<string, ManifestFile> {
  try {
    const { manifest, sha256 } = readManifest(join(root, pointer.version));
    const files = sha256 === pointer.manifest.sha256 ? manifest.files : [];
    return new Map(files.map((file) => [file.path, file]));
  } catch (error) {
    // A damaged version must not keep a good one from being published; it only saves no bytes.
    if (error instanceof SnapshotError) return new Map();
    throw error;
  }
}

/** The pointer's version, or nothing before the first; throws `SnapshotError` where the pointer is damaged. */
export function readPreviousVersion(root: string): PreviousVersion | undefined {
  try {
    const pointer = readPointer(root);
    return { pointer, files: filesOf(root, pointer) };
  } catch (error) {
    if (error instanceof SnapshotError && error.code === "SNAPSHOT_MISSING") return undefined;
    throw error;
  }
}

/** A version's sequence by its own manifest, or nothing where that cannot be read. Trusted for tidying only. */
function sequenceOf(root: string, version: string): Manifest["sequence"] | undefined {
  try {
    const value = parseJson(
      PATHS.manifest,
      readCapped(join(root, version), PATHS.manifest, MANIFEST_BYTES_MAX),
    );
    const sequence =
      typeof value === "object" && value !== null && "sequence" in value ? value.sequence : undefined;
    return typeof sequence === "number" ? sequence : undefined;
  } catch (error) {
    if (error instanceof SnapshotError) return undefined;
    throw error;
  }
}

/**
 * Versions that a crash left behind: made whole, but never pointed at. Without a pointer that can only be the very
 * first, and with one only the next; anything more means that the pointer was lost or is an old one, and then nothing
 * is guessed and nothing deleted.
 */
export function abandonedVersions(
  root: string,
  versions: readonly string[],
  pointer: Pointer | undefined,
): readonly string[] {
  if (pointer !== undefined) {
    const newer = versions.filter((version) => {
      const sequence = sequenceOf(root, version);
      return version !== pointer.version && sequence !== undefined && sequence > pointer.sequence;
    });
    if (newer.length <= 1) return newer;
    throw new SnapshotError(
      "SNAPSHOT_INVALID",
      `${POINTER_FILE}: is older than ${newer.length} versions beside it; put the newer pointer back, or delete those versions`,
      { path: POINTER_FILE },
    );
  }
  if (versions.some((version) => sequenceOf(root, version) !== 1)) {
    throw new SnapshotError(
      "SNAPSHOT_INVALID",
      `${POINTER_FILE}: is missing although versions are there; put it back, or begin with an empty folder`,
      { path: POINTER_FILE },
    );
  }
  return versions;
}
