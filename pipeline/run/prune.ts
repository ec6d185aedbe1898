import { type PruneResult, pruneVersions } from "../../snapshots/store/prune-versions.ts";
import { createSnapshotDisk } from "../../snapshots/store/snapshot-disk.ts";
import type { Settings } from "./settings.ts";
import { withStore } from "./store-errors.ts";

/** What was deleted, or would be. */
export type { PruneResult };

/** `govdata prune`: deletes versions past an age, or only says which; what is current stays whatever it is asked for. */
export async function runPrune(
  settings: Settings,
  wish: Parameters<typeof pruneVersions>[1],
): Promise<PruneResult> {
  return withStore(() => pruneVersions(createSnapshotDisk(settings.snapshotsDirectory), wish));
}
