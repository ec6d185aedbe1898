import { invariant } from "../base/invariant.ts";
import type { Coordination } from "./coordination.ts";
import {
  type CoordinationWindow,
  createCoordinationWindow,
  type WindowBallot,
} from "./coordination-window.ts";
import { mergeVoters } from "./merge-voters.ts";

/** Who is one human-equivalent in a frame, and what was looked at to say so. */
export interface Humans {
  /** Its links are made when they are asked for, and only until the window moves on. */
  readonly coordination: Coordination;
  /** By voter: the smallest voter of its entity and its cluster, or itself. The same array for as long as nothing changes. */
  readonly humanOfVoter: Int32Array;
}

/** The human-equivalents in one frame after another. */
export interface HumansWindow {
  /** Moves to a frame; its ballots ascending. */
  at(ballots: readonly WindowBallot[]): Humans;
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

/** A window over a DAO's ballots. By voter, `entityHeads` has the smallest voter of its entity, or itself. */
export function createHumansWindow(entityHeads: Int32Array): HumansWindow {
  const window = createCoordinationWindow(entityHeads.length);
  let humanOfVoter = entityHeads;
  let moves = 0;
  return {
    at(ballots) {
      if (window.moveTo(ballots)) humanOfVoter = mergeVoters(entityHeads, window.forEachLink);
      moves += 1;
      return { coordination: coordinationOf(window, moves, () => moves), humanOfVoter };
    },
  };
}
