import type { Transferable } from "node:worker_threads";
import { invariant } from "../../base/invariant.ts";
import type { Rejection, SpaceSink } from "../../facts/space-sink.ts";
import { createArchiveSource } from "../../sources/archive/index.ts";
import { packedBallotOf } from "../../warehouse/packed-ballot.ts";
import { REJECTED_ROWS_MAX } from "../../warehouse/rejected-rows.ts";
import type { FetchSaid, Put, ThreadTask } from "./messages.ts";
import type { Say } from "./say.ts";

/** Packed ballots are handed on when there are so many bytes of them. */
const HANDED_ON_BYTES = 4 * 1024 * 1024;

/**
 * Fetches one DAO of an archive and hands over what it puts, its ballots packed. Nothing is handed over before the voters
 * are asked for, so that nobody has to hold the warehouse open while a file is read.
 */
export async function fetchTask(
  { dao, directory }: Extract<ThreadTask, { kind: "fetch" }>,
  say: Say,
): Promise<undefined> {
  let puts: Put[] = [];
  let transfer: Transferable[] = [];
  let packedBytes = 0;
  const takeAll = (): readonly Put[] => {
    const taken = puts;
    puts = [];
    transfer = [];
    packedBytes = 0;
    return taken;
  };
  const handOn = (): void => {
    const given = transfer;
    say.tell({ puts: takeAll(), voters: undefined } satisfies FetchSaid, given);
  };
  const put = (one: Put): void => {
    puts.push(one);
    if (packedBytes >= HANDED_ON_BYTES) handOn();
  };
  // A file of nothing but nonsense has a reason for every line: those that nobody keeps are counted here.
  let rejected = 0;
  const moreByCode = new Map<string, number>();
  const reject = (rejection: Rejection): void => {
    rejected += 1;
    if (rejected <= REJECTED_ROWS_MAX) put({ put: "rejection", rejection });
    else moreByCode.set(rejection.code, (moreByCode.get(rejection.code) ?? 0) + 1);
  };
  const neverHere = (): never => {
    throw new Error("invariant: a DAO with a governor is fetched in the main thread");
  };
  const sink: SpaceSink = {
    internVoter: neverHere,
    putDelegationEvents: neverHere,
    async numberVoters(voters) {
      const numbers = await say.ask({ puts: takeAll(), voters } satisfies FetchSaid);
      invariant(numbers instanceof Uint32Array, "voters are answered by their numbers");
      return numbers;
    },
    putSpace: (space) => put({ put: "space", space }),
    putProposal: (proposal) => put({ put: "proposal", proposal }),
    putBallot(ballot) {
      const packed = packedBallotOf(ballot);
      packedBytes += packed.packed.length;
      transfer.push(packed.packed.buffer as ArrayBuffer);
      put({ put: "ballot", ballot: packed });
    },
    putDelegateList: (list) => put({ put: "delegate-list", list }),
    reject,
  };
  try {
    await createArchiveSource({ directory }).fetchSpace(dao, sink);
  } finally {
    // What a fetch that fails has rejected says why it does.
    for (const [code, count] of moreByCode) put({ put: "more-rejections", code, count });
    handOn();
  }
  return undefined;
}
