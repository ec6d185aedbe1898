import { isUtf8 } from "node:buffer";
import { closeSync, readSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { openRegular } from "./read-document.ts";

/** A stretch of a file. */
export interface BytePlace {
  readonly from: number;
  readonly count: number;
}

/** One line of a text file, from 1; `text` is missing where the line is too long or not UTF-8. */
export interface Line {
  readonly line: number;
  readonly text: string | undefined;
  readonly problem: "too long" | "not UTF-8" | undefined;
  /** Where the bytes of `text` stand in the file. */
  readonly place: BytePlace | undefined;
  /** The file ends without a line end after it: somebody may have been cut off while writing. */
  readonly isUnterminated: boolean;
}

/**
 * Is offered each line before anybody makes a text of it: it begins at `from`, and at `to`, where the bytes end, stands
 * a line feed that the file does not have, and after it bytes without meaning. Answers where the line after it begins, or −1 for one that it leaves.
 */
export type ScanLine = (bytes: Buffer, from: number, to: number, line: number) => number;

const CHUNK_BYTES = 1024 * 1024;
/** After the last byte: a line feed that ends every scan, and what one may look at without having come there. */
const SPARE_BYTES = 128;
/** What the last file was read into: a megabyte anew for each of a thousand files costs more than reading them. */
const spareBytes: Buffer[] = [];
const LINE_FEED = 10;
const BYTE_ORDER_MARK = Buffer.from("\uFEFF");

/**
 * Gives `take` the lines of a file in order, without ever holding more than a chunk and two lines of it. Empty lines
 * are counted and left out, and so are those that `scan` took. Throws the error of the disk where there is no such file.
 */
export async function readLines(
  path: string,
  lineBytesMax: number,
  take: (line: Line) => void,
  scan?: ScanLine,
): Promise<void> {
  const { descriptor } = openRegular(path);
  let bytes = spareBytes.pop() ?? Buffer.alloc(CHUNK_BYTES + SPARE_BYTES);
  /** Where the bytes begin in the file, the number of the line that begins them, and whether that is too long already. */
  let fileFrom = 0;
  let line = 1;
  let isSkipping = false;

  const takeText = (from: number, end: number, isUnterminated: boolean): void => {
    const isTooLong = isSkipping || end - from > lineBytesMax;
    const found = isTooLong ? TOO_LONG : textAt(bytes.subarray(from, end), fileFrom + from, line);
    if (found.problem !== undefined || found.text?.trim() !== "") take({ ...found, line, isUnterminated });
  };
  /** Takes the whole lines of the first bytes, and what is left at the end of the file; answers where the rest begins. */
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
    // What is too long already is not collected: the end of the line may be gigabytes away.
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
      // Nothing else here waits: an interrupt, and what the main thread says, are heard now.
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

const TOO_LONG = { text: undefined, problem: "too long", place: undefined } as const;

function textAt(bytes: Buffer, from: number, line: number): Pick<Line, "text" | "problem" | "place"> {
  if (!isUtf8(bytes)) return { text: undefined, problem: "not UTF-8", place: undefined };
  const isMarked = line === 1 && bytes.indexOf(BYTE_ORDER_MARK) === 0;
  const textBytes = isMarked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
  const place = { from: from + bytes.length - textBytes.length, count: textBytes.length };
  return { text: textBytes.toString("utf8"), problem: undefined, place };
}
