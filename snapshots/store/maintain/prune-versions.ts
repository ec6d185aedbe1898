import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { PATHS } from "../../format/paths.ts";
import { expiredVersions, readPointer, versionNames } from "../read/read-pointer.ts";
import { attempt } from "../read/snapshot-error.ts";
import { discardVersion, type SnapshotDisk, whileLocked } from "../write/snapshot-disk.ts";

interface PruneOptions {
  /** Older versions are deleted, but never the current one, the newest three, or any of the last 15 minutes. */
  readonly keptAgeMs: number;
  readonly nowMs: number;
  readonly isDryRun: boolean;
}

/** Deletes versions past an age, under the publish lock; throws `SnapshotFailure`, also if nothing was ever published. */
export async function pruneVersions(disk: SnapshotDisk, options: PruneOptions) {
  if (options.isDryRun) return chooseVersions(disk, options);
  // Before the lock is taken, which would create its file in a root where nothing was published.
  readPointer(disk.root);
  return whileLocked(disk, async () => {
    const chosen = await chooseVersions(disk, options);
    // Oldest first, one by one, so that a later run can continue after a failure.
    for (const version of chosen.removed) {
      await attempt(`delete the version ${version}`, () => discardVersion(disk, version));
    }
    return chosen;
  });
}

async function chooseVersions(disk: SnapshotDisk, { keptAgeMs, nowMs }: PruneOptions) {
  const pointer = readPointer(disk.root);
  const use = await attempt("list the versions", async () => measureDiskUse(disk.root));
  const versions = use.versions.map(({ version }) => version);
  const removed = expiredVersions(versions, pointer.version, nowMs, keptAgeMs);
  const kept = versions.filter((version) => !removed.includes(version));
  return { removed, kept, freedBytes: use.bytesFreedBy(removed) };
}

const SEALS: ReadonlySet<string> = new Set([PATHS.manifest, PATHS.signature]);

function filesOf(directory: string) {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const { dev, ino, size, nlink } = statSync(join(entry.parentPath, entry.name));
      const isSeal = entry.parentPath === directory && SEALS.has(entry.name);
      return { inode: `${dev}:${ino}`, bytes: size, names: nlink, isSeal };
    });
}

type FileUse = ReturnType<typeof filesOf>[number];

const sum = (files: readonly FileUse[]): number => files.reduce((total, { bytes }) => total + bytes, 0);

function useOf(version: string, files: readonly FileUse[]) {
  return {
    version,
    /** The files in the manifest, without manifest and signature. */
    files: files.filter(({ isSeal }) => !isSeal).length,
    /** Bytes of files that no other version shares, which deleting this version would free. */
    ownBytes: sum(files.filter(({ names }) => names === 1)),
    /** Bytes of files that other versions share by hard links. */
    sharedBytes: sum(files.filter(({ names }) => names > 1)),
  };
}

/** Measures the disk use of the versions under a snapshot root; throws system errors. */
export function measureDiskUse(root: string) {
  const files = new Map(
    versionNames(readdirSync(root)).map((version) => [version, filesOf(join(root, version))]),
  );
  const unique = new Map([...files.values()].flat().map((file) => [file.inode, file]));
  return {
    /** Oldest first. */
    versions: [...files].map(([version, versionFiles]) => useOf(version, versionFiles)),
    /** Each shared file counted once. */
    totalBytes: sum([...unique.values()]),
    /** Bytes that deleting these versions together would free: files that only they share. */
    bytesFreedBy(versions: readonly string[]): number {
      const seen = new Map<string, { file: FileUse; times: number }>();
      for (const file of versions.flatMap((version) => files.get(version) ?? [])) {
        const before = seen.get(file.inode)?.times ?? 0;
        seen.set(file.inode, { file, times: before + 1 });
      }
      return sum([...seen.values()].flatMap(({ file, times }) => (times === file.names ? [file] : [])));
    },
  };
}
