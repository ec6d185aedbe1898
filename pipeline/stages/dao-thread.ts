import { type MessagePort, parentPort, type Transferable, workerData } from "node:worker_threads";
import { invariant, isPipelineFailure } from "../facts/errors.ts";
import type { SpaceSink } from "../facts/governance-source.ts";
import type { VoterList } from "../facts/voters.ts";
import { createArchiveSource } from "../sources/archive/archive-source.ts";
import type { WrittenRecord } from "../warehouse/record-writer.ts";
import { REJECTED_ROWS_MAX } from "../warehouse/rejections.ts";
import { packedVotesOf } from "../warehouse/votes.ts";
import { openWarehouseReader } from "../warehouse/warehouse-reader.ts";
import { createDaoScoring } from "./score-dao.ts";
import type { FromTask, PostedTask, ThreadStart, ThreadTask } from "./thread-pool.ts";
import { createDaoVisits } from "./visit-dao.ts";

/** Packed ballots are posted once they reach this size. */
const FLUSH_BYTES = 4 * 1024 * 1024;

/**
 * Fetches one DAO of an archive and posts its records, with packed ballots. Posts nothing before it requests
 * voter numbers, so that the warehouse need not stay open while a file is read.
 */
async function fetchTask(
  { dao, directory }: Extract<ThreadTask, { kind: "fetch" }>,
  port: MessagePort,
): Promise<void> {
  let records: WrittenRecord[] = [];
  let transfer: Transferable[] = [];
  let packedBytes = 0;
  const flush = (voters?: VoterList): void => {
    const message: FromTask = { kind: "fetched", part: { records, voters } };
    port.postMessage(message, transfer);
    records = [];
    transfer = [];
    packedBytes = 0;
  };
  // A corrupt file has a rejection for every line: those over the limit are only counted, here.
  let rejected = 0;
  const moreByCode = new Map<string, number>();
  const sink: SpaceSink = {
    internVoter() {
      throw new Error("invariant: a DAO with a governor is fetched in the main thread");
    },
    async numberVoters(voters) {
      const numbers = await new Promise((resolve, reject) => {
        port.once("message", resolve);
        // The port closed: the task was cancelled, so release what it holds.
        port.once("close", () => reject(new Error("the task was cancelled")));
        flush(voters);
      });
      invariant(numbers instanceof Uint32Array, "voter numbers are a Uint32Array");
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
      if (packedBytes >= FLUSH_BYTES) flush();
    },
  };
  try {
    await createArchiveSource({ directory }).fetchSpace(dao, sink);
  } finally {
    // The rejections of a failed fetch explain why it failed.
    for (const [code, count] of moreByCode) records.push({ kind: "more-rejections", code, count });
    flush();
  }
}

const { registry, warehouse } = workerData as ThreadStart;
let visit: ReturnType<typeof createDaoVisits> | undefined;

async function answerTo({ work, port }: PostedTask): Promise<void> {
  try {
    // The warehouse is opened for reading at the first visit.
    if (work.kind === "visit") {
      visit ??= createDaoVisits(registry, createDaoScoring(registry, openWarehouseReader(warehouse)));
    }
    const answer = work.kind === "visit" ? visit?.(work) : await fetchTask(work, port);
    port.postMessage({ kind: "done", answer } satisfies FromTask);
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    const { code, hint } = isPipelineFailure(error) ? error : {};
    port.postMessage({ kind: "failed", code, message, hint, stack } satisfies FromTask);
  }
}

// Entry of a thread: accepts tasks, several at a time while one waits, until it is terminated.
invariant(parentPort !== null, "this file is the entry of a worker thread");
parentPort.on("message", (posted: PostedTask) => void answerTo(posted));
