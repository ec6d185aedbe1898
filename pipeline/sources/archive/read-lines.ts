import { isUtf8 } from "node:buffer";
import type { FileHandle } from "node:fs/promises";
import { openRegular } from "./disk-errors.ts";

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

const CHUNK_BYTES = 1024 * 1024;
const LINE_FEED = 10;
const BYTE_ORDER_MARK = Buffer.from("\uFEFF");

/**
 * The lines of a file in batches, without ever holding more than a chunk and one line of it. Empty lines are
 * counted and left out. Throws the error of the disk where there is no such file.
 */
export async function* readLines(path: string, lineBytesMax: number): AsyncGenerator<readonly Line[]> {
  const file = await openRegular(path);
  try {
    yield* splitLines(file, lineBytesMax);
  } finally {
    await file.close();
  }
}

async function* splitLines(file: FileHandle, lineBytesMax: number): AsyncGenerator<readonly Line[]> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let rest: Buffer = Buffer.alloc(0);
  let line = 1;
  let isSkipping = false;
  /** Where `data` begins in the file. */
  let dataFrom = 0;
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, null);
    const data = rest.length === 0 ? chunk.subarray(0, bytesRead) : joined(rest, chunk, bytesRead);
    const lines: Line[] = [];
    let from = 0;
    const readLine = (to: number, isUnterminated: boolean): Line => {
      const found = { bytes: data.subarray(from, to), from: dataFrom + from, line, isUnterminated };
      return isSkipping ? tooLong(found) : lineOf(found, lineBytesMax);
    };
    for (let end = data.indexOf(LINE_FEED); end !== -1; end = data.indexOf(LINE_FEED, from)) {
      lines.push(readLine(end, false));
      isSkipping = false;
      from = end + 1;
      line += 1;
    }
    const tail = data.subarray(from);
    if (bytesRead === 0 && (isSkipping || tail.length > 0)) lines.push(readLine(data.length, true));
    // What is too long already is not collected: the end of the line may be gigabytes away.
    if (tail.length > lineBytesMax) isSkipping = true;
    dataFrom += isSkipping ? data.length : from;
    rest = isSkipping ? Buffer.alloc(0) : Buffer.from(tail);
    yield lines.filter((item) => item.problem !== undefined || item.text?.trim() !== "");
    if (bytesRead === 0) return;
  }
}

function joined(rest: Buffer, chunk: Buffer, bytesRead: number): Buffer {
  return Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
}

interface FoundLine {
  readonly bytes: Buffer;
  readonly from: number;
  readonly line: number;
  readonly isUnterminated: boolean;
}

function lineOf(found: FoundLine, lineBytesMax: number): Line {
  const { bytes, from, line, isUnterminated } = found;
  if (bytes.length > lineBytesMax) return tooLong(found);
  if (!isUtf8(bytes)) {
    return { line, text: undefined, problem: "not UTF-8", place: undefined, isUnterminated };
  }
  const isMarked = line === 1 && bytes.indexOf(BYTE_ORDER_MARK) === 0;
  const textBytes = isMarked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
  const place = { from: from + bytes.length - textBytes.length, count: textBytes.length };
  return { line, text: textBytes.toString("utf8"), problem: undefined, place, isUnterminated };
}

function tooLong({ line, isUnterminated }: FoundLine): Line {
  return { line, text: undefined, problem: "too long", place: undefined, isUnterminated };
}
