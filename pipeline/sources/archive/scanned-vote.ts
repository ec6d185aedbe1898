import { ADDRESS_WORDS } from "../../facts/voter-list.ts";
import type { ScannedNumber } from "./scan-number.ts";
import type { ScannedText } from "./scan-text.ts";

/** The option of a choice that is a list or an object. */
export const NO_OPTION = -1;

/** A vote as it stands in the bytes: what is read of it, and where in them the rest lies. */
export interface ScannedVote extends ScannedNumber, ScannedText {
  /** Where an id lies; `idTo` is 0 where there is none. */
  idFrom: number;
  idTo: number;
  /** The id is 0x and 64 small hex digits, which are `idWords` too. */
  isHexId: boolean;
  readonly idWords: Int32Array;
  isVoterLong: boolean;
  readonly voterWords: Int32Array;
  /** The id of a proposal with its quotes, set by whoever knows it; `isOnKnown` says whether this vote has it. */
  knownProposal: DataView;
  isOnKnown: boolean;
  /** Where the id of another proposal lies. */
  proposalFrom: number;
  proposalTo: number;
  timeS: number;
  /** The number that is the choice; `NO_OPTION` for a list or an object, which lies between the next two. */
  option: number;
  choiceFrom: number;
  choiceTo: number;
  power: number;
  /** What the vote says of itself. */
  flags: number;
}

/** Where scanned votes go, one after the other. */
export function createScannedVote(): ScannedVote {
  return {
    idFrom: 0,
    idTo: 0,
    isHexId: false,
    idWords: new Int32Array(ADDRESS_WORDS),
    isVoterLong: false,
    voterWords: new Int32Array(ADDRESS_WORDS),
    knownProposal: new DataView(Uint8Array.of(0).buffer),
    isOnKnown: false,
    proposalFrom: 0,
    proposalTo: 0,
    timeS: 0,
    option: 0,
    choiceFrom: 0,
    choiceTo: 0,
    // Fractions from the beginning, so that the engine keeps a double in its place.
    power: 0.5,
    number: 0.5,
    flags: 0,
    isGiven: false,
    isWide: false,
  };
}
