import { isUtf8 } from "node:buffer";
import { VOTE_FLAGS } from "../../facts/proposal-votes.ts";
import { ADDRESS_DIGITS, ADDRESS_WORDS } from "../../facts/voters.ts";
import { EARLIEST_S, isId, LATEST_S } from "../upstream/parse-values.ts";
import {
  ANY_HEX,
  type Expected,
  expectedOf,
  flatEnd,
  isAt,
  pastSpace,
  plainEnd,
  readHexWords,
  SMALL_HEX,
  scanNumber,
  textEnd,
} from "./scan-json.ts";

/** Marks a choice that is a list or an object. */
export const NO_OPTION = -1;

/** A vote as scanned: its values, and the byte positions of the parts that are not decoded. */
type ScannedVote = ReturnType<typeof createScannedVote>;

export function createScannedVote() {
  return {
    /** Position of the id; `idTo` is 0 if there is none. */
    idFrom: 0,
    idTo: 0,
    /** The id is 0x and 64 lower-case hex digits, which are also in `idWords`. */
    isHexId: false,
    idWords: new Int32Array(ADDRESS_WORDS),
    isVoterLong: false,
    voterWords: new Int32Array(ADDRESS_WORDS),
    /** The quoted id of the expected proposal, set by the caller, and whether this vote is on it. */
    knownProposal: expectedOf(Buffer.of(0)),
    isOnKnown: false,
    /** Position of the id of any other proposal. */
    proposalFrom: 0,
    proposalTo: 0,
    timeS: 0,
    /** The numeric choice; `NO_OPTION` for a list or an object, which lies between the next two. */
    option: 0,
    choiceFrom: 0,
    choiceTo: 0,
    // Fractions from the start, so that the engine stores doubles here.
    power: 0.5,
    number: 0.5,
    /** The vote's `VOTE_FLAGS`. */
    flags: 0,
    isGiven: false,
    isWide: false,
  };
}

type ScanValue = (bytes: Buffer, at: number, vote: ScannedVote, view: DataView) => number;

const KEYS: readonly (readonly [key: string, scan: ScanValue])[] = [
  ["id", scanId],
  ["voter", scanVoter],
  ["created", scanCreated],
  ["choice", scanChoice],
  ["vp", scanPower],
  ["vp_state", scanState],
  ["reason", scanReason],
  ["proposal", scanProposal],
];
/** The hub's keys, in the order that nearly every row has; `SCANS` reads their values. */
const QUOTED_KEYS = KEYS.map(([key]) => expectedOf(Buffer.from(`"${key}"`)));
/** The same with colons, as nearly no row has white space before them. */
const USUAL_KEYS = KEYS.map(([key]) => expectedOf(Buffer.from(`"${key}":`)));
const SCANS = KEYS.map(([, scan]) => scan);
const QUOTED_ID = expectedOf(Buffer.from('"id"'));
const NEEDED = ["voter", "choice", "proposal"].reduce(
  (bits, needed) => bits | (1 << KEYS.findIndex(([key]) => key === needed)),
  0,
);

const [LINE_FEED, QUOTE, COMMA, COLON, OPEN_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [10, 34, 44, 58, 91, 123, 125];
const [DIGIT_ZERO, LETTER_N, LETTER_X] = [48, 110, 120];
const NULL = expectedOf(Buffer.from("null"));
const FINAL = expectedOf(Buffer.from('final"'));

/** Longer rows are rare and left to the slow path, which enforces the limits. */
const ROW_BYTES_MAX = 64 * 1024;

/**
 * Reads the vote of one line directly from its bytes: a hub's object with only the keys above, each once.
 * Returns where the next line begins, or −1 for any other line; `vote` is then not valid. Accepts only what
 * `JSON.parse`, `HubVote` and `voteOfHub` accept, with the same result; the caller parses a choice that is a
 * list or object. `view` covers the same bytes; there is a line feed at `to`, and a hundred bytes after it
 * can be read.
 */
export function scanVote(bytes: Buffer, from: number, to: number, vote: ScannedVote, view: DataView): number {
  vote.idTo = 0;
  vote.isHexId = false;
  vote.timeS = 0;
  vote.power = 0;
  vote.flags = VOTE_FLAGS.final;
  vote.isWide = false;
  if (bytes[from] !== OPEN_OBJECT) return -1;
  let at = from;
  let seen = 0;
  let field = 0;
  do {
    at += 1;
    const usualKey = USUAL_KEYS[field] as Expected;
    if (isAt(usualKey, view, at)) at = pastSpace(bytes, at + usualKey.length);
    else {
      at = pastSpace(bytes, at);
      field = keyAt(view, at);
      at = field === -1 ? -1 : valueFrom(bytes, at, QUOTED_KEYS[field] as Expected);
    }
    if (at === -1 || (seen & (1 << field)) !== 0) return -1;
    seen |= 1 << field;
    at = (SCANS[field] as ScanValue)(bytes, at, vote, view);
    if (at === -1) return -1;
    field = (field + 1) % KEYS.length;
    at = pastSpace(bytes, at);
  } while (bytes[at] === COMMA);
  if (bytes[at] !== CLOSE_OBJECT || (seen & NEEDED) !== NEEDED) return -1;
  at = pastSpace(bytes, at + 1);
  if (bytes[at] !== LINE_FEED || at >= to || at - from > ROW_BYTES_MAX) return -1;
  return !vote.isWide || isUtf8(bytes.subarray(from, at)) ? at + 1 : -1;
}

/** Index of the key at this position, or −1 for an unknown one. */
function keyAt(view: DataView, at: number): number {
  return QUOTED_KEYS.findIndex((key) => isAt(key, view, at));
}

/** Where the value of a key begins, or −1 if there is no colon. */
function valueFrom(bytes: Buffer, keyFrom: number, key: Expected): number {
  const at = pastSpace(bytes, keyFrom + key.length);
  return bytes[at] === COLON ? pastSpace(bytes, at + 1) : -1;
}

function nullEnd(view: DataView, at: number): number {
  return isAt(NULL, view, at) ? at + NULL.length : -1;
}

function scanId(bytes: Buffer, at: number, vote: ScannedVote, view: DataView): number {
  if (bytes[at] !== QUOTE) return nullEnd(view, at);
  const from = at + 1;
  const digitsFrom = from + 2;
  const hexEnd = digitsFrom + ADDRESS_DIGITS.starknet;
  vote.isHexId =
    bytes[from] === DIGIT_ZERO &&
    bytes[from + 1] === LETTER_X &&
    bytes[hexEnd] === QUOTE &&
    readHexWords(view, digitsFrom, ADDRESS_DIGITS.starknet, SMALL_HEX, vote.idWords);
  const end = vote.isHexId ? hexEnd : plainEnd(bytes, from);
  if (end === -1 || (!vote.isHexId && !isId(bytes.toString("latin1", from, end)))) return -1;
  vote.idFrom = from;
  vote.idTo = end;
  return end + 1;
}

function scanVoter(bytes: Buffer, at: number, vote: ScannedVote, view: DataView): number {
  if (bytes[at] !== QUOTE || bytes[at + 1] !== DIGIT_ZERO || bytes[at + 2] !== LETTER_X) return -1;
  const digitsFrom = at + 3;
  vote.isVoterLong = bytes[digitsFrom + ADDRESS_DIGITS.evm] !== QUOTE;
  const digits = vote.isVoterLong ? ADDRESS_DIGITS.starknet : ADDRESS_DIGITS.evm;
  const end = digitsFrom + digits;
  if (bytes[end] !== QUOTE || !readHexWords(view, digitsFrom, digits, ANY_HEX, vote.voterWords)) return -1;
  return end + 1;
}

function scanCreated(bytes: Buffer, at: number, vote: ScannedVote): number {
  const end = scanNumber(bytes, at, vote);
  const seconds = vote.number;
  if (end === -1 || !(seconds >= EARLIEST_S && seconds <= LATEST_S) || !Number.isInteger(seconds)) return -1;
  vote.timeS = seconds;
  vote.flags |= VOTE_FLAGS.timeKnown;
  return end;
}

function scanChoice(bytes: Buffer, at: number, vote: ScannedVote): number {
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

function scanPower(bytes: Buffer, at: number, vote: ScannedVote, view: DataView): number {
  if (bytes[at] === LETTER_N) return nullEnd(view, at);
  const end = scanNumber(bytes, at, vote);
  if (end === -1 || vote.number === Infinity) return -1;
  vote.power = vote.number;
  vote.flags |= VOTE_FLAGS.powerKnown;
  return end;
}

function scanState(bytes: Buffer, at: number, vote: ScannedVote, view: DataView): number {
  if (bytes[at] !== QUOTE) return nullEnd(view, at);
  if (isAt(FINAL, view, at + 1)) return at + 1 + FINAL.length;
  vote.flags &= ~VOTE_FLAGS.final;
  const end = plainEnd(bytes, at + 1);
  return end === -1 ? -1 : end + 1;
}

function scanReason(bytes: Buffer, at: number, vote: ScannedVote, view: DataView): number {
  if (bytes[at] !== QUOTE) return nullEnd(view, at);
  const end = textEnd(bytes, at + 1, vote);
  if (end === -1) return -1;
  vote.flags |= VOTE_FLAGS.reasonKnown | (vote.isGiven ? VOTE_FLAGS.reasonGiven : 0);
  return end + 1;
}

/** The id as text, or as the only field of an object. */
function scanProposal(bytes: Buffer, from: number, vote: ScannedVote, view: DataView): number {
  if (bytes[from] !== OPEN_OBJECT) return scanProposalId(bytes, from, vote, view);
  let at = pastSpace(bytes, from + 1);
  if (!isAt(QUOTED_ID, view, at)) return -1;
  at = valueFrom(bytes, at, QUOTED_ID);
  if (at !== -1) at = scanProposalId(bytes, at, vote, view);
  if (at === -1) return -1;
  at = pastSpace(bytes, at);
  return bytes[at] === CLOSE_OBJECT ? at + 1 : -1;
}

/** Checks the previous vote's proposal first: nearly every vote is on the same one. */
function scanProposalId(bytes: Buffer, at: number, vote: ScannedVote, view: DataView): number {
  if (bytes[at] !== QUOTE) return -1;
  vote.isOnKnown = isAt(vote.knownProposal, view, at);
  if (vote.isOnKnown) return at + vote.knownProposal.length;
  vote.proposalFrom = at + 1;
  vote.proposalTo = plainEnd(bytes, at + 1);
  return vote.proposalTo === -1 ? -1 : vote.proposalTo + 1;
}
