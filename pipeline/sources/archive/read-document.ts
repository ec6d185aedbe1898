import { isUtf8 } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { systemErrorCode } from "../../../snapshots/base/failure.ts";
import { sourceFailed } from "../../facts/errors.ts";
import { jsonExcess } from "../upstream/parse-values.ts";
import { rowFailure } from "../upstream/row-error.ts";

/**
 * Opens a file for reading; the caller closes it. Only a regular one, and without waiting for the other end of a pipe: a
 * pipe or a device might never end. Archive files are read synchronously, because a thread of Node's pool per file costs
 * as much as reading the small files.
 */
export function openRegular(directory: string, file: string) {
  const descriptor = openSync(join(directory, file), constants.O_RDONLY | constants.O_NONBLOCK);
  const stat = fstatSync(descriptor);
  if (stat.isFile()) return { descriptor, bytes: stat.size };
  closeSync(descriptor);
  throw sourceFailed(`${file} is not a regular file`);
}

/** Returns `undefined` if the file is missing. Other disk errors fail the DAO, without a path of this machine. */
export async function ifPresent<T>(file: string, read: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    if (code === "ENOENT") return undefined;
    throw sourceFailed(`${file} cannot be read (${code})`, { cause: error });
  }
}

/** Every loop over outside data has a limit; reaching it is an error. */
export const ARCHIVE_LIMITS = {
  /** The hub's largest proposals (a body of 40,000 characters, 1,000 choices) stay far below this. */
  rowBytesMax: 16 * 1024 * 1024,
  /** Twenty times the votes of the hub's largest space. */
  rowsMax: 50_000_000,
  /** A file that is read at once: a space, or the delegates of a day. */
  fileBytesMax: 64 * 1024 * 1024,
  /** Values in one JSON text; each takes many times its characters. 400,000 delegates take 25 MB as objects. */
  jsonValuesMax: 2_000_000,
  /** Delegate lists of one DAO: a century of days. */
  listsMax: 36_525,
  /** No object of a hub or node is deeper; strategies contain strategies, but seldom more than two levels. */
  jsonDepthMax: 64,
  /** One recorded answer of a node: twice the limit of the HTTP client. */
  answerBytesMax: 64 * 1024 * 1024,
  /** Recorded answers of one DAO; each takes about 200 bytes of memory. An answer may contain 10,000 logs. */
  answersMax: 1_000_000,
} as const;

/** Parses JSON of bounded depth and size. Throws `BAD_JSON`, whose message quotes nothing (Node's would). */
export function parseJson(text: string): unknown {
  const { jsonDepthMax: depthMax, jsonValuesMax: valuesMax } = ARCHIVE_LIMITS;
  const excess = jsonExcess(text, { depthMax, valuesMax });
  if (excess !== undefined) throw rowFailure("BAD_JSON", `it ${excess}`);
  try {
    return JSON.parse(text);
  } catch {
    throw rowFailure("BAD_JSON", "it is not JSON");
  }
}

/** Reads a file with one JSON document, if there is one. The returned function parses it and throws `RowFailure`. */
export async function readDocument(directory: string, file: string): Promise<(() => unknown) | undefined> {
  const { fileBytesMax } = ARCHIVE_LIMITS;
  const read = await ifPresent(file, () => {
    const { descriptor, bytes } = openRegular(directory, file);
    try {
      return { bytes: bytes > fileBytesMax ? undefined : readFileSync(descriptor) };
    } finally {
      closeSync(descriptor);
    }
  });
  if (read === undefined) return undefined;
  const { bytes } = read;
  return () => {
    if (bytes === undefined) throw rowFailure("ROW_TOO_LONG", `it is larger than ${fileBytesMax} bytes`);
    if (!isUtf8(bytes)) throw rowFailure("BAD_JSON", "it is not UTF-8");
    // The decoder removes a byte order mark that an editor may have added.
    return parseJson(new TextDecoder().decode(bytes));
  };
}
