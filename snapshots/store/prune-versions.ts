import { attempt } from "./attempt.ts";
import { measureDiskUse } from "./disk-use.ts";
import { readPointer } from "./read-pointer.ts";
import { expiredVersions } from "./retention.ts";
import type { SnapshotDisk } from "./snapshot-disk.ts";
import { discardVersion } from "./tidy-root.ts";

/** What to delete. */
export interface PruneWish {
  /** A version that is older goes, but never the current one, the newest three, or one of the last 15 minutes. */
  readonly keptAgeMs: number;
  readonly nowMs: number;
  /** Only says what would go. */
  readonly isDryRun: boolean;
}

/** What was deleted, or would be. */
export interface PruneResult {
  readonly removed: readonly string[];
  readonly kept: readonly string[];
  /** Bytes that no version that stays shares. */
  readonly freedBytes: number;
}

async function chooseVersions(disk: SnapshotDisk, { keptAgeMs, nowMs }: PruneWish): Promise<PruneResult> {
  const pointer = readPointer(disk.root);
  const use = await attempt("look at the versions", async () => measureDiskUse(disk.root));
  const versions = use.versions.map(({ version }) => version);
  const removed = expiredVersions(versions, pointer.version, nowMs, keptAgeMs);
  const kept = versions.filter((version) => !removed.includes(version));
  return { removed, kept, freedBytes: use.bytesFreedBy(removed) };
}

/** Deletes versions past an age, under the one writer's lock; throws `SnapshotError`, also where nothing was ever published. */
export async function pruneVersions(disk: SnapshotDisk, wish: PruneWish): Promise<PruneResult> {
  if (wish.isDryRun) return chooseVersions(disk, wish);
  // Asked before the lock is taken: its file is no reason to believe that something was published here.
  readPointer(disk.root);
  const unlock = await attempt("take the publish lock", async () => disk.lock());
  try {
    const chosen = await chooseVersions(disk, wish);
    // Oldest first, each whole before the next: what is left after a failure is what a later run would find.
    for (const version of chosen.removed) {
      await attempt(`delete the version ${version}`, () => discardVersion(disk, version));
    }
    return chosen;
  } finally {
    unlock();
  }
}
