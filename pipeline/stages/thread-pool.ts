import { on } from "node:events";
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { PipelineError, type PipelineErrorCode } from "../facts/errors.ts";
import type { Registry, TrackedDao } from "../facts/tracked.ts";
import type { VoterList } from "../facts/voters.ts";
import { homeWarehouseFiles } from "../home/home.ts";
import type { Settings } from "../home/settings.ts";
import type { WrittenRecord } from "../warehouse/fetch-writer.ts";
import type { DrawTask } from "./draw-dao.ts";

/** What a thread knows from its start. */
export interface ThreadStart {
  readonly registry: Registry;
  readonly warehouse: { readonly path: string; readonly migrationsDirectory: string };
}

/** What a thread can be asked for; it answers each as the function of that name beside it says. */
export type ThreadTask =
  | { readonly kind: "fetch"; readonly dao: TrackedDao; readonly directory: string }
  | { readonly kind: "score"; readonly dao: TrackedDao; readonly asOfMs: number }
  | ({ readonly kind: "draw" } & DrawTask);

/** A task on its way to a thread, with a port of its own: the thread speaks through it until one end closes it. */
export interface HandedTask {
  readonly work: ThreadTask;
  readonly port: MessagePort;
}

/** What a fetch says on its way: what it puts, in its order; where there are voters, it waits for their numbers. */
export interface FetchSaid {
  readonly records: readonly WrittenRecord[];
  readonly voters: VoterList | undefined;
}

/** What a task says through its port. An error comes as its parts: between threads it would lose its code. */
export type FromTask =
  | { readonly kind: "said"; readonly said: FetchSaid }
  | { readonly kind: "done"; readonly answer: unknown }
  | {
      readonly kind: "failed";
      /** Of a failure that was to be expected. */
      readonly code: PipelineErrorCode | undefined;
      readonly message: string;
      readonly hint: string | undefined;
      readonly stack: string | undefined;
    };

/** Threads that each work on a few DAOs in turn. */
export type ThreadPool = ReturnType<typeof startThreads>;

/** Tasks of a thread: one to work on and one to go on with, where the first has to wait. */
const TASKS_EACH = 2;

/** Takes what a fetch says on its way; what it answers goes back to a fetch that waits for numbers. */
type Hear = (said: FetchSaid) => unknown;

/** Starts threads, each of which opens the warehouse for itself when it has to read it. A thread that dies fails its tasks. */
export function startThreads(count: number, start: ThreadStart) {
  const threads = Array.from({ length: count }, () => startThread(start));
  return {
    /** Tasks that keep every thread busy. */
    atOnce: count * TASKS_EACH,
    /** Hands a task to the thread that has the least of them. Throws what the task threw, a `PipelineError` with its code. */
    run<Answer>(work: ThreadTask, hear: Hear = () => undefined): Promise<Answer> {
      const [thread] = threads
        .filter(({ hasEnded }) => !hasEnded)
        .sort((a, b) => a.waiting.size - b.waiting.size);
      if (thread === undefined) return Promise.reject(new Error("every thread has ended"));
      const { port1, port2 } = new MessageChannel();
      const handed: HandedTask = { work, port: port2 };
      return new Promise<Answer>((resolve, reject) => {
        thread.waiting.add(reject);
        endOf(port1, hear)
          .then((answer) => resolve(answer as Answer), reject)
          .finally(() => {
            thread.waiting.delete(reject);
            // A task that still waits for an answer ends with its port.
            port1.close();
          });
        thread.worker.postMessage(handed, [port2]);
      });
    },
    async close(): Promise<void> {
      for (const thread of threads) thread.hasEnded = true;
      await Promise.all(threads.map(({ worker }) => worker.terminate()));
    },
  };
}

/** Hears all that a task says, in its order, up to its end. */
async function endOf(port: MessagePort, hear: Hear): Promise<unknown> {
  for await (const [message] of on(port, "message") as AsyncIterable<[FromTask]>) {
    if (message.kind === "done") return message.answer;
    if (message.kind === "failed") throw errorOf(message);
    const answer = await hear(message.said);
    if (message.said.voters !== undefined) port.postMessage(answer);
  }
  return undefined;
}

function errorOf({ code, message, hint, stack }: Extract<FromTask, { kind: "failed" }>): Error {
  if (code !== undefined) return new PipelineError(code, message, hint === undefined ? {} : { hint });
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}

function startThread(workerData: ThreadStart) {
  const worker = new Worker(entryUrl(), { workerData });
  /** How to fail each of its tasks. */
  const waiting = new Set<(error: Error) => void>();
  // Once it has ended it takes no more tasks: what is posted to an ended thread is never answered.
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

/** The entry of a thread, which lies beside this file, compiled like it or as it was written. */
function entryUrl(): URL {
  const entry = new URL("./dao-thread.ts", import.meta.url);
  return import.meta.url.endsWith(".js") ? new URL(entry.href.replace(/\.ts$/, ".js")) : entry;
}

/** A thread takes as long to start as a few small DAOs to score; below this there is nothing to be gained. */
const PAYS_FROM_DAOS = 16;

/** Does work with as many threads as the settings allow, or with none where they would not pay; ends them afterwards. */
export async function withThreads<Result>(
  settings: Settings,
  registry: Registry,
  daosCount: number,
  work: (threads: ThreadPool | undefined) => Promise<Result>,
): Promise<Result> {
  const { threads = 0 } = settings;
  // One thread beside this one, which would only wait for it, gains nothing either.
  if (threads < 2 || daosCount < PAYS_FROM_DAOS) return work(undefined);
  const pool = startThreads(threads, { registry, warehouse: homeWarehouseFiles(settings) });
  try {
    return await work(pool);
  } finally {
    await pool.close();
  }
}
