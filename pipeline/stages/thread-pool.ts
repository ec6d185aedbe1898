import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { type PipelineErrorCode, pipelineFailure } from "../facts/errors.ts";
import type { Registry, TrackedDao } from "../facts/tracked.ts";
import type { VoterList } from "../facts/voters.ts";
import { homeFile } from "../home/home.ts";
import type { Settings } from "../home/settings.ts";
import type { WrittenRecord } from "../warehouse/record-writer.ts";
import type { Visit } from "./visit-dao.ts";

/** Data passed to a thread at its start. */
export interface ThreadStart {
  readonly registry: Registry;
  /** The path of the file. */
  readonly warehouse: string;
}

/** The tasks of a thread; each returns the result of the function with the same name in `dao-thread.ts`. */
export type ThreadTask =
  | { readonly kind: "fetch"; readonly dao: TrackedDao; readonly directory: string }
  | ({ readonly kind: "visit" } & Visit);

/** A task posted to a thread, with its own port for replies until one end closes it. */
export interface PostedTask {
  readonly work: ThreadTask;
  readonly port: MessagePort;
}

/** Records of a running fetch, in order. With voters, the fetch waits for their numbers. */
interface FetchPart {
  readonly records: readonly WrittenRecord[];
  readonly voters: VoterList | undefined;
}

/** A message of a task. An error is sent as its fields: cloned between threads, it would lose its code. */
export type FromTask =
  | { readonly kind: "fetched"; readonly part: FetchPart }
  | { readonly kind: "done"; readonly answer: unknown }
  | {
      readonly kind: "failed";
      /** The code of an expected failure. */
      readonly code: PipelineErrorCode | undefined;
      readonly message: string;
      readonly hint: string | undefined;
      readonly stack: string | undefined;
    };

export type ThreadPool = ReturnType<typeof startThreads>;

/** Tasks per thread: one to work on, and one to continue with while the first waits. */
const TASKS_EACH = 2;

/** Receives the records of a fetch; its result is sent back to a fetch that waits for voter numbers. */
type OnPart = (part: FetchPart) => unknown;

/** Starts threads; each opens the warehouse itself when it needs it. If a thread dies, its tasks fail. */
function startThreads(count: number, start: ThreadStart) {
  const threads = Array.from({ length: count }, () => startThread(start));
  return {
    /** Number of tasks that keeps every thread busy. */
    atOnce: count * TASKS_EACH,
    /** Posts a task to the thread with the fewest. Throws what the task threw, a `PipelineFailure` with its code. */
    run<Answer>(work: ThreadTask, onPart: OnPart = () => undefined): Promise<Answer> {
      const [thread] = threads
        .filter(({ hasEnded }) => !hasEnded)
        .sort((a, b) => a.waiting.size - b.waiting.size);
      if (thread === undefined) return Promise.reject(new Error("every thread has ended"));
      const { port1, port2 } = new MessageChannel();
      const posted: PostedTask = { work, port: port2 };
      return new Promise<Answer>((resolve, reject) => {
        thread.waiting.add(reject);
        resultOf(port1, onPart)
          .then((answer) => resolve(answer as Answer), reject)
          .finally(() => {
            thread.waiting.delete(reject);
            // Closing the port ends a task that still waits for numbers.
            port1.close();
          });
        thread.worker.postMessage(posted, [port2]);
      });
    },
    async close(): Promise<void> {
      for (const thread of threads) thread.hasEnded = true;
      await Promise.all(threads.map(({ worker }) => worker.terminate()));
    },
  };
}

/** Handles the messages of a task in order. (`events.on` would take 32 KB of queues a task.) */
function resultOf(port: MessagePort, onPart: OnPart): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const handle = async (message: FromTask): Promise<void> => {
      if (message.kind === "done") return resolve(message.answer);
      if (message.kind === "failed") throw errorOf(message);
      const answer = await onPart(message.part);
      if (message.part.voters !== undefined) port.postMessage(answer);
    };
    let handled: Promise<void> = Promise.resolve();
    port.on("message", (message: FromTask) => {
      handled = handled.then(() => handle(message));
      handled.catch(reject);
    });
  });
}

function errorOf({ code, message, hint, stack }: Extract<FromTask, { kind: "failed" }>): Error {
  if (code !== undefined) return pipelineFailure(code, message, hint === undefined ? {} : { hint });
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}

/** Half of the default: a quarter saves 30 MB more, but takes 5 % more processor time. */
const YOUNG_MEGABYTES_MAX = 24;

function startThread(workerData: ThreadStart) {
  const worker = new Worker(entryUrl(), {
    workerData,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES_MAX },
  });
  /** The reject functions of its tasks. */
  const waiting = new Set<(error: Error) => void>();
  // An ended thread gets no more tasks, as it would never answer them.
  const thread = { worker, waiting, hasEnded: false };
  const failAll = (error: Error): void => {
    thread.hasEnded = true;
    for (const fail of waiting) fail(error);
    waiting.clear();
  };
  worker.on("error", failAll);
  worker.on("exit", (code) => failAll(new Error(`a thread ended with ${code}`)));
  return thread;
}

/** The entry file of a thread, beside this file, compiled or as TypeScript like it. */
function entryUrl(): URL {
  const entry = new URL("./dao-thread.ts", import.meta.url);
  return import.meta.url.endsWith(".js") ? new URL(entry.href.replace(/\.ts$/, ".js")) : entry;
}

/** Starting a thread takes as long as scoring a few small DAOs; below this number threads do not pay off. */
const PAYS_FROM_DAOS = 16;

/** Runs work with the threads of the settings, or without if they would not pay off; ends them afterwards. */
export async function withThreads<Result>(
  settings: Settings,
  registry: Registry,
  daosCount: number,
  work: (threads: ThreadPool | undefined) => Promise<Result>,
): Promise<Result> {
  const { threads = 0 } = settings;
  // A single thread gains nothing either, as this one would only wait for it.
  if (threads < 2 || daosCount < PAYS_FROM_DAOS) return work(undefined);
  const pool = startThreads(threads, { registry, warehouse: homeFile(settings, "warehouse") });
  try {
    return await work(pool);
  } finally {
    await pool.close();
  }
}
