import { isUtf8 } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PipelineError } from "../../facts/errors.ts";
import { jsonExcess } from "../upstream/json-excess.ts";
import { RowError } from "../upstream/row-error.ts";

/** A pipe never ends and a device is never what it says: only a regular file is read. */
class NotRegular extends Error {}

/**
 * Opens a regular file for reading, which the caller closes; never waits for whoever holds the other end of a pipe. Like all file calls of an
 * archive it is a synchronous one: a thread of Node's pool for each costs as much as the small files themselves.
 */
export function openRegular(path: string): { readonly descriptor: number; readonly bytes: number } {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(descriptor);
    if (stat.isFile()) return { descriptor, bytes: stat.size };
    throw new NotRegular();
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** `undefined` where the file is not there; any other trouble of the disk fails the DAO, without a path of this machine. */
export async function ifPresent<T>(file: string, read: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof NotRegular) {
      throw new PipelineError("SOURCE_FAILED", `${file} is not a regular file`, { cause: error });
    }
    const code = codeOf(error);
    if (code === undefined) throw error;
    if (code === "ENOENT") return undefined;
    throw new PipelineError("SOURCE_FAILED", `${file} cannot be read (${code})`, { cause: error });
  }
}

function codeOf(error: unknown): string | undefined {
  const isDiskError = error instanceof Error && "code" in error && "syscall" in error;
  return isDiskError ? String(error.code) : undefined;
}

/** A loop over outside data has an end, and reaching it is an error. */
export const ARCHIVE_LIMITS = {
  /** A hub's largest proposals (a body of 40,000 characters, 1,000 choices) stay far below. */
  rowBytesMax: 16 * 1024 * 1024,
  /** Twenty times the votes of the largest space of the hub. */
  rowsMax: 50_000_000,
  /** A whole file that is read at once: a space, the delegates of a day. */
  fileBytesMax: 64 * 1024 * 1024,
  /** Values of one JSON text, each of which costs many times its characters: 400,000 delegates, 25 MB as objects. */
  jsonValuesMax: 2_000_000,
  /** Days of delegate lists of one DAO: a century. */
  listsMax: 36_525,
  /** No object of a hub or a node is nested deeper; strategies hold strategies, and seldom more than twice. */
  jsonDepthMax: 64,
  /** One recorded answer of a node: twice what the door to the network lets in. */
  answerBytesMax: 64 * 1024 * 1024,
  /** Recorded answers of one DAO, of which some 200 bytes each are held; an answer may hold 10,000 logs. */
  answersMax: 1_000_000,
  /** Of a file with more malformed rows than this the rest is not trusted either. */
  malformedShareMax: 0.1,
} as const;

/** JSON of bounded depth and number of values. Throws `RowError` BAD_JSON; what the text holds is not in the message, as Node's own would be. */
export function parseJson(text: string): unknown {
  const { jsonDepthMax: depthMax, jsonValuesMax: valuesMax } = ARCHIVE_LIMITS;
  const excess = jsonExcess(text, { depthMax, valuesMax });
  if (excess !== undefined) throw new RowError("BAD_JSON", `it ${excess}`);
  try {
    return JSON.parse(text);
  } catch {
    throw new RowError("BAD_JSON", "it is not JSON");
  }
}

/** Reads a file that holds one JSON document, to be parsed by calling (which throws `RowError`); `undefined` where there is none. */
export async function readDocument(directory: string, file: string): Promise<(() => unknown) | undefined> {
  const bytes = await ifPresent(file, () => readBounded(join(directory, file)));
  if (bytes === undefined) return undefined;
  return () => {
    if (bytes === "too large") {
      throw new RowError("ROW_TOO_LONG", `it is larger than ${ARCHIVE_LIMITS.fileBytesMax} bytes`);
    }
    if (!isUtf8(bytes)) throw new RowError("BAD_JSON", "it is not UTF-8");
    // An editor may have put a byte order mark before it; the decoder takes it away.
    return parseJson(new TextDecoder().decode(bytes));
  };
}

function readBounded(path: string): Buffer | "too large" {
  const { descriptor, bytes } = openRegular(path);
  try {
    return bytes > ARCHIVE_LIMITS.fileBytesMax ? "too large" : readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
