import type { BallotHeads } from "./ballot-heads.ts";

/** A proposal's ω and the heads that voted on it; the same object for as long as both are the same. */
export interface WeighedBallot {
  readonly attention: number;
  readonly heads: BallotHeads;
}

/** Heads over some proposals; the columns are by head and written over by the next call. */
export interface HeadWeights {
  /** Σω of the proposals on which each head voted; 0 where it did not vote. */
  readonly attention: Float64Array;
  /** g, 0–1. */
  readonly weights: Float64Array;
  /** 1 where g is another than after the call before. */
  readonly isOther: Uint8Array;
}

/** Weighs heads over one list of proposals after another. */
export interface HeadWeigher {
  /** By (end, id). Only heads of proposals that came, went or changed are added up again, each from its first proposal on. */
  weigh(ballots: readonly WeighedBallot[]): HeadWeights;
}

/** A weigher that has seen no proposal, for heads 0..n−1. */
export function createHeadWeigher(headsCount: number): HeadWeigher {
  const attention = new Float64Array(headsCount);
  const sums = new Float64Array(headsCount);
  const weights = new Float64Array(headsCount);
  const isOther = new Uint8Array(headsCount);
  const isTouched = new Uint8Array(headsCount);
  const touched: number[] = [];
  let last: ReadonlySet<WeighedBallot> = new Set();

  const touch = ({ heads: { heads } }: WeighedBallot): void => {
    for (const head of heads) {
      if (isTouched[head] === 1) continue;
      isTouched[head] = 1;
      touched.push(head);
      attention[head] = 0;
      sums[head] = 0;
    }
  };
  // Plain loops from here on: they run over every vote of every frame.
  const addUp = ({ attention: omega, heads: { heads, weights: own } }: WeighedBallot): void => {
    for (let place = 0; place < heads.length; place += 1) {
      const head = heads[place] ?? 0;
      if (isTouched[head] === 0) continue;
      attention[head] = (attention[head] ?? 0) + omega;
      sums[head] = (sums[head] ?? 0) + (own === undefined ? omega : omega * (own[place] ?? 0));
    }
  };

  return {
    weigh(ballots) {
      const next = new Set(ballots);
      isOther.fill(0);
      for (const ballot of last) if (!next.has(ballot)) touch(ballot);
      for (const ballot of ballots) if (!last.has(ballot)) touch(ballot);
      if (touched.length > 0) for (const ballot of ballots) addUp(ballot);
      for (const head of touched) {
        const sum = attention[head] ?? 0;
        const weight = sum > 0 ? (sums[head] ?? 0) / sum : 0;
        isOther[head] = weight === weights[head] ? 0 : 1;
        weights[head] = weight;
        isTouched[head] = 0;
      }
      touched.length = 0;
      last = next;
      return { attention, weights, isOther };
    },
  };
}
