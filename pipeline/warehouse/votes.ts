import { invariant } from "../facts/errors.ts";
import type { Choice, ProposalVotes } from "../facts/proposal-votes.ts";
import { readColumn, readDoubles } from "./byte-columns.ts";
import { readSteps, unpackChoices } from "./choice-columns.ts";
import { bitOf, checksumOf, corrupt, type Database } from "./database.ts";
import { BALLOT_LAYOUT, type PackedVotes } from "./pack-votes.ts";

/** Keeps a ballot as one row; a later one of the same proposal replaces it. The proposal must have been put before. */
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

/** The ballot that `packVotes` wrote; throws WAREHOUSE_CORRUPT naming the proposal where the bytes are not that. */
export function unpackVotes(proposalId: string, count: number, packed: Uint8Array): ProposalVotes {
  const { at, headerBytes } = BALLOT_LAYOUT;
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  const fail = (what: string) => corrupt(`ballot of proposal ${proposalId}: ${what}`);
  const end = checkedEnd(proposalId, bytes, fail);
  if (bytes[at.format] !== BALLOT_LAYOUT.format) throw fail(`format ${bytes[at.format]} is not known`);
  if (bytes.readUInt32LE(at.count) !== count) throw fail("its count is not that of its row");

  const voterBytes = bytes.readUInt32LE(at.voterBytes);
  const listBytes = bytes.readUInt32LE(at.listBytes);
  const timeBaseS = bytes.readUInt32LE(at.timeBaseS);
  const timeWidth = bytes[at.timeWidth] ?? 0;
  const choiceWidth = bytes[at.choiceWidth] ?? 0;
  const flagWidth = bytes[at.flagWidth] ?? 0;
  const powerWidth = bytes[at.powerWidth] ?? 0;
  const timesAt = headerBytes + voterBytes;
  const choicesAt = timesAt + count * timeWidth;
  const flagsAt = choicesAt + count * choiceWidth;
  const powersAt = flagsAt + count * flagWidth;
  const listAt = powersAt + count * powerWidth;
  const isKnownWidth = timeWidth <= 4 && choiceWidth <= 4 && flagWidth <= 1 && [0, 8].includes(powerWidth);
  if (!isKnownWidth || listAt + listBytes !== end) throw fail("its columns do not fill it");

  const voterIds = readSteps(bytes, headerBytes, timesAt, count);
  if (voterIds === undefined) throw fail("its voters do not fill their column");
  const choices = unpackChoices(bytes.subarray(listAt, end));
  if (choices === undefined) throw fail("its choices cannot be read");
  const choiceIndexes = readColumn(bytes, choicesAt, choiceWidth, count);
  if (!arePlacesOf(choices, choiceIndexes)) throw fail("a choice index points past its choices");
  return {
    proposalId,
    count,
    voterIds,
    powers: powerWidth === 0 ? new Float64Array(count) : readDoubles(bytes, powersAt, count),
    timesS: timesFrom(timeBaseS, readColumn(bytes, timesAt, timeWidth, count)),
    choiceIndexes,
    flags:
      flagWidth === 0
        ? new Uint8Array(count).fill(bytes[at.sharedFlags] ?? 0)
        : new Uint8Array(bytes.subarray(flagsAt, powersAt)),
    choices,
  };
}

/** Where the checksum begins, once it holds: nothing of the bytes is believed before. */
function checkedEnd(proposalId: string, bytes: Buffer, fail: (what: string) => Error): number {
  const end = bytes.length - BALLOT_LAYOUT.checksumBytes;
  if (end < BALLOT_LAYOUT.headerBytes) throw fail("it is shorter than its header");
  const isWhole = bytes.readUInt32LE(end) === checksumOf(proposalId, bytes.subarray(0, end));
  if (!isWhole) throw fail("its checksum does not match");
  return end;
}

/** Makes the times out of their offsets, in place; plain loops here and below, because every vote passes. */
function timesFrom(baseS: number, offsets: Uint32Array): Uint32Array {
  const count = offsets.length;
  for (let place = 0; place < count; place += 1) {
    const offset = offsets[place] as number;
    if (offset !== 0) offsets[place] = baseS + offset - 1;
  }
  return offsets;
}

function arePlacesOf(choices: readonly Choice[], indexes: Uint32Array): boolean {
  const { length } = choices;
  const count = indexes.length;
  for (let place = 0; place < count; place += 1) if ((indexes[place] as number) >= length) return false;
  return true;
}

interface Row {
  readonly proposalId: string;
  readonly count: number;
  readonly packed: Buffer;
}

/** A DAO's ballots one after the other, each checked against its count and checksum; throws WAREHOUSE_CORRUPT naming the first bad one. */
export function* readVotes(database: Database, daoNumber: number): Generator<ProposalVotes> {
  const select = `SELECT proposal_id AS proposalId, ballots.votes_count AS count, packed
     FROM proposals JOIN ballots USING (proposal_number)
     WHERE dao_number = ?
     ORDER BY end_at_ms NULLS FIRST, proposal_id`;
  for (const { proposalId, count, packed } of database.iterate<Row>(select, daoNumber)) {
    yield unpackVotes(proposalId, count, packed);
  }
}
