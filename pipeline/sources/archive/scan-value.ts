import { VOTE_FLAGS } from "../../facts/ballot.ts";
import { ADDRESS_DIGITS, readAddress } from "../../facts/voter-list.ts";
import { EARLIEST_S, LATEST_S } from "../upstream/parse-moment.ts";
import { codesOf, FIELDS, isAt, keyAt, pastSpace, valueFrom } from "./scan-keys.ts";
import { scanNumber } from "./scan-number.ts";
import { flatEnd, idEnd, plainEnd, textEnd } from "./scan-text.ts";
import { NO_OPTION, type ScannedVote } from "./scanned-vote.ts";

const [QUOTE, OPEN_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [34, 91, 123, 125];
const [DIGIT_ZERO, LETTER_N, LETTER_X] = [48, 110, 120];
const NULL = codesOf("null");
const FINAL = codesOf('final"');

/** Where the value of a key ends, or −1 where it is left to the plain way. */
export function scanValue(bytes: Uint8Array, at: number, field: number, vote: ScannedVote): number {
  switch (field) {
    case FIELDS.id:
      return bytes[at] === QUOTE ? scanId(bytes, at + 1, vote) : nullEnd(bytes, at);
    case FIELDS.voter:
      return scanVoter(bytes, at, vote);
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
      return scanProposal(bytes, at, vote);
  }
}

function scanId(bytes: Uint8Array, from: number, vote: ScannedVote): number {
  const end = idEnd(bytes, from);
  if (end === -1 || bytes[end] !== QUOTE) return -1;
  vote.isHexId =
    isSmallHex(bytes, from, end) && readAddress(bytes, from + 2, ADDRESS_DIGITS.starknet, vote.idWords);
  vote.idFrom = from;
  vote.idTo = end;
  return end + 1;
}

/** Whether an id has the length and the small letters of 0x and 64 digits. */
function isSmallHex(bytes: Uint8Array, from: number, end: number): boolean {
  if (end - from !== 2 + ADDRESS_DIGITS.starknet) return false;
  if (bytes[from] !== DIGIT_ZERO || bytes[from + 1] !== LETTER_X) return false;
  // This bit is set in digits and in small letters, and not in capital ones.
  let small = 32;
  for (let at = from + 2; at < end; at += 1) small &= bytes[at] as number;
  return small !== 0;
}

function scanVoter(bytes: Uint8Array, at: number, vote: ScannedVote): number {
  if (bytes[at] !== QUOTE || bytes[at + 1] !== DIGIT_ZERO || bytes[at + 2] !== LETTER_X) return -1;
  const digitsFrom = at + 3;
  vote.isVoterLong = bytes[digitsFrom + ADDRESS_DIGITS.evm] !== QUOTE;
  const digits = vote.isVoterLong ? ADDRESS_DIGITS.starknet : ADDRESS_DIGITS.evm;
  if (bytes[digitsFrom + digits] !== QUOTE) return -1;
  return readAddress(bytes, digitsFrom, digits, vote.voterWords) ? digitsFrom + digits + 1 : -1;
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
function scanProposal(bytes: Uint8Array, from: number, vote: ScannedVote): number {
  let at = from;
  const isNested = bytes[at] === OPEN_OBJECT;
  if (isNested) {
    at = pastSpace(bytes, at + 1);
    if (keyAt(bytes, at) !== FIELDS.id) return -1;
    at = valueFrom(bytes, at, FIELDS.id);
    if (at === -1) return -1;
  }
  if (bytes[at] !== QUOTE) return -1;
  vote.proposalFrom = at + 1;
  vote.proposalTo = plainEnd(bytes, at + 1);
  if (vote.proposalTo === -1 || !isNested) return vote.proposalTo === -1 ? -1 : vote.proposalTo + 1;
  at = pastSpace(bytes, vote.proposalTo + 1);
  return bytes[at] === CLOSE_OBJECT ? at + 1 : -1;
}

function nullEnd(bytes: Uint8Array, at: number): number {
  return isAt(NULL, bytes, at) ? at + NULL.length : -1;
}
