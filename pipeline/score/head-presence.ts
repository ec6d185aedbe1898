import type { BallotHeads } from "./ballot-heads.ts";

/** Counts the heads that voted on one list of ballots after another. */
export interface HeadPresence {
  /** Heads that voted on any of these ballots; only those that came or went are looked at. */
  count(ballots: readonly BallotHeads[]): number;
}

/** A counter that has seen no ballot, for heads 0..n−1. */
export function createHeadPresence(headsCount: number): HeadPresence {
  const votesOf = new Int32Array(headsCount);
  let last: ReadonlySet<BallotHeads> = new Set();
  let presentCount = 0;

  // Both run over every vote that comes or goes; heads are inside of the column.
  const enter = ({ heads }: BallotHeads): void => {
    for (let place = 0; place < heads.length; place += 1) {
      const head = heads[place] as number;
      if (votesOf[head] === 0) presentCount += 1;
      votesOf[head] = (votesOf[head] as number) + 1;
    }
  };
  const leave = ({ heads }: BallotHeads): void => {
    for (let place = 0; place < heads.length; place += 1) {
      const head = heads[place] as number;
      votesOf[head] = (votesOf[head] as number) - 1;
      if (votesOf[head] === 0) presentCount -= 1;
    }
  };

  return {
    count(ballots) {
      const next = new Set(ballots);
      for (const ballot of last) if (!next.has(ballot)) leave(ballot);
      for (const ballot of next) if (!last.has(ballot)) enter(ballot);
      last = next;
      return presentCount;
    },
  };
}
