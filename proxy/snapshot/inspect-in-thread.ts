import { Worker } from "node:worker_threads";
import type { InspectedVersion, InspectVersion } from "../../snapshots/store/read/open-snapshot.ts";
import { inspectVersion } from "../../snapshots/store/read/open-snapshot.ts";
import { SnapshotError, type SnapshotErrorCode } from "../../snapshots/store/read/snapshot-error.ts";

/** What a thread is to look at: a version choice in words that can be handed over. */
export interface InspectionTask {
  readonly root: string;
  readonly version: string | undefined;
  readonly sequenceMin: number | undefined;
  readonly trustedKeys: readonly string[] | undefined;
}

/** What a thread found. */
export type InspectionOutcome =
  | { readonly kind: "good"; readonly found: InspectedVersion }
  | {
      readonly kind: "refused";
      readonly code: SnapshotErrorCode;
      readonly message: string;
      readonly path: string | undefined;
    };

/** Megabytes of young objects a thread may hold: its entries live for one slice, and a larger heap would only be memory. */
const YOUNG_MEGABYTES_MAX = 8;

/** The thread's program, beside this file and compiled like it; undefined where nothing is compiled, as in tests. */
function programUrl(): URL | undefined {
  const written = new URL("./inspect-thread.ts", import.meta.url);
  return import.meta.url.endsWith(".js") ? new URL(written.href.replace(/\.ts$/, ".js")) : undefined;
}

function run(program: URL, task: InspectionTask): Promise<InspectionOutcome> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(program, {
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

/**
 * `inspectVersion` in a thread of its own, so that no request waits while half a million lines are read and hashed; in
 * this thread, in slices, where the program is not compiled. Throws `SnapshotError` as it does.
 */
export const inspectInThread: InspectVersion = async (root, choice) => {
  const program = programUrl();
  if (program === undefined) return inspectVersion(root, choice);
  const { version, sequenceMin, trustedKeys } = choice;
  const outcome = await run(program, {
    root,
    version,
    sequenceMin,
    trustedKeys: trustedKeys?.map(({ text }) => text),
  });
  if (outcome.kind === "good") return outcome.found;
  const { code, message, path } = outcome;
  throw new SnapshotError(code, message, path === undefined ? {} : { path });
};
