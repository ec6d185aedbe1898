import { POINTER_FILE, versionNames } from "../../snapshots/store/read/read-pointer.ts";
import { SnapshotError } from "../../snapshots/store/read/snapshot-error.ts";
import type { SnapshotDisk } from "../../snapshots/store/write/snapshot-disk.ts";
import { discardVersion } from "../../snapshots/store/write/snapshot-disk.ts";

/** Once could be a moment without a free file descriptor. */
const REFUSALS_MIN = 2;

/** A copy is given up when it is found damaged, and another after so long, doubling: each time all of it is pulled anew. */
const AGAIN_FIRST_MS = 60_000;
const AGAIN_MOST_MS = 3_600_000;

/** Gives up a copy that cannot be opened: it is but a copy, and what it is of lies elsewhere. */
export interface CopyGivingUp {
  /** What opening the copy came to: nothing, or the refusal. */
  readonly note: (refusal: unknown) => void;
  /** Deletes the copy where it was found damaged; whether it did. Never rejects. */
  readonly giveUp: () => Promise<boolean>;
}

/** Only what says that the files here are not what they were; a rollback or a missing signature heals by no other copy. */
function isDamage(error: unknown): boolean {
  return (
    error instanceof SnapshotError && (error.code === "SNAPSHOT_INVALID" || error.code === "SNAPSHOT_MISSING")
  );
}

async function deleteCopy(disk: SnapshotDisk): Promise<void> {
  const unlock = disk.lock();
  try {
    for (const version of versionNames(await disk.names("."))) await discardVersion(disk, version);
    // Last: cut short before this, the pointer names what is not there, and the copy is given up again.
    await disk.remove(POINTER_FILE);
    await disk.syncDirectory(".");
  } finally {
    unlock();
  }
}

/** Watches over the copy under one root. */
export function createCopyGivingUp(disk: SnapshotDisk, nowMs: () => number): CopyGivingUp {
  let refusals = 0;
  let last: { readonly atMs: number; readonly waitMs: number } | undefined;
  const isTooSoon = (): boolean => last !== undefined && Math.abs(nowMs() - last.atMs) < last.waitMs;
  return {
    note: (refusal) => {
      refusals = isDamage(refusal) ? refusals + 1 : 0;
      if (refusal === undefined) last = undefined;
    },
    giveUp: async () => {
      if (refusals < REFUSALS_MIN || isTooSoon()) return false;
      const waitMs = last === undefined ? AGAIN_FIRST_MS : Math.min(AGAIN_MOST_MS, last.waitMs * 2);
      try {
        await deleteCopy(disk);
      } catch {
        // Somebody else pulls into it, or the disk refuses: it is looked at again.
        return false;
      }
      last = { atMs: nowMs(), waitMs };
      refusals = 0;
      return true;
    },
  };
}
