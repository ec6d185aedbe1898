import type { Ballot } from "../facts/ballot.ts";
import { BALLOT_LAYOUT } from "./ballot-layout.ts";
import { checkBallot } from "./check-ballot.ts";
import { checksumOf } from "./checksum.ts";
import { packChoices } from "./pack-choices.ts";

/** A ballot as the bytes of one row; equal ballots give equal bytes. Throws on a ballot that is none. */
export function packBallot(ballot: Ballot): Buffer {
  checkBallot(ballot);
  const { at, headerBytes, checksumBytes } = BALLOT_LAYOUT;
  const { count, voterIds, timesS, choiceIndexes, flags, powers } = ballot;
  const list = packChoices(ballot.choices);
  const times = timeColumnOf(timesS);
  const choiceWidth = choiceWidthOf(ballot.choices.length);
  const sharedFlags = flags[0] ?? 0;
  const flagWidth = flags.every((flag) => flag === sharedFlags) ? 0 : 1;
  const powerWidth = powers.every((power) => power === 0) ? 0 : 8;
  const voterBytes = voterBytesOf(voterIds);
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

  let end = writeVoters(bytes, headerBytes, voterIds);
  end = writeUnsigned(bytes, end, times.width, times.offsets);
  end = writeUnsigned(bytes, end, choiceWidth, choiceIndexes);
  end = writeUnsigned(bytes, end, flagWidth, flags);
  if (powerWidth > 0) for (const power of powers) end = bytes.writeDoubleLE(power, end);
  end += list.copy(bytes, end);
  bytes.writeUInt32LE(checksumOf(ballot.proposalId, bytes.subarray(0, end)), end);
  return bytes;
}

/** The times as distances from just before the earliest, so that a week of voting fits three bytes. */
function timeColumnOf(timesS: Uint32Array): { width: number; baseS: number; offsets: Uint32Array } {
  const known = timesS.filter((time) => time > 0);
  const baseS = known.length === 0 ? 0 : known.reduce((least, time) => Math.min(least, time));
  const offsets = timesS.map((time) => (time === 0 ? 0 : time - baseS + 1));
  const most = offsets.reduce((max, offset) => Math.max(max, offset), 0);
  return { width: widthOf(most), baseS, offsets };
}

function choiceWidthOf(choicesCount: number): number {
  const width = widthOf(Math.max(0, choicesCount - 1));
  return width === 3 ? 4 : width;
}

/** Bytes that a whole number needs; none for 0. */
function widthOf(most: number): number {
  return most === 0 ? 0 : Math.ceil((32 - Math.clz32(most)) / 8);
}

function voterBytesOf(voterIds: Uint32Array): number {
  let total = 0;
  let previous = 0;
  for (const voter of voterIds) {
    total += Math.max(1, Math.ceil((32 - Math.clz32(voter - previous)) / 7));
    previous = voter;
  }
  return total;
}

function writeVoters(bytes: Buffer, start: number, voterIds: Uint32Array): number {
  let end = start;
  let previous = 0;
  for (const voter of voterIds) {
    let step = voter - previous;
    while (step >= 0x80) {
      bytes[end] = (step & 0x7f) | 0x80;
      end += 1;
      step >>>= 7;
    }
    bytes[end] = step;
    end += 1;
    previous = voter;
  }
  return end;
}

function writeUnsigned(
  bytes: Buffer,
  start: number,
  width: number,
  values: Uint32Array | Uint8Array,
): number {
  let end = start;
  if (width > 0) for (const value of values) end = bytes.writeUIntLE(value, end, width);
  return end;
}
