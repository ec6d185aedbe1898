import { setMaxListeners } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import { RemoteError } from "../../snapshots/remote/remote-store.ts";
import { SnapshotError } from "../../snapshots/store/read/snapshot-error.ts";
import { type PullTask, pullCopy } from "./pull-copy.ts";
import type { PullOutcome } from "./pull-in-thread.ts";
import { NoRoomError } from "./remote-problems.ts";

/** What the thread has to say in the end. */
async function outcome(): Promise<PullOutcome> {
  const { signal } = new AbortController();
  // Each file under way listens to it, and there are more of them than Node takes for an oversight.
  setMaxListeners(0, signal);
  try {
    const result = await pullCopy(workerData as PullTask, process.env, signal);
    return { kind: "done", result };
  } catch (error) {
    if (error instanceof NoRoomError) return { kind: "no room", message: error.message };
    // Anything else ends the thread, and is told as the failure it is.
    if (!(error instanceof RemoteError || error instanceof SnapshotError)) throw error;
    const place = error.path === undefined ? {} : { path: error.path };
    return error instanceof RemoteError
      ? { kind: "remote", code: error.code, message: error.message, ...place }
      : { kind: "snapshot", code: error.code, message: error.message, ...place };
  }
}

parentPort?.postMessage(await outcome());
