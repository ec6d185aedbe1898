import { lstatSync } from "node:fs";
import { basename } from "node:path";
import { OperatorError } from "../operator-error.ts";

/** A log that is still there after the close holds what SQLite could not bring into the file, and says so nowhere else. */
const LOGS = ["-wal", "-journal"] as const;

/** Refuses a store that was closed and has not all of itself in its one file: whoever takes the file alone would lose it. */
export function assertWhole(path: string): void {
  const isThere = (end: string) => lstatSync(`${path}${end}`, { throwIfNoEntry: false }) !== undefined;
  if (LOGS.some(isThere)) throw notWhole(path, "a part of it is still in its log");
}

/** What stands in a store's log did not get into the store. */
export function notWhole(path: string, why: string, cause?: unknown): OperatorError {
  return new OperatorError(
    "STORE_UNUSABLE",
    `${basename(path)} could not be written whole: ${why}.`,
    "Look at the disk it lies on (df), make room, and try again.",
    cause,
  );
}
