import { invariant } from "../../facts/errors.ts";
import { createDisjointSets } from "../method/statistics.ts";
import {
  type CoordinationWindow,
  createCoordinationWindow,
  type WindowVotes,
} from "./coordination-window.ts";

/** What the coordination test found in a frame. */
export interface Coordination {
  /** `false` where too few votes have a time or there are too few proposals: nothing was looked at. */
  readonly isAssessed: boolean;
  /** Pairs of voters (dense numbers) that are likely coordinated. */
  readonly links: readonly (readonly [a: number, b: number])[];
}

/** Who is one human-equivalent in a frame, and what was looked at to say so. */
export interface Humans {
  /** Its links are made when they are asked for, and only until the window moves on. */
  readonly coordination: Coordination;
  /** By voter: the smallest voter of its entity and its cluster, or itself. The same array for as long as nothing changes. */
  readonly humanOfVoter: Int32Array;
}

/**
 * A window over a DAO's votes that finds pairs of wallets whose votes coincide in choice and minute far more often than
 * independent votes would. By voter, `entityHeads` has the smallest voter of its entity, or itself.
 *
 * Range: links between voters; by a union bound at most 0.01 false ones are expected in a frame.
 * Unit: pairs of wallets. "Likely coordinated", never more than that.
 * Source: times and choices of the frame's counted votes; a window of more than 256 voters is no evidence.
 * Gap: not assessed with fewer than half of the votes timed, or fewer than 3 proposals that have timed votes.
 */
export function createHumansWindow(entityHeads: Int32Array) {
  const window = createCoordinationWindow(entityHeads.length);
  let humanOfVoter = entityHeads;
  let moves = 0;
  return {
    /** Moves to a frame; its ballots ascending. */
    at(ballots: readonly WindowVotes[]): Humans {
      if (window.moveTo(ballots)) humanOfVoter = mergeVoters(entityHeads, window.forEachLink);
      moves += 1;
      return { coordination: coordinationOf(window, moves, () => moves), humanOfVoter };
    },
  };
}

/**
 * The human-equivalent of every voter, named by its smallest voter: entities first, then all that are linked.
 * Where there is no link it is `entityHeads` itself.
 */
export function mergeVoters(
  entityHeads: Int32Array,
  forEachLink: (join: (voter: number, partner: number) => void) => void,
): Int32Array {
  const sets = createDisjointSets(entityHeads.length);
  let isLinked = false;
  forEachLink((voter, partner) => {
    isLinked = true;
    sets.join(voter, partner);
  });
  if (!isLinked) return entityHeads;
  entityHeads.forEach((head, voter) => {
    if (head !== voter) sets.join(head, voter);
  });
  return entityHeads.map((_, voter) => sets.find(voter));
}

/** What was found up to the last move. Hardly anybody asks for the links themselves, and there can be hundreds of thousands. */
function coordinationOf(window: CoordinationWindow, move: number, lastMove: () => number): Coordination {
  return {
    isAssessed: window.isAssessed(),
    get links() {
      invariant(move === lastMove(), "links are read after the window has moved on");
      const links: [number, number][] = [];
      window.forEachLink((voter, partner) => links.push([voter, partner]));
      return links;
    },
  };
}
