import { Worker } from "node:worker_threads";
import type { PullResult } from "../../snapshots/remote/pull-version.ts";
import { RemoteError, type RemoteErrorCode } from "../../snapshots/remote/remote-store.ts";
import { SnapshotError, type SnapshotErrorCode } from "../../snapshots/store/read/snapshot-error.ts";
import { type PullTask, pullCopy, type RemoteEnvironment } from "./pull-copy.ts";
import { NoRoomError } from "./remote-problems.ts";

/** How a pull in a thread ended. */
export type PullOutcome =
  | { readonly kind: "done"; readonly result: PullResult }
  | {
      readonly kind: "remote";
      readonly code: RemoteErrorCode;
      readonly message: string;
      readonly path?: string;
    }
  | {
      readonly kind: "snapshot";
      readonly code: SnapshotErrorCode;
      readonly message: string;
      readonly path?: string;
    }
  | { readonly kind: "no room"; readonly message: string };

/** The thread's program, beside this file and compiled like it; undefined where nothing is compiled, as in tests. */
function programUrl(): URL | undefined {
  const written = new URL("./pull-thread.ts", import.meta.url);
  return import.meta.url.endsWith(".js") ? new URL(written.href.replace(/\.ts$/, ".js")) : undefined;
}

function run(
  program: URL,
  task: PullTask,
  environment: RemoteEnvironment,
  signal: AbortSignal,
): Promise<PullOutcome> {
  return new Promise((resolve, reject) => {
    // What it leaves half done is what a crash would leave, and the next pull takes it up.
    const end = () => void worker.terminate();
    const worker = new Worker(program, { workerData: task, env: { ...environment } });
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", (code) => {
      signal.removeEventListener("abort", end);
      const ended = new Error(`the thread that pulled a version ended with ${code}`);
      reject(signal.aborted ? signal.reason : ended);
    });
    signal.addEventListener("abort", end, { once: true });
  });
}

/** The error that the thread met, as it would be here. */
function errorOf(outcome: Exclude<PullOutcome, { kind: "done" }>): Error {
  if (outcome.kind === "no room") return new NoRoomError(outcome.message);
  const place = outcome.path === undefined ? {} : { path: outcome.path };
  if (outcome.kind === "remote") return new RemoteError(outcome.code, outcome.message, place);
  return new SnapshotError(outcome.code, outcome.message, place);
}

/**
 * `pullCopy` in a thread of its own, so that no request waits while files are hashed, linked and flushed; in this thread
 * where the program is not compiled. Throws what it throws; an end of the signal ends the thread.
 */
export async function pullInThread(
  task: PullTask,
  environment: RemoteEnvironment,
  signal: AbortSignal,
): Promise<PullResult> {
  const program = programUrl();
  if (program === undefined) return pullCopy(task, environment, signal);
  signal.throwIfAborted();
  const outcome = await run(program, task, environment, signal);
  if (outcome.kind === "done") return outcome.result;
  throw errorOf(outcome);
}
