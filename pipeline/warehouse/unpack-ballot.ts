import type { Ballot, Choice } from "../facts/ballot.ts";
import { BALLOT_LAYOUT } from "./ballot-layout.ts";
import { readColumn, readDoubles } from "./byte-columns.ts";
import { checksumOf } from "./checksum.ts";
import { corrupt } from "./corrupt.ts";
import { unpackChoices } from "./pack-choices.ts";
import { readSteps } from "./step-column.ts";

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
