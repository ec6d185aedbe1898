import { isUtf8 } from "node:buffer";
import { closeSync, readSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { openRegular } from "./read-document.ts";

export interface ByteRange {
  readonly from: number;
  readonly count: number;
}

/** One line of a text file, numbered from 1: its text and where that lies in the file, or why there is none. */
export interface Line {
  readonly line: number;
  readonly text?: string;
  readonly range?: ByteRange;
  readonly problem?: "too long" | "not UTF-8";
  /** The file ends without a line feed here: the writer may have been cut off. */
  readonly isUnterminated: boolean;
}

/**
 * Called with the raw bytes of each line before it is decoded. The line begins at `from`. The valid bytes end
 * at `to`, where a line feed is added that the file does not contain, followed by meaningless bytes. Returns
 * where the next line begins, or −1 to leave the line to the text parser.
 */
export type ScanLine = (bytes: Buffer, from: number, to: number, line: number) => number;

const CHUNK_BYTES = 1024 * 1024;
/** Room after the last byte: the added line feed, and bytes that a scan may look at beyond the end. */
const SPARE_BYTES = 128;
/** The last file's buffer, for reuse: a new megabyte for each of a thousand files costs more than reading them. */
const spareBytes: Buffer[] = [];
const LINE_FEED = 10;
const BYTE_ORDER_MARK = Buffer.from("\uFEFF");

/**
 * Calls `take` with each line of a file in order, holding at most one chunk and two lines in memory. Skips
 * empty lines and those that `scan` consumed, but counts them. Throws the disk's error if the file does not
 * exist.
 */
export async function readLines(
  directory: string,
  file: string,
  lineBytesMax: number,
  take: (line: Line) => void,
  scan?: ScanLine,
): Promise<void> {
  const { descriptor } = openRegular(directory, file);
  let bytes = spareBytes.pop() ?? Buffer.alloc(CHUNK_BYTES + SPARE_BYTES);
  /** Offset of `bytes` in the file, number of the first line in it, and whether that is already too long. */
  let fileFrom = 0;
  let line = 1;
  let isSkipping = false;

  const takeText = (from: number, end: number, isUnterminated: boolean) => {
    const isTooLong = isSkipping || end - from > lineBytesMax;
    if (isTooLong) return take({ line, isUnterminated, problem: "too long" });
    let textBytes = bytes.subarray(from, end);
    if (!isUtf8(textBytes)) return take({ line, isUnterminated, problem: "not UTF-8" });
    const isMarked = line === 1 && textBytes.indexOf(BYTE_ORDER_MARK) === 0;
    if (isMarked) textBytes = textBytes.subarray(BYTE_ORDER_MARK.length);
    const text = textBytes.toString("utf8");
    const count = textBytes.length;
    if (text.trim() !== "")
      take({ line, isUnterminated, text, range: { from: fileFrom + end - count, count } });
  };
  /** Consumes the complete lines of the first `to` bytes, at the end also the rest; returns where the rest begins. */
  const takeLines = (to: number, isEnd: boolean): number => {
    let from = 0;
    while (from < to) {
      const next = scan === undefined || isSkipping ? -1 : scan(bytes, from, to, line);
      if (next === -1) {
        const end = bytes.indexOf(LINE_FEED, from);
        if (end === to) break;
        takeText(from, end, false);
        isSkipping = false;
        from = end + 1;
      } else from = next;
      line += 1;
    }
    if (isEnd && (isSkipping || from < to)) takeText(from, to, true);
    // Do not collect a line that is already too long: its end may be gigabytes away.
    if (to - from > lineBytesMax) isSkipping = true;
    return isSkipping ? to : from;
  };

  try {
    for (let held = 0; ; ) {
      if (held + SPARE_BYTES === bytes.length) {
        const longer = Math.min(2 * bytes.length, lineBytesMax + CHUNK_BYTES + SPARE_BYTES);
        bytes = Buffer.concat([bytes], longer);
      }
      const bytesRead = readSync(descriptor, bytes, held, bytes.length - SPARE_BYTES - held, null);
      const to = held + bytesRead;
      bytes[to] = LINE_FEED;
      const rest = takeLines(to, bytesRead === 0);
      if (bytesRead === 0) break;
      // Nothing else here awaits: yield, so that interrupts and messages of the main thread are handled.
      await setImmediate();
      fileFrom += rest;
      bytes.copyWithin(0, rest, to);
      held = to - rest;
    }
  } finally {
    closeSync(descriptor);
  }
  if (spareBytes.length === 0 && bytes.length === CHUNK_BYTES + SPARE_BYTES) spareBytes.push(bytes);
}
