import type { Ballot } from "../facts/ballot.ts";
import { BALLOT_LAYOUT } from "./ballot-layout.ts";
import { writeColumn, writeDoubles } from "./byte-columns.ts";
import { checkBallot } from "./check-ballot.ts";
import { checksumOf } from "./checksum.ts";
import { packChoices } from "./pack-choices.ts";
import { stepBytesOf, writeSteps } from "./step-column.ts";

/** A ballot as the bytes of one row, in a buffer of their own; equal ballots give equal bytes. Throws on a ballot that is none. */
export function packBallot(ballot: Ballot): Buffer {
  checkBallot(ballot);
  const { at, headerBytes, checksumBytes } = BALLOT_LAYOUT;
  const { count, voterIds, timesS, choiceIndexes, flags, powers } = ballot;
  const list = packChoices(ballot.choices);
  const times = timeColumnOf(timesS);
  const choiceWidth = choiceWidthOf(ballot.choices.length);
  const sharedFlags = flags[0] ?? 0;
  const flagWidth = areAll(flags, sharedFlags) ? 0 : 1;
  const powerWidth = areAll(powers, 0) ? 0 : 8;
  const voterBytes = stepBytesOf(voterIds);
  const columnBytes = count * (times.width + choiceWidth + flagWidth + powerWidth);

  const bytes = Buffer.alloc(headerBytes + voterBytes + columnBytes + list.length + checksumBytes);
  bytes[at.format] = BALLOT_LAYOUT.format;
  bytes[at.timeWidth] = times.width;
  bytes[at.choiceWidth] = choiceWidth;
  bytes[at.flagWidth] = flagWidth;
  bytes[at.powerWidth] = powerWidth;
  bytes[at.sharedFlags] = flagWidth === 0 ? sharedFlags : 0;
  bytes.writeUInt32LE(count, at.count);
  bytes.writeUInt32LE(voterBytes, at.voterBytes);
  bytes.writeUInt32LE(list.length, at.listBytes);
  bytes.writeUInt32LE(times.baseS, at.timeBaseS);

  let end = writeSteps(bytes, headerBytes, voterIds);
  end = writeColumn(bytes, end, times.width, times.offsets);
  end = writeColumn(bytes, end, choiceWidth, choiceIndexes);
  end = writeColumn(bytes, end, flagWidth, flags);
  if (powerWidth > 0) end = writeDoubles(bytes, end, powers);
  end += list.copy(bytes, end);
  bytes.writeUInt32LE(checksumOf(ballot.proposalId, bytes.subarray(0, end)), end);
  return bytes;
}

/** The times as distances from just before the earliest, so that a week of voting fits three bytes. */
function timeColumnOf(timesS: Uint32Array): { width: number; baseS: number; offsets: Uint32Array } {
  const count = timesS.length;
  let least = Number.POSITIVE_INFINITY;
  let most = 0;
  for (let place = 0; place < count; place += 1) {
    const time = timesS[place] as number;
    if (time > most) most = time;
    if (time > 0 && time < least) least = time;
  }
  const offsets = new Uint32Array(count);
  if (most === 0) return { width: 0, baseS: 0, offsets };
  for (let place = 0; place < count; place += 1) {
    const time = timesS[place] as number;
    offsets[place] = time === 0 ? 0 : time - least + 1;
  }
  return { width: widthOf(most - least + 1), baseS: least, offsets };
}

function choiceWidthOf(choicesCount: number): number {
  const width = widthOf(Math.max(0, choicesCount - 1));
  return width === 3 ? 4 : width;
}

/** Bytes that a whole number needs; none for 0. */
function widthOf(most: number): number {
  return most === 0 ? 0 : Math.ceil((32 - Math.clz32(most)) / 8);
}

function areAll(values: Uint8Array | Float64Array, value: number): boolean {
  const count = values.length;
  for (let place = 0; place < count; place += 1) if (values[place] !== value) return false;
  return true;
}
