import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { PATHS } from "../../format/paths.ts";
import { expiredVersions, readPointer, versionNames } from "../read/read-pointer.ts";
import { attempt } from "../read/snapshot-error.ts";
import { discardVersion, type SnapshotDisk, whileLocked } from "../write/snapshot-disk.ts";

/** What to delete. */
interface PruneOptions {
  /** A version that is older goes, but never the current one, the newest three, or one of the last 15 minutes. */
  readonly keptAgeMs: number;
  readonly nowMs: number;
  /** Only says what would go. */
  readonly isDryRun: boolean;
}

/** Deletes versions past an age, under the one writer's lock; throws `SnapshotError`, also where nothing was ever published. */
export async function pruneVersions(disk: SnapshotDisk, options: PruneOptions) {
  if (options.isDryRun) return chooseVersions(disk, options);
  // Asked before the lock is taken: its file is no reason to believe that something was published here.
  readPointer(disk.root);
  return whileLocked(disk, async () => {
    const chosen = await chooseVersions(disk, options);
    // Oldest first, each whole before the next: what is left after a failure is what a later run would find.
    for (const version of chosen.removed) {
      await attempt(`delete the version ${version}`, () => discardVersion(disk, version));
    }
    return chosen;
  });
}

/** What to delete, what stays, and the bytes that no version that stays shares. */
async function chooseVersions(disk: SnapshotDisk, { keptAgeMs, nowMs }: PruneOptions) {
  const pointer = readPointer(disk.root);
  const use = await attempt("look at the versions", async () => measureDiskUse(disk.root));
  const versions = use.versions.map(({ version }) => version);
  const removed = expiredVersions(versions, pointer.version, nowMs, keptAgeMs);
  const kept = versions.filter((version) => !removed.includes(version));
  return { removed, kept, freedBytes: use.bytesFreedBy(removed) };
}

const SEALS: ReadonlySet<string> = new Set([PATHS.manifest, PATHS.signature]);

/** The files of a version by what the disk knows each by, however many names it has. */
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
    /** As many as the manifest names: neither itself nor its signature. */
    files: files.filter(({ isSeal }) => !isSeal).length,
    /** Of files that no other version shares: what deleting it would give back. */
    ownBytes: sum(files.filter(({ names }) => names === 1)),
    /** Of files that are hard-linked from other versions too. */
    sharedBytes: sum(files.filter(({ names }) => names > 1)),
  };
}

/** Measures the versions under a snapshot root by the sizes of their files; throws what the system throws. */
export function measureDiskUse(root: string) {
  const files = new Map(versionNames(readdirSync(root)).map((each) => [each, filesOf(join(root, each))]));
  const unique = new Map([...files.values()].flat().map((file) => [file.inode, file]));
  return {
    /** Oldest first. */
    versions: [...files].map(([version, own]) => useOf(version, own)),
    /** Each shared file counted once. */
    totalBytes: sum([...unique.values()]),
    /** What deleting these versions together would give back: files that none but they share. */
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
