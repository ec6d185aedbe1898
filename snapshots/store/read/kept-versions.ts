import { readdirSync } from "node:fs";
import { join } from "node:path";
import { MANIFEST_BYTES_MAX } from "../../format/limits.ts";
import type { Manifest, ManifestFile, Pointer } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import { type LocatedVersion, locateVersion, type ManifestHead, readManifest } from "./locate-version.ts";
import { POINTER_FILE, parseJson, readPointer, versionNames } from "./read-pointer.ts";
import { invalidFile, isSnapshotFailure, readable } from "./snapshot-error.ts";
import { readCapped } from "./verified-file.ts";

/** The kept versions by sequence, up to the published one; by default only undamaged ones. Throws `SnapshotFailure`. */
export function keptVersions(
  root: string,
  locate = (version: string) => readable(() => locateVersion(root, { version })),
): readonly LocatedVersion[] {
  const pointer = readPointer(root);
  return versionNames(readdirSync(root))
    .flatMap((version) => locate(version) ?? [])
    .filter(({ manifest }) => manifest.sequence <= pointer.sequence)
    .sort((a, b) => a.manifest.sequence - b.manifest.sequence);
}

const MOMENT_LENGTH = "20260401T010000Z".length;

/**
 * The version that a redaction, or several in turn, put in the place of this one, which is gone. It has the same time,
 * as a redaction does not make data newer; a rollback and any other version have another.
 */
export function redactedVersionOf(root: string, version: string): string | undefined {
  const moment = version.slice(0, MOMENT_LENGTH);
  const redacted = keptVersions(root).filter(
    ({ version: name, manifest: { redacted, replaces } }) =>
      redacted && name.startsWith(moment) && replaces?.startsWith(moment),
  );
  const direct = redacted.find(({ manifest }) => manifest.replaces === version);
  // Two publications of one second could be mistaken for each other.
  return (direct ?? (redacted.length === 1 ? redacted[0] : undefined))?.version;
}

/** The major version of the method: it rises if scores change their meaning, or evidence and history their shape. */
export const methodNumberOf = ({ methodology_version: version }: ManifestHead): string =>
  version.split(".")[0] ?? "";

/** The versions that can be compared with the last one, whose scores have the same meaning. */
export function ofLastMethod<Version extends { readonly manifest: ManifestHead }>(
  versions: readonly Version[],
): readonly Version[] {
  const last = versions.at(-1);
  return versions.filter(
    ({ manifest }) => last !== undefined && methodNumberOf(manifest) === methodNumberOf(last.manifest),
  );
}

export type PreviousVersion = NonNullable<ReturnType<typeof readPreviousVersion>>;

/** Reads the pointer's version; undefined before the first one. Throws `SnapshotFailure` if the pointer is damaged. */
export function readPreviousVersion(root: string) {
  try {
    const pointer = readPointer(root);
    // A damaged version must not block the next one; its files are just not linked.
    const manifest = readable(() => readManifest(join(root, pointer.version)));
    const files = manifest?.sha256 === pointer.manifest.sha256 ? manifest.manifest.files : [];
    return { pointer, files: new Map(files.map((file) => [file.path, file])) };
  } catch (error) {
    if (isSnapshotFailure(error) && error.code === "SNAPSHOT_MISSING") return undefined;
    throw error;
  }
}

/** The previous version if it has the same bytes at the same path, so that the file may be linked; else undefined. */
export function versionHolding(
  previous: PreviousVersion | undefined,
  { path, bytes, sha256 }: Pick<ManifestFile, "path" | "bytes" | "sha256">,
): string | undefined {
  const before = previous?.files.get(path);
  return before?.sha256 === sha256 && before.bytes === bytes ? previous?.pointer.version : undefined;
}

/** A version's sequence from its unverified manifest, for cleanup only; undefined if it cannot be read. */
function sequenceOf(root: string, version: string): Manifest["sequence"] | undefined {
  const value = readable(() =>
    parseJson(PATHS.manifest, readCapped(join(root, version), PATHS.manifest, MANIFEST_BYTES_MAX)),
  );
  const sequence =
    typeof value === "object" && value !== null && "sequence" in value ? value.sequence : undefined;
  return typeof sequence === "number" ? sequence : undefined;
}

/** The versions with a higher sequence than the pointer's: never published, or the pointer is an old one. */
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
 * Versions that a crash left behind: complete, but never published. Without a pointer only the first version can be one,
 * with a pointer only the next. Any other means that the pointer was lost or is an old one; then this throws
 * `SnapshotFailure`, so that nothing is deleted by guess.
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
