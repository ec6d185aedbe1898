import type { BallotVotes } from "./ballot-votes.ts";
import { createCoordinationWindow } from "./coordination-window.ts";
import { mergeVoters } from "./merge-voters.ts";

/** What the coordination test found in a frame. */
export interface Coordination {
  /** `false` where too few votes have a time or there are too few proposals: nothing was looked at. */
  readonly isAssessed: boolean;
  /** Pairs of voters (dense numbers) that are likely coordinated. */
  readonly links: readonly (readonly [a: number, b: number])[];
}

/**
 * Finds pairs of wallets whose votes coincide in choice and minute far more often than independent votes would.
 * `ballots`: those of one frame, by (end, id).
 *
 * Range: links between voters; by a union bound at most 0.01 false ones are expected in a frame.
 * Unit: pairs of wallets. "Likely coordinated", never more than that.
 * Source: times and choices of the frame's counted votes; a window of more than 256 voters is no evidence.
 * Gap: not assessed with fewer than half of the votes timed, or fewer than 3 proposals that have timed votes.
 */
export function findCoordination(ballots: readonly BallotVotes[]): Coordination {
  const votersCount = ballots.reduce(
    (most, { voters }) => voters.reduce((largest, voter) => Math.max(largest, voter + 1), most),
    0,
  );
  const window = createCoordinationWindow(votersCount);
  window.moveTo(ballots.map((votes, order) => ({ order, votes })));
  const links: [number, number][] = [];
  window.forEachLink((voter, partner) => links.push([voter, partner]));
  return { isAssessed: window.isAssessed(), links };
}

/** The human-equivalent of every voter: entities first, then likely coordinated ones; named by its smallest voter. */
export function humanEquivalents(entityHeads: Int32Array, { links }: Coordination): Int32Array {
  return mergeVoters(entityHeads, (join) => {
    for (const [voter, partner] of links) join(voter, partner);
  });
}
