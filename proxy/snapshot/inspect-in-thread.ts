import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { parseTrustedKeys } from "../../snapshots/store/read/manifest-signature.ts";
import {
  type InspectedVersion,
  type InspectVersion,
  inspectVersion,
} from "../../snapshots/store/read/open-snapshot.ts";
import {
  isSnapshotFailure,
  type SnapshotErrorCode,
  snapshotFailure,
} from "../../snapshots/store/read/snapshot-error.ts";

/** The input of a thread: a version choice that can be cloned. */
interface InspectionTask {
  readonly inspect: string;
  readonly version: string | undefined;
  readonly sequenceMin: number | undefined;
  readonly trustedKeys: string | undefined;
}

type InspectionOutcome =
  | { readonly found: InspectedVersion }
  | {
      readonly refused: {
        readonly code: SnapshotErrorCode;
        readonly message: string;
        readonly path: string | undefined;
      };
    };

/** The young-generation heap of a thread in megabytes: the thread is short-lived, so more would only waste memory. */
const YOUNG_MEGABYTES_MAX = 8;

/**
 * Runs `inspectVersion` in a separate thread, so that no request waits while half a million lines are read and hashed,
 * and its memory is freed when it ends. Runs in this thread if the program is not compiled, as in tests.
 * Throws `SnapshotFailure` as `inspectVersion` does.
 */
export const inspectInThread: InspectVersion = async (root, choice) => {
  if (!import.meta.url.endsWith(".js")) return inspectVersion(root, choice);
  const { version, sequenceMin, trustedKeys } = choice;
  const outcome = await run({
    inspect: root,
    version,
    sequenceMin,
    trustedKeys: trustedKeys?.map(({ text }) => text).join(","),
  });
  if ("found" in outcome) return outcome.found;
  const { code, message, path } = outcome.refused;
  throw snapshotFailure(code, message, path === undefined ? {} : { path });
};

function run(task: InspectionTask): Promise<InspectionOutcome> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), {
      workerData: task,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES_MAX },
    });
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", (code) =>
      reject(new Error(`the thread that looked at a version ended with ${code}`)),
    );
  });
}

async function inspect({ inspect: root, version, sequenceMin, trustedKeys }: InspectionTask) {
  try {
    const inspection = await inspectVersion(root, {
      ...(version === undefined ? {} : { version }),
      ...(sequenceMin === undefined ? {} : { sequenceMin }),
      ...(trustedKeys === undefined ? {} : { trustedKeys: parseTrustedKeys(trustedKeys) ?? [] }),
    });
    return { found: inspection };
  } catch (error) {
    // Any other error ends the thread and is reported as a failure.
    if (!isSnapshotFailure(error)) throw error;
    const { code, message, path } = error;
    return { refused: { code, message, path } };
  }
}

// This file is also the program that the thread runs.
const isTask = (data: unknown): data is InspectionTask =>
  typeof data === "object" && data !== null && "inspect" in data;
if (!isMainThread && isTask(workerData)) parentPort?.postMessage(await inspect(workerData));
