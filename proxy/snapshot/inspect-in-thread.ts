import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import type { VersionChoice } from "../../snapshots/store/read/locate-version.ts";
import { parseTrustedKeys } from "../../snapshots/store/read/manifest-signature.ts";
import {
  type InspectedVersion,
  type InspectVersion,
  inspectVersion,
} from "../../snapshots/store/read/open-snapshot.ts";
import {
  isSnapshotFailure,
  type SnapshotFailure,
  snapshotFailure,
} from "../../snapshots/store/read/snapshot-error.ts";

interface InspectionTask {
  readonly inspect: string;
  readonly choice: Omit<VersionChoice, "trustedKeys">;
  readonly trustedKeys: string | undefined;
}

/** Failures lose their class between threads. */
type InspectionOutcome =
  | { readonly found: InspectedVersion }
  | { readonly refused: Pick<SnapshotFailure, "code" | "message" | "path"> };

/** The young-generation heap of a thread in megabytes: the thread is short-lived, so more would only waste memory. */
const YOUNG_MEGABYTES_MAX = 8;

/**
 * Runs `inspectVersion` in a separate thread, so that no request waits while half a million lines are read and hashed,
 * and its memory is freed when it ends. Runs in this thread if the program is not compiled, as in tests.
 * Throws `SnapshotFailure` as `inspectVersion` does.
 */
export const inspectInThread: InspectVersion = async (root, choice) => {
  if (!import.meta.url.endsWith(".js")) return inspectVersion(root, choice);
  const { trustedKeys, ...others } = choice;
  const texts = trustedKeys?.map(({ text }) => text).join(",");
  const task: InspectionTask = { inspect: root, choice: others, trustedKeys: texts };
  const outcome = await new Promise<InspectionOutcome>((resolve, reject) => {
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MEGABYTES_MAX };
    const worker = new Worker(new URL(import.meta.url), { workerData: task, resourceLimits });
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", (code) =>
      reject(new Error(`the thread that looked at a version ended with ${code}`)),
    );
  });
  if ("found" in outcome) return outcome.found;
  const { code, message, path } = outcome.refused;
  throw snapshotFailure(code, message, path === undefined ? {} : { path });
};

async function inspect(task: InspectionTask): Promise<InspectionOutcome> {
  const { inspect: root, choice, trustedKeys: texts } = task;
  const trustedKeys = texts === undefined ? undefined : (parseTrustedKeys(texts) ?? []);
  try {
    return { found: await inspectVersion(root, { ...choice, trustedKeys }) };
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
