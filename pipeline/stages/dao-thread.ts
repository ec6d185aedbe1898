import { type MessagePort, parentPort, type Transferable, workerData } from "node:worker_threads";
import { type PublicEntities, publicEntities } from "../documents/entities.ts";
import { invariant, PipelineError } from "../facts/errors.ts";
import type { SpaceSink } from "../facts/governance-source.ts";
import type { VoterList } from "../facts/voters.ts";
import { createArchiveSource } from "../sources/archive/archive-source.ts";
import type { WrittenRecord } from "../warehouse/fetch-writer.ts";
import { REJECTED_ROWS_MAX } from "../warehouse/fetches.ts";
import { packedVotesOf } from "../warehouse/votes.ts";
import { openWarehouseReader } from "../warehouse/warehouse-reader.ts";
import { createDrawing, type DrawnDao, type DrawTask } from "./draw-dao.ts";
import { createDaoScoring, type PackedOne, packOne } from "./score-dao.ts";
import type { FromTask, HandedTask, ThreadStart, ThreadTask } from "./thread-pool.ts";

/** Packed ballots are handed on when there are so many bytes of them. */
const HANDED_ON_BYTES = 4 * 1024 * 1024;

/**
 * Fetches one DAO of an archive and hands over what it puts, its ballots packed. Nothing is handed over before the voters
 * are asked for, so that nobody has to hold the warehouse open while a file is read.
 */
async function fetchTask(
  { dao, directory }: Extract<ThreadTask, { kind: "fetch" }>,
  port: MessagePort,
): Promise<undefined> {
  let records: WrittenRecord[] = [];
  let transfer: Transferable[] = [];
  let packedBytes = 0;
  const handOn = (voters?: VoterList): void => {
    const said: FromTask = { kind: "said", said: { records, voters } };
    port.postMessage(said, transfer);
    records = [];
    transfer = [];
    packedBytes = 0;
  };
  // A file of nothing but nonsense has a reason for every line: those that nobody keeps are counted here.
  let rejected = 0;
  const moreByCode = new Map<string, number>();
  const sink: SpaceSink = {
    internVoter() {
      throw new Error("invariant: a DAO with a governor is fetched in the main thread");
    },
    async numberVoters(voters) {
      const numbers = await new Promise((resolve, reject) => {
        port.once("message", resolve);
        // Nobody hears this task any more; what it holds is let go of with it.
        port.once("close", () => reject(new Error("the task was cancelled")));
        handOn(voters);
      });
      invariant(numbers instanceof Uint32Array, "voters are answered by their numbers");
      return numbers;
    },
    put(record) {
      if (record.kind === "votes") {
        const votes = packedVotesOf(record.votes);
        packedBytes += votes.packed.length;
        transfer.push(votes.packed.buffer as ArrayBuffer);
        records.push({ kind: "packed-votes", votes, isFinal: record.isFinal });
      } else if (record.kind === "rejection" && rejected >= REJECTED_ROWS_MAX) {
        moreByCode.set(record.code, (moreByCode.get(record.code) ?? 0) + 1);
      } else {
        if (record.kind === "rejection") rejected += 1;
        records.push(record);
      }
      if (packedBytes >= HANDED_ON_BYTES) handOn();
    },
  };
  try {
    await createArchiveSource({ directory }).fetchSpace(dao, sink);
  } finally {
    // What a fetch that fails has rejected says why it does.
    for (const [code, count] of moreByCode) records.push({ kind: "more-rejections", code, count });
    handOn();
  }
  return undefined;
}

const { registry, warehouse } = workerData as ThreadStart;
let score: ReturnType<typeof createDaoScoring> | undefined;
let draw: ReturnType<typeof createDrawing> | undefined;
let entities: PublicEntities | undefined;

/** Scores one DAO out of the warehouse, which is opened for reading at the first of them. */
function scoreTask({ dao, asOfMs }: Extract<ThreadTask, { kind: "score" }>): PackedOne {
  score ??= createDaoScoring(registry, openWarehouseReader(warehouse));
  entities ??= publicEntities(registry);
  return packOne(score(dao, asOfMs), entities);
}

/** Draws up the documents of one DAO. */
function drawTask(task: DrawTask): DrawnDao {
  draw ??= createDrawing(registry);
  return draw(task);
}

function answerOf(work: ThreadTask, port: MessagePort): unknown {
  switch (work.kind) {
    case "fetch":
      return fetchTask(work, port);
    case "score":
      return scoreTask(work);
    case "draw":
      return drawTask(work);
  }
}

function failureOf(error: unknown): FromTask {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const known = error instanceof PipelineError ? error : undefined;
  return { kind: "failed", code: known?.code, message, hint: known?.hint, stack };
}

async function answerTo({ work, port }: HandedTask): Promise<void> {
  try {
    const answer = await answerOf(work, port);
    port.postMessage({ kind: "done", answer } satisfies FromTask);
  } catch (error) {
    port.postMessage(failureOf(error));
  }
}

// The entry of a thread: takes tasks, several at a time where one waits, until it is ended from outside.
invariant(parentPort !== null, "this file is the entry of a thread");
parentPort.on("message", (handed: HandedTask) => void answerTo(handed));
