import type { Ballot, Choice } from "../facts/ballot.ts";
import { BALLOT_LAYOUT } from "./ballot-layout.ts";
import { checksumOf } from "./checksum.ts";
import { corrupt } from "./corrupt.ts";
import { unpackChoices } from "./pack-choices.ts";

/** The ballot that `packBallot` wrote; throws WAREHOUSE_CORRUPT naming the proposal where the bytes are not that. */
export function unpackBallot(proposalId: string, count: number, packed: Uint8Array): Ballot {
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

  const voterIds = readVoters(bytes.subarray(headerBytes, timesAt), count);
  if (voterIds === undefined) throw fail("its voters do not fill their column");
  const choices = unpackChoices(bytes.subarray(listAt, end));
  if (choices === undefined) throw fail("its choices cannot be read");
  const choiceIndexes = readUnsigned(bytes, choicesAt, choiceWidth, count);
  if (!arePlacesOf(choices, choiceIndexes)) throw fail("a choice index points past its choices");
  return {
    proposalId,
    count,
    voterIds,
    powers: readPowers(bytes, powersAt, powerWidth, count),
    timesS: readUnsigned(bytes, timesAt, timeWidth, count).map((offset) =>
      offset === 0 ? 0 : timeBaseS + offset - 1,
    ),
    choiceIndexes,
    flags: flagWidth === 0 ? filled(count, bytes[at.sharedFlags] ?? 0) : copyOf(bytes, flagsAt, count),
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

function readVoters(bytes: Uint8Array, count: number): Uint32Array | undefined {
  const voterIds = new Uint32Array(count);
  let next = 0;
  let voter = 0;
  for (let place = 0; place < count; place += 1) {
    let step = 0;
    let shift = 0;
    for (;;) {
      const byte = bytes[next];
      if (byte === undefined) return undefined;
      next += 1;
      step += (byte & 0x7f) * 2 ** shift;
      shift += 7;
      if (byte < 0x80) break;
    }
    voter += step;
    voterIds[place] = voter;
  }
  return next === bytes.length ? voterIds : undefined;
}

function readUnsigned(bytes: Buffer, start: number, width: number, count: number): Uint32Array {
  const values = new Uint32Array(count);
  if (width === 0) return values;
  for (let place = 0; place < count; place += 1)
    values[place] = bytes.readUIntLE(start + place * width, width);
  return values;
}

function readPowers(bytes: Buffer, start: number, width: number, count: number): Float64Array {
  const powers = new Float64Array(count);
  if (width === 0) return powers;
  for (let place = 0; place < count; place += 1) powers[place] = bytes.readDoubleLE(start + place * width);
  return powers;
}

function arePlacesOf(choices: readonly Choice[], indexes: Uint32Array): boolean {
  return indexes.every((index) => index < choices.length);
}

function filled(count: number, value: number): Uint8Array {
  return new Uint8Array(count).fill(value);
}

function copyOf(bytes: Buffer, start: number, count: number): Uint8Array {
  return Uint8Array.from(bytes.subarray(start, start + count));
}
