import { isUtf8 } from "node:buffer";
import { randomInt } from "node:crypto";
import type { OpenVotes, VoteCollection } from "../../facts/collect-votes.ts";
import type { Proposal } from "../../facts/proposal.ts";
import { VOTE_FLAGS } from "../../facts/proposal-votes.ts";
import {
  ADDRESS_DIGITS,
  ADDRESS_WORDS,
  createVoterBook,
  readAddress,
  type VoterBook,
} from "../../facts/voters.ts";
import type { ScanLine } from "./read-lines.ts";
import { FIELDS, keyAt, pastSpace, usualValueFrom, valueFrom } from "./scan-keys.ts";
import { createScannedVote, NO_OPTION, type ScannedVote, scanValue } from "./scan-value.ts";

const [LINE_FEED, COMMA, OPEN_OBJECT, CLOSE_OBJECT] = [10, 44, 123, 125];
const NEEDED = (1 << FIELDS.voter) | (1 << FIELDS.choice) | (1 << FIELDS.proposal);

/** Longer rows are few: the plain way takes them, and knows what they may hold at most. */
const ROW_BYTES_MAX = 64 * 1024;

/**
 * Reads the vote of one line straight from its bytes: an object as the hub gives it, of the keys above alone and each
 * once. Answers where the next line begins, or −1 for a line that is not wholly such: whoever reads it then must not
 * rely on `vote`. It takes only what `JSON.parse`, `HubVote` and `voteOfHub` would take, to the same facts; a list or an
 * object for a choice is the caller's to parse. `view` is of the same bytes;
 * from `to`, where there is a line feed, a hundred more can be looked at.
 */
export function scanVote(
  bytes: Uint8Array,
  view: DataView,
  from: number,
  to: number,
  vote: ScannedVote,
): number {
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
  for (;;) {
    // Nearly every row has the keys in the hub's order and no space: then this one is known before it is read.
    let valueAt = usualValueFrom(view, at, field);
    if (valueAt === -1) {
      at = pastSpace(bytes, at);
      if (seen !== 0 && bytes[at] !== COMMA) break;
      at = pastSpace(bytes, at + 1);
      field = keyAt(bytes, view, at);
      if (field === -1) return -1;
      valueAt = valueFrom(bytes, at, field);
      if (valueAt === -1) return -1;
    }
    if ((seen & (1 << field)) !== 0) return -1;
    seen |= 1 << field;
    at = scanValue(bytes, view, valueAt, field, vote);
    if (at === -1) return -1;
    field += 1;
  }
  if (bytes[at] !== CLOSE_OBJECT || (seen & NEEDED) !== NEEDED) return -1;
  at = pastSpace(bytes, at + 1);
  if (bytes[at] !== LINE_FEED || at >= to || at - from > ROW_BYTES_MAX) return -1;
  return !vote.isWide || isUtf8(bytes.subarray(from, at)) ? at + 1 : -1;
}

/** The voters of one file by the order in which they were first seen, as text or as bytes. */
export interface VotersOfFile {
  readonly book: VoterBook;
  /** The place of an address of 0x and 40 or 64 hex digits. */
  placeOfText(address: string): number;
}

/** Nobody yet. */
export function createVotersOfFile(): VotersOfFile {
  const book = createVoterBook(randomInt(2 ** 32));
  const codes = new Uint8Array(2 + ADDRESS_DIGITS.starknet);
  const words = new Int32Array(ADDRESS_WORDS);
  return {
    book,
    placeOfText(address) {
      for (let place = 0; place < address.length; place += 1) codes[place] = address.charCodeAt(place);
      const digits = address.length - 2;
      readAddress(codes, 2, digits, words);
      return book.placeOf(words, 0, digits === ADDRESS_DIGITS.starknet);
    },
  };
}

/** Texts of choices that are remembered at once: those of most ballots, and never a file of them. */
const CHOICES_MAX = 4096;

/**
 * Takes votes straight from the bytes of a file into the box, and leaves the lines that must be read the plain way: the
 * same facts come out of both.
 */
export function scanVotes(
  box: VoteCollection,
  voters: VotersOfFile,
  proposals: ReadonlyMap<string, Proposal>,
): ScanLine {
  const vote = createScannedVote();
  const choiceNumbers = new Map<string, number>();
  let ballot: OpenVotes | undefined;
  let seen: Buffer = Buffer.alloc(0);
  let view: DataView = new DataView(new ArrayBuffer(0));

  const proposalOfVote = (bytes: Buffer): OpenVotes | undefined => {
    if (vote.isOnKnown) return ballot;
    const proposal = proposals.get(bytes.toString("latin1", vote.proposalFrom, vote.proposalTo));
    if (proposal === undefined) return undefined;
    ballot = box.ballotOf(proposal);
    const quoted = Uint8Array.from(bytes.subarray(vote.proposalFrom - 1, vote.proposalTo + 1));
    vote.knownProposal = new DataView(quoted.buffer);
    choiceNumbers.clear();
    return ballot;
  };
  const choiceOfVote = (bytes: Buffer, { choices }: OpenVotes): number | undefined => {
    if (vote.option !== NO_OPTION) return choices.numberOf(vote.option);
    const text = bytes.toString("latin1", vote.choiceFrom, vote.choiceTo);
    const known = choiceNumbers.get(text);
    if (known !== undefined) return known;
    const parsed = parsedOrLeft(text);
    if (parsed === undefined) return undefined;
    const number = choices.numberOf(parsed);
    if (choiceNumbers.size === CHOICES_MAX) choiceNumbers.clear();
    choiceNumbers.set(text, number);
    return number;
  };

  return (bytes, from, to, line) => {
    if (bytes !== seen) {
      seen = bytes;
      view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    }
    const next = scanVote(bytes, view, from, to, vote);
    if (next === -1) return -1;
    const on = proposalOfVote(bytes);
    const choice = on && choiceOfVote(bytes, on);
    if (on === undefined || choice === undefined) return -1;
    const voter = voters.book.placeOf(vote.voterWords, 0, vote.isVoterLong);
    box.put(on, voter, vote.timeS, vote.power, choice, vote.flags, line);
    if (vote.isHexId) box.nameLast(vote.idWords);
    else if (vote.idTo !== 0) box.nameLastAsText(bytes.toString("latin1", vote.idFrom, vote.idTo));
    return next;
  };
}

/** A list or an object; `undefined` for what is not JSON. */
function parsedOrLeft(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
