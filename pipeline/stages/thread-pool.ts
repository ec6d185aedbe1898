import { Worker } from "node:worker_threads";
import { PipelineError, type PipelineErrorCode } from "../facts/errors.ts";
import type { Registry, TrackedDao } from "../facts/tracked.ts";
import type { VoterList } from "../facts/voters.ts";
import { homeWarehouseFiles } from "../home/home.ts";
import type { Settings } from "../home/settings.ts";
import type { OpenSpaceFetch, WrittenRecord } from "../warehouse/fetch-writer.ts";

/** Takes what a task says on its way; what it answers goes back to a task that waits for it. */
type Hear = (body: unknown) => unknown;

/** Threads that each work on a few DAOs in turn. */
export interface ThreadPool {
  /** Tasks that keep every thread busy: one to work on and one to go on with, where the first has to wait. */
  readonly atOnce: number;
  /** Hands a task to the thread that has the least of them. Throws what the task threw, a `PipelineError` with its code. */
  run<Answer>(work: ThreadTask, hear?: Hear): Promise<Answer>;
  close(): Promise<void>;
}

/** What a thread knows from its start. */
export interface ThreadStart {
  readonly registry: Registry;
  readonly warehouse: { readonly path: string; readonly migrationsDirectory: string };
}

/** What a thread can be asked for; it answers each as the function of that name beside it says. */
export type ThreadTask =
  | { readonly kind: "fetch"; readonly dao: TrackedDao; readonly directory: string }
  | { readonly kind: "score"; readonly dao: TrackedDao; readonly asOfMs: number };

/** What a fetch says on its way: what it puts, in its order; where there are voters, it waits for their numbers. */
export interface FetchSaid {
  readonly records: readonly WrittenRecord[];
  readonly voters: VoterList | undefined;
}

/** An error on its way between threads. */
export interface Failure {
  /** Of a failure that was to be expected. */
  readonly code: PipelineErrorCode | undefined;
  readonly message: string;
  readonly hint: string | undefined;
  readonly stack: string | undefined;
}

/** What a thread hears. */
export type ToThread =
  | { readonly kind: "task"; readonly task: number; readonly work: ThreadTask }
  | { readonly kind: "answer"; readonly task: number; readonly answer: unknown }
  /** Nobody hears this task any more. */
  | { readonly kind: "drop"; readonly task: number };

/** What a thread says. */
export type FromThread =
  | { readonly kind: "said"; readonly task: number; readonly body: unknown; readonly wantsAnswer: boolean }
  | { readonly kind: "done"; readonly task: number; readonly answer: unknown }
  | { readonly kind: "failed"; readonly task: number; readonly failure: Failure };

interface Waiting {
  readonly hear: Hear;
  /** Everything that was said is heard in its order, and before the end. */
  heard: Promise<unknown>;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface Thread {
  readonly worker: Worker;
  readonly waiting: Map<number, Waiting>;
  /** It takes no more tasks: what is posted to an ended thread is never answered. */
  hasEnded: boolean;
}

const TASKS_EACH = 2;

/** The entry of a thread, which lies beside this file, compiled like it or as it was written. */
function entryUrl(): URL {
  const entry = new URL("./dao-thread.ts", import.meta.url);
  return import.meta.url.endsWith(".js") ? new URL(entry.href.replace(/\.ts$/, ".js")) : entry;
}

function errorOf({ code, message, hint, stack }: Failure): Error {
  if (code !== undefined) return new PipelineError(code, message, hint === undefined ? {} : { hint });
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}

async function take({ worker, waiting }: Thread, message: FromThread): Promise<void> {
  const asked = waiting.get(message.task);
  if (asked === undefined) return;
  if (message.kind === "said") {
    const { task, body, wantsAnswer } = message;
    asked.heard = asked.heard.then(async () => {
      const answer = await asked.hear(body);
      if (wantsAnswer) worker.postMessage({ kind: "answer", task, answer } satisfies ToThread);
    });
    // What fails here is thrown when the task ends; until then nobody is waiting for it. One that waits for an answer would never end.
    asked.heard.catch((error: unknown) => {
      if (!waiting.delete(task)) return;
      worker.postMessage({ kind: "drop", task } satisfies ToThread);
      asked.reject(error);
    });
    return;
  }
  await asked.heard;
  if (!waiting.delete(message.task)) return;
  if (message.kind === "done") asked.resolve(message.answer);
  else asked.reject(errorOf(message.failure));
}

function startThread(workerData: ThreadStart): Thread {
  const worker = new Worker(entryUrl(), { workerData });
  const waiting = new Map<number, Waiting>();
  const thread: Thread = { worker, waiting, hasEnded: false };
  const failAll = (error: Error): void => {
    thread.hasEnded = true;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  worker.on("message", (message: FromThread) => void take(thread, message).catch(() => undefined));
  worker.on("error", failAll);
  worker.on("exit", (code) => failAll(new Error(`a thread ended with ${code}`)));
  return thread;
}

/** Starts threads, each of which opens the warehouse for itself when it has to read it. A thread that dies fails its tasks. */
export function startThreads(count: number, start: ThreadStart): ThreadPool {
  const threads = Array.from({ length: count }, () => startThread(start));
  let tasks = 0;
  return {
    atOnce: count * TASKS_EACH,
    run<Answer>(work: ThreadTask, hear: Hear = () => undefined) {
      const [thread] = threads
        .filter(({ hasEnded }) => !hasEnded)
        .sort((a, b) => a.waiting.size - b.waiting.size);
      if (thread === undefined) return Promise.reject(new Error("every thread has ended"));
      const { waiting, worker } = thread;
      tasks += 1;
      const task = tasks;
      return new Promise<Answer>((resolve, reject) => {
        const heard = Promise.resolve();
        waiting.set(task, { hear, heard, resolve: (answer) => resolve(answer as Answer), reject });
        worker.postMessage({ kind: "task", task, work } satisfies ToThread);
      });
    },
    async close() {
      for (const thread of threads) thread.hasEnded = true;
      await Promise.all(threads.map(({ worker }) => worker.terminate()));
    },
  };
}

/**
 * Has a thread read one DAO of an archive into a fetch, which `begin` opens when the first of it comes: threads read
 * side by side, and only one of them at a time has the warehouse open.
 */
export async function fetchInThread(input: {
  readonly dao: TrackedDao;
  readonly directory: string;
  readonly threads: ThreadPool;
  readonly begin: () => Promise<OpenSpaceFetch>;
}): Promise<void> {
  const { dao, directory, threads, begin } = input;
  await threads.run({ kind: "fetch", dao, directory }, async (body) => {
    const { records, voters } = body as FetchSaid;
    const fetch = await begin();
    for (const record of records) fetch.put(record);
    return voters === undefined ? undefined : fetch.numberVoters(voters);
  });
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
