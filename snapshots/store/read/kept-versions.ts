import { readdirSync } from "node:fs";
import { join } from "node:path";
import { MANIFEST_BYTES_MAX } from "../../format/limits.ts";
import type { Manifest, ManifestFile, Pointer } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import { locateVersion, type ManifestHead, readManifest } from "./locate-version.ts";
import { POINTER_FILE, parseJson, readPointer, versionNames } from "./read-pointer.ts";
import { invalidFile, readable, SnapshotError } from "./snapshot-error.ts";
import { readCapped } from "./verified-file.ts";

/** A kept version by what its manifest says of it. */
export type KeptVersion = ReturnType<typeof keptVersions>[number];

/** The kept versions whose manifest can be believed, by sequence, up to the published one; throws `SnapshotError`. */
export function keptVersions(root: string) {
  const pointer = readPointer(root);
  return versionNames(readdirSync(root))
    .flatMap((version) => {
      const located = readable(() => locateVersion(root, { version }));
      return located === undefined
        ? []
        : [{ version, isCurrent: version === pointer.version, manifest: located.manifest }];
    })
    .filter(({ manifest }) => manifest.sequence <= pointer.sequence)
    .sort((a, b) => a.manifest.sequence - b.manifest.sequence);
}

/** The number of the method that rises when scores mean something else, and evidence, unscored and history are written otherwise. */
export const methodNumberOf = ({ methodology_version: version }: ManifestHead): string =>
  version.split(".")[0] ?? "";

/** Those versions that can be compared with the last: the scores of another method mean something else. */
export function ofLastMethod<Version extends { readonly manifest: ManifestHead }>(
  versions: readonly Version[],
): readonly Version[] {
  const last = versions.at(-1);
  return versions.filter(
    ({ manifest }) => last !== undefined && methodNumberOf(manifest) === methodNumberOf(last.manifest),
  );
}

/** What stands under the root before this run. */
export interface PreviousVersion {
  readonly pointer: Pointer;
  /** Files that may be linked instead of written; empty where the manifest is damaged. */
  readonly files: ReadonlyMap<string, ManifestFile>;
}

/** The pointer's version, or nothing before the first; throws `SnapshotError` where the pointer is damaged. */
export function readPreviousVersion(root: string): PreviousVersion | undefined {
  try {
    const pointer = readPointer(root);
    // A damaged version must not keep a good one from being published; it only saves no bytes.
    const found = readable(() => readManifest(join(root, pointer.version)));
    const files = found?.sha256 === pointer.manifest.sha256 ? found.manifest.files : [];
    return { pointer, files: new Map(files.map((file) => [file.path, file])) };
  } catch (error) {
    if (error instanceof SnapshotError && error.code === "SNAPSHOT_MISSING") return undefined;
    throw error;
  }
}

/** The version before, where it holds the same bytes at the same path: from there a file may be linked. */
export function versionHolding(
  previous: PreviousVersion | undefined,
  { path, bytes, sha256 }: Pick<ManifestFile, "path" | "bytes" | "sha256">,
): string | undefined {
  const before = previous?.files.get(path);
  return before?.sha256 === sha256 && before.bytes === bytes ? previous?.pointer.version : undefined;
}

/** A version's sequence by its own manifest, or nothing where that cannot be read. Trusted for tidying only. */
function sequenceOf(root: string, version: string): Manifest["sequence"] | undefined {
  const value = readable(() =>
    parseJson(PATHS.manifest, readCapped(join(root, version), PATHS.manifest, MANIFEST_BYTES_MAX)),
  );
  const sequence =
    typeof value === "object" && value !== null && "sequence" in value ? value.sequence : undefined;
  return typeof sequence === "number" ? sequence : undefined;
}

/** The versions with a higher sequence than the pointer's: it never named them, or is an old one. */
export function newerVersions(
  root: string,
  versions: readonly string[],
  pointer: Pointer,
): readonly string[] {
  return versions.filter((version) => {
    const sequence = sequenceOf(root, version);
    return version !== pointer.version && sequence !== undefined && sequence > pointer.sequence;
  });
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
    const newer = newerVersions(root, versions, pointer);
    if (newer.length <= 1) return newer;
    throw invalidFile(
      POINTER_FILE,
      `is older than versions beside it: ${newer.join(", ")}; an old one was put back, or a newer one lost`,
    );
  }
  const served = versions.filter((version) => sequenceOf(root, version) !== 1);
  if (served.length > 0) {
    throw invalidFile(
      POINTER_FILE,
      `is missing although versions are there: ${versions.length}, the newest ${versions.at(-1) ?? ""}`,
    );
  }
  return versions;
}
