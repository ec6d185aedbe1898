import { parentPort, type Transferable, workerData } from "node:worker_threads";
import { invariant } from "../../base/invariant.ts";
import { PipelineError } from "../../base/pipeline-error.ts";
import { fetchTask } from "./fetch-task.ts";
import type { Failure, FromThread, ThreadStart, ToThread } from "./messages.ts";
import type { Say } from "./say.ts";
import { createScoreTask } from "./score-task.ts";

// The entry of a thread: takes tasks, several at a time where one waits, until it is ended from outside.

const port = parentPort;
invariant(port !== null, "this file is the entry of a thread");

interface Waiting {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

const waiting = new Map<number, Waiting>();
const scoreTask = createScoreTask(workerData as ThreadStart);

function sayFor(task: number): Say {
  const post = (body: unknown, wantsAnswer: boolean, transfer: readonly Transferable[]): void =>
    port?.postMessage({ kind: "said", task, body, wantsAnswer } satisfies FromThread, transfer);
  return {
    tell: (body, transfer = []) => post(body, false, transfer),
    ask: (body, transfer = []) =>
      new Promise((resolve, reject) => {
        waiting.set(task, { resolve, reject });
        post(body, true, transfer);
      }),
  };
}

function failureOf(error: unknown): Failure {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const known = error instanceof PipelineError ? error : undefined;
  return { code: known?.code, message, hint: known?.hint, stack };
}

async function answerTo(message: ToThread): Promise<void> {
  const { task } = message;
  if (message.kind !== "task") {
    const asked = waiting.get(task);
    waiting.delete(task);
    if (message.kind === "answer") asked?.resolve(message.answer);
    // What it holds is let go of with it.
    else asked?.reject(new Error("nobody hears this task any more"));
    return;
  }
  const { work } = message;
  let reply: FromThread;
  try {
    const answer = work.kind === "fetch" ? await fetchTask(work, sayFor(task)) : scoreTask(work);
    reply = { kind: "done", task, answer };
  } catch (error) {
    reply = { kind: "failed", task, failure: failureOf(error) };
  }
  port?.postMessage(reply);
}

port.on("message", (message: ToThread) => void answerTo(message));
