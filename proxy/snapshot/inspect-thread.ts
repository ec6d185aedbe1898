import { parentPort, workerData } from "node:worker_threads";
import { parseTrustedKeys } from "../../snapshots/store/read/manifest-signature.ts";
import { inspectVersion } from "../../snapshots/store/read/open-snapshot.ts";
import { SnapshotError } from "../../snapshots/store/read/snapshot-error.ts";
import type { InspectionOutcome, InspectionTask } from "./inspect-in-thread.ts";

// A thread that lives for one inspection, so that what it needed is given back whole.
const { root, version, sequenceMin, trustedKeys } = workerData as InspectionTask;

/** What the thread has to say in the end. */
async function outcome(): Promise<InspectionOutcome> {
  try {
    const found = await inspectVersion(root, {
      ...(version === undefined ? {} : { version }),
      ...(sequenceMin === undefined ? {} : { sequenceMin }),
      ...(trustedKeys === undefined ? {} : { trustedKeys: parseTrustedKeys(trustedKeys.join(",")) ?? [] }),
    });
    return { kind: "good", found };
  } catch (error) {
    // Anything else ends the thread, and is told as the failure it is.
    if (!(error instanceof SnapshotError)) throw error;
    const { code, message, path } = error;
    return { kind: "refused", code, message, path };
  }
}

parentPort?.postMessage(await outcome());
