import { invariant } from "../facts/errors.ts";
import type { Choice, ProposalVotes } from "../facts/proposal-votes.ts";
import { readColumn, readDoubles, writeColumn, writeDoubles } from "./byte-columns.ts";
import { packChoices, packSteps, readSteps, unpackChoices } from "./choice-columns.ts";
import { bitOf, checksumOf, corrupt, type Database } from "./database.ts";

/**
 * The layout of a packed ballot; all numbers are little-endian.
 *
 * ```
 * header   24 bytes, fields below
 * voters   first number, then the step to the next one, as LEB128 (most steps fit two bytes)
 * times    timeWidth bytes each: 0 is "time 0", else timesS − base + 1
 * choices  choiceWidth bytes each: index into the list below
 * flags    one byte each, or none when all are equal
 * powers   8 bytes each (IEEE 754), or none when all are 0
 * list     the distinct choices as compact JSON, UTF-8
 * checksum CRC-32 of all before it, seeded with the proposal's id
 * ```
 *
 * CRC-32, because the threat is a bad disk and not a forger: it detects every flipped byte and every burst of up to
 * 32 bits, in a fifth of the time and an eighth of the bytes of a hash. The seed detects a valid ballot under a wrong
 * proposal.
 */
const BALLOT_LAYOUT = {
  format: 1,
  headerBytes: 24,
  checksumBytes: 4,
  at: {
    format: 0,
    timeWidth: 1,
    choiceWidth: 2,
    flagWidth: 3,
    powerWidth: 4,
    /** The value of every flag byte if there is no flags column. */
    sharedFlags: 5,
    /** Two bytes, always 0. */
    reserved: 6,
    count: 8,
    voterBytes: 12,
    listBytes: 16,
    timeBaseS: 20,
  },
} as const;

/** Stores a ballot as one row, over an earlier one of the same proposal. The proposal must have been put before. */
export function putVotes(
  database: Database,
  daoNumber: number,
  { proposalId, count, packed }: PackedVotes,
  isFinal: boolean,
): void {
  const replace = `INSERT OR REPLACE INTO ballots (proposal_number, votes_count, packed, is_final)
     SELECT proposal_number, ?, ?, ? FROM proposals WHERE dao_number = ? AND proposal_id = ?`;
  const { changes } = database.run(replace, count, packed, bitOf(isFinal), daoNumber, proposalId);
  invariant(changes === 1, `ballot of proposal ${proposalId} was put before its proposal`);
}

/** Yields a DAO's ballots, by (end, id); throws WAREHOUSE_CORRUPT, naming the proposal, at the first damaged one. */
export function* readVotes(database: Database, daoNumber: number): Generator<ProposalVotes> {
  const select = `SELECT proposal_id AS proposalId, ballots.votes_count AS count, packed
     FROM proposals JOIN ballots USING (proposal_number)
     WHERE dao_number = ?
     ORDER BY end_at_ms NULLS FIRST, proposal_id`;
  const rows = database.iterate<{ proposalId: string; count: number; packed: Buffer }>(select, daoNumber);
  for (const { proposalId, count, packed } of rows) {
    yield unpackVotes(proposalId, count, packed);
  }
}

/** A ballot packed for its row; other threads than the writing one can prepare it. */
export interface PackedVotes {
  readonly proposalId: string;
  readonly count: number;
  /** The result of `packVotes`, in its own buffer, which may be transferred between threads. */
  readonly packed: Uint8Array;
  /** The largest voter number; 0 without votes. */
  readonly highestVoter: number;
}

/** Packs a ballot for `putVotes`; throws on voter number 0, which nobody has. */
export function packedVotesOf(ballot: ProposalVotes): PackedVotes {
  const { proposalId, count, voterIds } = ballot;
  invariant(voterIds[0] !== 0, `ballot of proposal ${proposalId}: a voter was never interned`);
  return { proposalId, count, packed: packVotes(ballot), highestVoter: voterIds.at(-1) ?? 0 };
}

/** Packs a ballot into its own buffer; equal ballots give equal bytes. */
export function packVotes(ballot: ProposalVotes): Buffer {
  const { at: offsets, headerBytes, checksumBytes } = BALLOT_LAYOUT;
  const { count, voterIds, timesS, choiceIndexes, flags, powers } = ballot;
  const list = packChoices(ballot.choices);
  const times = timeColumnOf(timesS);
  const choiceWidth = choiceWidthOf(ballot.choices.length);
  const sharedFlags = flags[0] ?? 0;
  const flagWidth = areAll(flags, sharedFlags) ? 0 : 1;
  const powerWidth = areAll(powers, 0) ? 0 : 8;
  const voters = packSteps(voterIds);
  const columnBytes = count * (times.width + choiceWidth + flagWidth + powerWidth);

  const bytes = Buffer.alloc(headerBytes + voters.length + columnBytes + list.length + checksumBytes);
  bytes[offsets.format] = BALLOT_LAYOUT.format;
  bytes[offsets.timeWidth] = times.width;
  bytes[offsets.choiceWidth] = choiceWidth;
  bytes[offsets.flagWidth] = flagWidth;
  bytes[offsets.powerWidth] = powerWidth;
  bytes[offsets.sharedFlags] = flagWidth === 0 ? sharedFlags : 0;
  bytes.writeUInt32LE(count, offsets.count);
  bytes.writeUInt32LE(voters.length, offsets.voterBytes);
  bytes.writeUInt32LE(list.length, offsets.listBytes);
  bytes.writeUInt32LE(times.baseS, offsets.timeBaseS);

  bytes.set(voters, headerBytes);
  let end = writeColumn(bytes, headerBytes + voters.length, times.width, times.offsets);
  end = writeColumn(bytes, end, choiceWidth, choiceIndexes);
  end = writeColumn(bytes, end, flagWidth, flags);
  if (powerWidth > 0) end = writeDoubles(bytes, end, powers);
  end += list.copy(bytes, end);
  bytes.writeUInt32LE(checksumOf(ballot.proposalId, bytes.subarray(0, end)), end);
  return bytes;
}

/** The times as offsets from just before the earliest one, so that a week of voting fits three bytes. */
function timeColumnOf(timesS: Uint32Array): { width: number; baseS: number; offsets: Uint32Array } {
  const count = timesS.length;
  let least = Number.POSITIVE_INFINITY;
  let most = 0;
  for (let index = 0; index < count; index += 1) {
    const time = timesS[index] as number;
    if (time > most) most = time;
    if (time > 0 && time < least) least = time;
  }
  const offsets = new Uint32Array(count);
  if (most === 0) return { width: 0, baseS: 0, offsets };
  for (let index = 0; index < count; index += 1) {
    const time = timesS[index] as number;
    offsets[index] = time === 0 ? 0 : time - least + 1;
  }
  return { width: widthOf(most - least + 1), baseS: least, offsets };
}

function choiceWidthOf(choicesCount: number): number {
  const width = widthOf(Math.max(0, choicesCount - 1));
  return width === 3 ? 4 : width;
}

/** Bytes that a whole number needs; 0 for 0. */
function widthOf(most: number): number {
  return most === 0 ? 0 : Math.ceil((32 - Math.clz32(most)) / 8);
}

function areAll(values: Uint8Array | Float64Array, value: number): boolean {
  const count = values.length;
  for (let index = 0; index < count; index += 1) if (values[index] !== value) return false;
  return true;
}

/** The inverse of `packVotes`; throws WAREHOUSE_CORRUPT, naming the proposal, if the bytes are damaged. */
export function unpackVotes(proposalId: string, count: number, packed: Uint8Array): ProposalVotes {
  const { at: offsets, headerBytes } = BALLOT_LAYOUT;
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  const fail = (what: string) => corrupt(`ballot of proposal ${proposalId}: ${what}`);
  const end = checkedEnd(proposalId, bytes, fail);
  if (bytes[offsets.format] !== BALLOT_LAYOUT.format)
    throw fail(`format ${bytes[offsets.format]} is not known`);
  if (bytes.readUInt32LE(offsets.count) !== count) throw fail("its count differs from its row");

  const voterBytes = bytes.readUInt32LE(offsets.voterBytes);
  const listBytes = bytes.readUInt32LE(offsets.listBytes);
  const timeBaseS = bytes.readUInt32LE(offsets.timeBaseS);
  const timeWidth = bytes[offsets.timeWidth] ?? 0;
  const choiceWidth = bytes[offsets.choiceWidth] ?? 0;
  const flagWidth = bytes[offsets.flagWidth] ?? 0;
  const powerWidth = bytes[offsets.powerWidth] ?? 0;
  const timesAt = headerBytes + voterBytes;
  const choicesAt = timesAt + count * timeWidth;
  const flagsAt = choicesAt + count * choiceWidth;
  const powersAt = flagsAt + count * flagWidth;
  const listAt = powersAt + count * powerWidth;
  const isKnownWidth = timeWidth <= 4 && choiceWidth <= 4 && flagWidth <= 1 && [0, 8].includes(powerWidth);
  if (!isKnownWidth || listAt + listBytes !== end) throw fail("its length does not match its columns");

  const voterIds = readSteps(bytes, headerBytes, timesAt, count);
  if (voterIds === undefined) throw fail("the length of its voters column is wrong");
  const choices = unpackChoices(bytes.subarray(listAt, end));
  if (choices === undefined) throw fail("its choices cannot be read");
  const choiceIndexes = readColumn(bytes, choicesAt, choiceWidth, count);
  if (!areIndexesOf(choices, choiceIndexes)) throw fail("a choice index points past its choices");
  return {
    proposalId,
    count,
    voterIds,
    powers: powerWidth === 0 ? new Float64Array(count) : readDoubles(bytes, powersAt, count),
    timesS: timesFrom(timeBaseS, readColumn(bytes, timesAt, timeWidth, count)),
    choiceIndexes,
    flags:
      flagWidth === 0
        ? new Uint8Array(count).fill(bytes[offsets.sharedFlags] ?? 0)
        : new Uint8Array(bytes.subarray(flagsAt, powersAt)),
    choices,
  };
}

/** The offset of the checksum, after checking it; nothing else is read before. */
function checkedEnd(proposalId: string, bytes: Buffer, fail: (what: string) => Error): number {
  const end = bytes.length - BALLOT_LAYOUT.checksumBytes;
  if (end < BALLOT_LAYOUT.headerBytes) throw fail("it is shorter than its header");
  const isWhole = bytes.readUInt32LE(end) === checksumOf(proposalId, bytes.subarray(0, end));
  if (!isWhole) throw fail("its checksum does not match");
  return end;
}

/** Converts offsets to times in place; plain loops here and below, because they run for every vote. */
function timesFrom(baseS: number, offsets: Uint32Array): Uint32Array {
  const count = offsets.length;
  for (let index = 0; index < count; index += 1) {
    const offset = offsets[index] as number;
    if (offset !== 0) offsets[index] = baseS + offset - 1;
  }
  return offsets;
}

function areIndexesOf(choices: readonly Choice[], indexes: Uint32Array): boolean {
  const { length } = choices;
  const count = indexes.length;
  for (let index = 0; index < count; index += 1) if ((indexes[index] as number) >= length) return false;
  return true;
}
