import { type ProposalVotes, VOTE_FLAGS } from "../../facts/proposal-votes.ts";
import { METHODOLOGY } from "../method/methodology.ts";
import { type Electorate, isValid } from "./ballot.ts";

const { timeKnown } = VOTE_FLAGS;
const BATCH_MS = METHODOLOGY.deliberation.batchSeconds * 1000;

/** What is known of each vote of a ballot, by row: whether it was cast within a minute of the wallet's vote on an earlier proposal. */
export const BATCH = { apart: 0, batch: 1, unknown: 2 } as const;

/** An eligible proposal whose ballot was fetched. */
interface EndedBallot {
  readonly endMs: number;
  readonly votes: ProposalVotes;
}

/** The valid votes of all ballots so far, each with the one before it of the same wallet. */
interface VoteChain {
  /** By wallet: its last vote, or −1. */
  readonly last: Int32Array;
  /** By vote: the one before it, or −1; its time, NaN where it is not known to the second; and the end of its proposal. */
  readonly before: Int32Array;
  readonly timesMs: Float64Array;
  readonly endsMs: Float64Array;
}

function judge(chain: VoteChain, wallet: number, timeMs: number): number {
  if (Number.isNaN(timeMs)) return BATCH.unknown;
  let found: number = BATCH.apart;
  for (let vote = chain.last[wallet] as number; vote >= 0; vote = chain.before[vote] as number) {
    // Ballots come by their ends: all before this one had closed as well.
    if ((chain.endsMs[vote] as number) < timeMs - BATCH_MS) break;
    const otherMs = chain.timesMs[vote] as number;
    if (Math.abs(timeMs - otherMs) <= BATCH_MS) return BATCH.batch;
    if (Number.isNaN(otherMs)) found = BATCH.unknown;
  }
  return found;
}

/**
 * Which votes were cast in a batch, by proposal: within a minute of the same wallet's vote on a proposal earlier by
 * (end, id). `ended` in this order. Each vote looks back along its wallet's votes on proposals that were still open,
 * and no further.
 */
export function findBatchVotes(
  ended: readonly EndedBallot[],
  electorate: Electorate,
): ReadonlyMap<string, Uint8Array> {
  const all = ended.reduce((sum, { votes }) => sum + votes.count, 0);
  const chain: VoteChain = {
    last: new Int32Array(electorate.headOfWallet.length).fill(-1),
    before: new Int32Array(all),
    timesMs: new Float64Array(all),
    endsMs: new Float64Array(all),
  };
  const found = new Map<string, Uint8Array>();
  let next = 0;
  for (const { endMs, votes } of ended) {
    const wallets = electorate.walletsOf(votes);
    const batches = new Uint8Array(votes.count);
    // Once for every vote; rows lie in the ballot's columns.
    for (let row = 0; row < votes.count; row += 1) {
      if (!isValid(votes, row)) continue;
      const wallet = wallets[row] as number;
      const isTimed = ((votes.flags[row] as number) & timeKnown) !== 0;
      const timeMs = isTimed ? (votes.timesS[row] as number) * 1000 : Number.NaN;
      batches[row] = judge(chain, wallet, timeMs);
      chain.timesMs[next] = timeMs;
      chain.endsMs[next] = endMs;
      chain.before[next] = chain.last[wallet] as number;
      chain.last[wallet] = next;
      next += 1;
    }
    found.set(votes.proposalId, batches);
  }
  return found;
}
