import { type ProposalVotes, VOTE_FLAGS } from "../../facts/proposal-votes.ts";
import { METHODOLOGY } from "../method/methodology.ts";
import { type Electorate, isValid } from "./ballot.ts";

const { timeKnown } = VOTE_FLAGS;
const BATCH_MS = METHODOLOGY.deliberation.batchSeconds * 1000;

/** Whether a vote was cast within a minute of the same wallet's vote on an earlier proposal, if known. */
export const BATCH = { apart: 0, batch: 1, unknown: 2 } as const;

/**
 * Finds votes cast in a batch, that is within a minute of the same wallet's vote on a proposal earlier by (end, id).
 * Returns a value of `BATCH` per row, by proposal. `ended` holds the fetched ballots of eligible proposals, sorted by
 * (end, id). For each vote, the search goes back through its wallet's votes only as far as proposals that were still open.
 */
export function findBatchVotes(
  ended: readonly { readonly endMs: number; readonly votes: ProposalVotes }[],
  electorate: Electorate,
): ReadonlyMap<string, Uint8Array> {
  const all = ended.reduce((sum, { votes }) => sum + votes.count, 0);
  /** By wallet: its last vote so far, or −1. */
  const last = new Int32Array(electorate.voterOfWallet.length).fill(-1);
  /** By vote: the previous vote of its wallet, or −1; its time, NaN if not known to the second; its proposal's end. */
  const before = new Int32Array(all);
  const timesMs = new Float64Array(all);
  const endsMs = new Float64Array(all);
  const judge = (wallet: number, timeMs: number): number => {
    if (Number.isNaN(timeMs)) return BATCH.unknown;
    let least: number = BATCH.apart;
    for (let vote = last[wallet] as number; vote >= 0; vote = before[vote] as number) {
      // Ballots are sorted by their ends, so all earlier ones had closed too.
      if ((endsMs[vote] as number) < timeMs - BATCH_MS) break;
      const otherMs = timesMs[vote] as number;
      if (Math.abs(timeMs - otherMs) <= BATCH_MS) return BATCH.batch;
      if (Number.isNaN(otherMs)) least = BATCH.unknown;
    }
    return least;
  };
  const marks = new Map<string, Uint8Array>();
  let next = 0;
  for (const { endMs, votes } of ended) {
    const wallets = electorate.walletsOf(votes);
    const batches = new Uint8Array(votes.count);
    // Runs for every vote; all indexes exist.
    for (let row = 0; row < votes.count; row += 1) {
      if (!isValid(votes, row)) continue;
      const wallet = wallets[row] as number;
      const isTimed = ((votes.flags[row] as number) & timeKnown) !== 0;
      const timeMs = isTimed ? (votes.timesS[row] as number) * 1000 : Number.NaN;
      batches[row] = judge(wallet, timeMs);
      timesMs[next] = timeMs;
      endsMs[next] = endMs;
      before[next] = last[wallet] as number;
      last[wallet] = next;
      next += 1;
    }
    marks.set(votes.proposalId, batches);
  }
  return marks;
}
