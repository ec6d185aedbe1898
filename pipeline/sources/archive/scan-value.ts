import { VOTE_FLAGS } from "../../facts/proposal-votes.ts";
import { ADDRESS_DIGITS, ADDRESS_WORDS } from "../../facts/voters.ts";
import { EARLIEST_S, LATEST_S } from "../upstream/parse-values.ts";
import {
  flatEnd,
  idEnd,
  plainEnd,
  type ScannedNumber,
  type ScannedText,
  scanNumber,
  textEnd,
} from "./scan-fields.ts";
import { codesOf, FIELDS, isAt, isSame, keyAt, pastSpace, valueFrom } from "./scan-keys.ts";

const BAD = 0x100;

/** By two characters as they stand in 16 bits of memory, what the two hex digits are worth; `BAD` where one is none. */
function pairsOf(digits: string): Uint16Array {
  const pairs = new Uint16Array(2 ** 16).fill(BAD);
  for (const high of digits) {
    for (const low of digits) {
      pairs[high.charCodeAt(0) | (low.charCodeAt(0) << 8)] = Number.parseInt(high + low, 16);
    }
  }
  return pairs;
}

/** Digits with small letters. */
export const SMALL_HEX = pairsOf("0123456789abcdef");
/** Digits with letters of either case. */
export const ANY_HEX = pairsOf("0123456789abcdefABCDEF");

/**
 * Reads hex digits as `readAddress` does, eight to a word, and answers whether all of them are such as `pairs` has. Four
 * bytes at once and two digits by one table: half the time of a digit after the other, and ids are most of a vote's bytes.
 */
export function readHexWords(
  view: DataView,
  from: number,
  digits: number,
  pairs: Uint16Array,
  words: Int32Array,
): boolean {
  let bad = 0;
  let at = from;
  for (let word = 0; word < digits >> 3; word += 1) {
    const first = view.getInt32(at, true);
    const last = view.getInt32(at + 4, true);
    // Sixteen bits are always inside the table.
    const a = pairs[first & 0xffff] as number;
    const b = pairs[first >>> 16] as number;
    const c = pairs[last & 0xffff] as number;
    const d = pairs[last >>> 16] as number;
    bad |= a | b | c | d;
    words[word] = (a << 24) | (b << 16) | (c << 8) | d;
    at += 8;
  }
  for (let word = digits >> 3; word < words.length; word += 1) words[word] = 0;
  return bad < BAD;
}

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

const [QUOTE, OPEN_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [34, 91, 123, 125];
const [DIGIT_ZERO, LETTER_N, LETTER_X] = [48, 110, 120];
const NULL = codesOf("null");
const FINAL = codesOf('final"');

/** Where the value of a key ends, or −1 where it is left to the plain way. */
export function scanValue(
  bytes: Uint8Array,
  view: DataView,
  at: number,
  field: number,
  vote: ScannedVote,
): number {
  switch (field) {
    case FIELDS.id:
      return bytes[at] === QUOTE ? scanId(bytes, view, at + 1, vote) : nullEnd(bytes, at);
    case FIELDS.voter:
      return scanVoter(bytes, view, at, vote);
    case FIELDS.created:
      return scanCreated(bytes, at, vote);
    case FIELDS.choice:
      return scanChoice(bytes, at, vote);
    case FIELDS.vp:
      return bytes[at] === LETTER_N ? nullEnd(bytes, at) : scanPower(bytes, at, vote);
    case FIELDS.vpState:
      return bytes[at] === QUOTE ? scanState(bytes, at + 1, vote) : nullEnd(bytes, at);
    case FIELDS.reason:
      return bytes[at] === QUOTE ? scanReason(bytes, at + 1, vote) : nullEnd(bytes, at);
    default:
      return scanProposal(bytes, view, at, vote);
  }
}

function scanId(bytes: Uint8Array, view: DataView, from: number, vote: ScannedVote): number {
  const digitsFrom = from + 2;
  const hexEnd = digitsFrom + ADDRESS_DIGITS.starknet;
  vote.isHexId =
    bytes[from] === DIGIT_ZERO &&
    bytes[from + 1] === LETTER_X &&
    bytes[hexEnd] === QUOTE &&
    readHexWords(view, digitsFrom, ADDRESS_DIGITS.starknet, SMALL_HEX, vote.idWords);
  const end = vote.isHexId ? hexEnd : idEnd(bytes, from);
  if (end === -1 || bytes[end] !== QUOTE) return -1;
  vote.idFrom = from;
  vote.idTo = end;
  return end + 1;
}

function scanVoter(bytes: Uint8Array, view: DataView, at: number, vote: ScannedVote): number {
  if (bytes[at] !== QUOTE || bytes[at + 1] !== DIGIT_ZERO || bytes[at + 2] !== LETTER_X) return -1;
  const digitsFrom = at + 3;
  vote.isVoterLong = bytes[digitsFrom + ADDRESS_DIGITS.evm] !== QUOTE;
  const digits = vote.isVoterLong ? ADDRESS_DIGITS.starknet : ADDRESS_DIGITS.evm;
  const end = digitsFrom + digits;
  if (bytes[end] !== QUOTE || !readHexWords(view, digitsFrom, digits, ANY_HEX, vote.voterWords)) return -1;
  return end + 1;
}

function scanCreated(bytes: Uint8Array, at: number, vote: ScannedVote): number {
  const end = scanNumber(bytes, at, vote);
  const seconds = vote.number;
  if (end === -1 || !(seconds >= EARLIEST_S && seconds <= LATEST_S) || !Number.isInteger(seconds)) return -1;
  vote.timeS = seconds;
  vote.flags |= VOTE_FLAGS.timeKnown;
  return end;
}

function scanChoice(bytes: Uint8Array, at: number, vote: ScannedVote): number {
  if (bytes[at] === OPEN_LIST || bytes[at] === OPEN_OBJECT) {
    vote.option = NO_OPTION;
    vote.choiceFrom = at;
    vote.choiceTo = flatEnd(bytes, at);
    return vote.choiceTo;
  }
  const end = scanNumber(bytes, at, vote);
  vote.option = vote.number;
  return end;
}

function scanPower(bytes: Uint8Array, at: number, vote: ScannedVote): number {
  const end = scanNumber(bytes, at, vote);
  if (end === -1 || vote.number === Infinity) return -1;
  vote.power = vote.number;
  vote.flags |= VOTE_FLAGS.powerKnown;
  return end;
}

function scanState(bytes: Uint8Array, at: number, vote: ScannedVote): number {
  if (isAt(FINAL, bytes, at)) return at + FINAL.length;
  vote.flags &= ~VOTE_FLAGS.final;
  const end = plainEnd(bytes, at);
  return end === -1 ? -1 : end + 1;
}

function scanReason(bytes: Uint8Array, at: number, vote: ScannedVote): number {
  const end = textEnd(bytes, at, vote);
  if (end === -1) return -1;
  vote.flags |= VOTE_FLAGS.reasonKnown | (vote.isGiven ? VOTE_FLAGS.reasonGiven : 0);
  return end + 1;
}

/** The id as text, or in an object of nothing else. */
function scanProposal(bytes: Uint8Array, view: DataView, from: number, vote: ScannedVote): number {
  if (bytes[from] !== OPEN_OBJECT) return scanProposalId(bytes, view, from, vote);
  let at = pastSpace(bytes, from + 1);
  if (keyAt(bytes, view, at) !== FIELDS.id) return -1;
  at = valueFrom(bytes, at, FIELDS.id);
  if (at !== -1) at = scanProposalId(bytes, view, at, vote);
  if (at === -1) return -1;
  at = pastSpace(bytes, at);
  return bytes[at] === CLOSE_OBJECT ? at + 1 : -1;
}

/** Nearly every vote is on the proposal of the one before. */
function scanProposalId(bytes: Uint8Array, view: DataView, at: number, vote: ScannedVote): number {
  if (bytes[at] !== QUOTE) return -1;
  vote.isOnKnown = isSame(view, at, vote.knownProposal);
  if (vote.isOnKnown) return at + vote.knownProposal.byteLength;
  vote.proposalFrom = at + 1;
  vote.proposalTo = plainEnd(bytes, at + 1);
  return vote.proposalTo === -1 ? -1 : vote.proposalTo + 1;
}

function nullEnd(bytes: Uint8Array, at: number): number {
  return isAt(NULL, bytes, at) ? at + NULL.length : -1;
}
