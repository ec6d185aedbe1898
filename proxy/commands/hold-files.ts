import { closeSync, existsSync, fsyncSync, openSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import type Database from "better-sqlite3";
import { MOVED } from "../home.ts";
import { OperatorError, systemReason } from "../operator-error.ts";
import { isBusy } from "../quota/sqlite/open-quota-database.ts";

/** A store that nobody else has open, and nobody can open until it is let go. */
export interface HeldFile {
  readonly database: Database.Database;
  /** Gives it the name under which nobody looks for it; done before, it stays so. */
  readonly setAside: () => void;
  readonly letGo: () => void;
}

/**
 * Holds the store at `path` alone, or the one of that name that an earlier move has set aside; undefined where there is
 * neither. Refuses one that a server or another command has open.
 */
export function holdFile(path: string, open: (path: string) => Database.Database): HeldFile | undefined {
  const aside = `${path}${MOVED}`;
  const place = [path, aside].find((each) => existsSync(each));
  if (place === undefined) return undefined;
  const database = open(place);
  try {
    takeAlone(database);
  } catch (error) {
    database.close();
    throw error;
  }
  return {
    database,
    setAside: () => {
      if (place === aside) return;
      renameSync(path, aside);
      flushFolder(dirname(path));
    },
    letGo: () => database.close(),
  };
}

/** A log of changes cannot be done away with while anybody else has the file open, so this asks whether anybody has. */
function takeAlone(database: Database.Database): void {
  try {
    database.pragma("journal_mode = DELETE");
    database.pragma("locking_mode = EXCLUSIVE");
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new OperatorError(
      "STORE_UNUSABLE",
      `The stores of this home are in use: ${systemReason(error)}.`,
      "Stop every server of this home, and wait for other commands to end.",
      error,
    );
  }
}

function flushFolder(folder: string): void {
  const opened = openSync(folder, "r");
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
