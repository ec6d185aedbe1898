import { attempt } from "../../snapshots/store/attempt.ts";
import { createSnapshotDisk, type SnapshotDisk } from "../../snapshots/store/snapshot-disk.ts";
import type { Settings } from "./settings.ts";
import { withStore } from "./store-errors.ts";

/**
 * Holds the one publisher's lock while `action` runs and gives it a disk to publish on. It is taken before anything is
 * fetched or compared, so that gates judge against the very version that will be replaced, and so that a second run
 * ends at once and not after its work. Throws `PipelineError` PUBLISH_LOCKED.
 */
export async function whileLocked<Result>(
  settings: Settings,
  action: (disk: SnapshotDisk) => Promise<Result>,
): Promise<Result> {
  const disk = createSnapshotDisk(settings.snapshotsDirectory);
  const unlock = await withStore(async () => {
    await attempt("make the snapshot root", () => disk.makeRoot());
    return attempt("take the publish lock", async () => disk.lock());
  });
  try {
    // The store asks for the lock that we hold already.
    return await action({ ...disk, lock: () => () => {} });
  } finally {
    unlock();
  }
}
