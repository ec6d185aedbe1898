import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { parseTrustedKeys } from "../../snapshots/store/read/manifest-signature.ts";
import {
  type InspectedVersion,
  type InspectVersion,
  inspectVersion,
} from "../../snapshots/store/read/open-snapshot.ts";
import { SnapshotError, type SnapshotErrorCode } from "../../snapshots/store/read/snapshot-error.ts";

/** What a thread is to look at: a version choice in words that can be handed over. */
interface InspectionTask {
  readonly inspect: string;
  readonly version: string | undefined;
  readonly sequenceMin: number | undefined;
  readonly trustedKeys: string | undefined;
}

/** What a thread found. */
type InspectionOutcome =
  | { readonly found: InspectedVersion }
  | {
      readonly refused: {
        readonly code: SnapshotErrorCode;
        readonly message: string;
        readonly path: string | undefined;
      };
    };

/** Megabytes of young objects a thread may hold: it ends with what it found, and a larger heap would only be memory. */
const YOUNG_MEGABYTES_MAX = 8;

/**
 * `inspectVersion` in a thread of its own, which ends with it and gives back what it needed, so that no request waits while
 * half a million lines are read and hashed; in this thread where the program is not compiled, as in tests.
 * Throws `SnapshotError` as it does.
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
  throw new SnapshotError(code, message, path === undefined ? {} : { path });
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
    const found = await inspectVersion(root, {
      ...(version === undefined ? {} : { version }),
      ...(sequenceMin === undefined ? {} : { sequenceMin }),
      ...(trustedKeys === undefined ? {} : { trustedKeys: parseTrustedKeys(trustedKeys) ?? [] }),
    });
    return { found };
  } catch (error) {
    // Anything else ends the thread, and is reported as the failure it is.
    if (!(error instanceof SnapshotError)) throw error;
    const { code, message, path } = error;
    return { refused: { code, message, path } };
  }
}

// This file is the program of its thread, too.
const isTask = (data: unknown): data is InspectionTask =>
  typeof data === "object" && data !== null && "inspect" in data;
if (!isMainThread && isTask(workerData)) parentPort?.postMessage(await inspect(workerData));
