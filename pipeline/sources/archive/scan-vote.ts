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
    flags: 0,
    isGiven: false,
    isWide: false,
  };
}

type ScanValue = (bytes: Buffer, offset: number, vote: ScannedVote, view: DataView) => number;

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
  let offset = from;
  let seen = 0;
  let field = 0;
  do {
    offset += 1;
    const usualKey = USUAL_KEYS[field] as Expected;
    if (isAt(usualKey, view, offset)) offset = pastSpace(bytes, offset + usualKey.length);
    else {
      offset = pastSpace(bytes, offset);
      field = keyAt(view, offset);
      offset = field === -1 ? -1 : valueFrom(bytes, offset, QUOTED_KEYS[field] as Expected);
    }
    if (offset === -1 || (seen & (1 << field)) !== 0) return -1;
    seen |= 1 << field;
    offset = (SCANS[field] as ScanValue)(bytes, offset, vote, view);
    if (offset === -1) return -1;
    field = (field + 1) % KEYS.length;
    offset = pastSpace(bytes, offset);
  } while (bytes[offset] === COMMA);
  if (bytes[offset] !== CLOSE_OBJECT || (seen & NEEDED) !== NEEDED) return -1;
  offset = pastSpace(bytes, offset + 1);
  if (bytes[offset] !== LINE_FEED || offset >= to || offset - from > ROW_BYTES_MAX) return -1;
  return !vote.isWide || isUtf8(bytes.subarray(from, offset)) ? offset + 1 : -1;
}

function keyAt(view: DataView, offset: number): number {
  return QUOTED_KEYS.findIndex((key) => isAt(key, view, offset));
}

/** Where the value of a key begins, or −1 if there is no colon. */
function valueFrom(bytes: Buffer, keyFrom: number, key: Expected): number {
  const offset = pastSpace(bytes, keyFrom + key.length);
  return bytes[offset] === COLON ? pastSpace(bytes, offset + 1) : -1;
}

function nullEnd(view: DataView, offset: number): number {
  return isAt(NULL, view, offset) ? offset + NULL.length : -1;
}

function scanId(bytes: Buffer, offset: number, vote: ScannedVote, view: DataView): number {
  if (bytes[offset] !== QUOTE) return nullEnd(view, offset);
  const from = offset + 1;
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

function scanVoter(bytes: Buffer, offset: number, vote: ScannedVote, view: DataView): number {
  if (bytes[offset] !== QUOTE || bytes[offset + 1] !== DIGIT_ZERO || bytes[offset + 2] !== LETTER_X)
    return -1;
  const digitsFrom = offset + 3;
  vote.isVoterLong = bytes[digitsFrom + ADDRESS_DIGITS.evm] !== QUOTE;
  const digits = vote.isVoterLong ? ADDRESS_DIGITS.starknet : ADDRESS_DIGITS.evm;
  const end = digitsFrom + digits;
  if (bytes[end] !== QUOTE || !readHexWords(view, digitsFrom, digits, ANY_HEX, vote.voterWords)) return -1;
  return end + 1;
}

function scanCreated(bytes: Buffer, offset: number, vote: ScannedVote): number {
  const end = scanNumber(bytes, offset, vote);
  const seconds = vote.number;
  if (end === -1 || !(seconds >= EARLIEST_S && seconds <= LATEST_S) || !Number.isInteger(seconds)) return -1;
  vote.timeS = seconds;
  vote.flags |= VOTE_FLAGS.timeKnown;
  return end;
}

function scanChoice(bytes: Buffer, offset: number, vote: ScannedVote): number {
  if (bytes[offset] === OPEN_LIST || bytes[offset] === OPEN_OBJECT) {
    vote.option = NO_OPTION;
    vote.choiceFrom = offset;
    vote.choiceTo = flatEnd(bytes, offset);
    return vote.choiceTo;
  }
  const end = scanNumber(bytes, offset, vote);
  vote.option = vote.number;
  return end;
}

function scanPower(bytes: Buffer, offset: number, vote: ScannedVote, view: DataView): number {
  if (bytes[offset] === LETTER_N) return nullEnd(view, offset);
  const end = scanNumber(bytes, offset, vote);
  if (end === -1 || vote.number === Infinity) return -1;
  vote.power = vote.number;
  vote.flags |= VOTE_FLAGS.powerKnown;
  return end;
}

function scanState(bytes: Buffer, offset: number, vote: ScannedVote, view: DataView): number {
  if (bytes[offset] !== QUOTE) return nullEnd(view, offset);
  if (isAt(FINAL, view, offset + 1)) return offset + 1 + FINAL.length;
  vote.flags &= ~VOTE_FLAGS.final;
  const end = plainEnd(bytes, offset + 1);
  return end === -1 ? -1 : end + 1;
}

function scanReason(bytes: Buffer, offset: number, vote: ScannedVote, view: DataView): number {
  if (bytes[offset] !== QUOTE) return nullEnd(view, offset);
  const end = textEnd(bytes, offset + 1, vote);
  if (end === -1) return -1;
  vote.flags |= VOTE_FLAGS.reasonKnown | (vote.isGiven ? VOTE_FLAGS.reasonGiven : 0);
  return end + 1;
}

/** The id as text, or as the only field of an object. */
function scanProposal(bytes: Buffer, from: number, vote: ScannedVote, view: DataView): number {
  if (bytes[from] !== OPEN_OBJECT) return scanProposalId(bytes, from, vote, view);
  let offset = pastSpace(bytes, from + 1);
  if (!isAt(QUOTED_ID, view, offset)) return -1;
  offset = valueFrom(bytes, offset, QUOTED_ID);
  if (offset !== -1) offset = scanProposalId(bytes, offset, vote, view);
  if (offset === -1) return -1;
  offset = pastSpace(bytes, offset);
  return bytes[offset] === CLOSE_OBJECT ? offset + 1 : -1;
}

/** Checks the previous vote's proposal first: nearly every vote is on the same one. */
function scanProposalId(bytes: Buffer, offset: number, vote: ScannedVote, view: DataView): number {
  if (bytes[offset] !== QUOTE) return -1;
  vote.isOnKnown = isAt(vote.knownProposal, view, offset);
  if (vote.isOnKnown) return offset + vote.knownProposal.length;
  vote.proposalFrom = offset + 1;
  vote.proposalTo = plainEnd(bytes, offset + 1);
  return vote.proposalTo === -1 ? -1 : vote.proposalTo + 1;
}
