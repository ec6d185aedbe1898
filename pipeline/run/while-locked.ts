import { timestampOf } from "../../snapshots/format/ids.ts";
import { attempt } from "../../snapshots/store/attempt.ts";
import { createSnapshotDisk, type SnapshotDisk } from "../../snapshots/store/snapshot-disk.ts";
import { PipelineError } from "../base/pipeline-error.ts";
import { noteHolder, readHolder } from "./lock-holder.ts";
import type { Settings } from "./settings.ts";
import { withStore } from "./store-errors.ts";

/** A refusal that says who is in the way, where the home knows: it may be a process that hangs. */
function withHolder(settings: Settings, error: unknown): unknown {
  if (!(error instanceof PipelineError && error.code === "PUBLISH_LOCKED")) return error;
  const holder = readHolder(settings);
  if (holder?.isAlive !== true) return error;
  const since = timestampOf(Math.floor(holder.sinceMs));
  return new PipelineError(error.code, `${error.message}: process ${holder.pid}, since ${since}`, {
    cause: error,
    hint: `Try again when it has ended. One that hangs is ended by \`kill ${holder.pid}\`: nothing half done is published.`,
  });
}

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
  }).catch((error: unknown) => {
    throw withHolder(settings, error);
  });
  const forget = noteHolder(settings);
  try {
    // The store asks for the lock that we hold already.
    return await action({ ...disk, lock: () => () => {} });
  } finally {
    forget();
    unlock();
  }
}
