import { existsSync, linkSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { createOnce, touchPrivate, writeNew } from "../../../snapshots/base/durable-files.ts";
import { takeLock } from "../../../snapshots/base/sqlite.ts";
import { dayOf, timestampOf } from "../../../snapshots/format/ids.ts";
import { COMMAND_BUSY_TIMEOUT_MS, type Home, openHome } from "../../home.ts";
import { type KeyTable, openKeyTable } from "../../keys/key-table.ts";
import { loadPeppers } from "../../keys/peppers.ts";
import { fileFailure, type OperatorFailure, operatorFailure } from "../../operator-error.ts";
import { assertWhole, closeDays, openDays } from "../../quota/sqlite/edit-counts.ts";
import { openQuotaDatabase } from "../../quota/sqlite/open-quota-database.ts";
import { openSequenceMemory, SEQUENCE_FILE } from "../../snapshot/sequence-memory.ts";
import { type BackupFile, type BackupFolder, openBackup } from "./backup-folder.ts";

/** What happens to the counter: the backup's one with the day closed or granted, or the one that is there. */
export type QuotaChoice = "close-today" | "grant-today" | "keep";

export interface RestoreOptions {
  readonly quota: QuotaChoice;
  readonly nowMs: number;
  /** The pepper from the environment; if undefined, the file in the home is used. */
  readonly givenPepper: string | undefined;
}

export interface Restored {
  readonly takenAt: string;
  readonly accounts: number;
  readonly keys: number;
  /** The last day on which nothing is granted; null if the count is restored unchanged. */
  readonly closedThrough: string | null;
  /** False if the pepper must still be put back; nothing can serve before that. */
  readonly hasPepper: boolean;
}

export interface Restore {
  readonly backup: BackupFolder;
  readonly home: Home;
  /** An empty working folder in the home. */
  readonly stage: string;
  readonly options: RestoreOptions;
}

/**
 * Restores a whole, checked backup into a home without databases, and overwrites nothing. Units granted after the backup
 * are in no count, so no units of that day are granted unless the options say so.
 */
export async function restoreBackup(
  directory: string,
  homeDirectory: string,
  options: RestoreOptions,
): Promise<Restored> {
  const backup = openBackup(directory);
  if (options.quota === "close-today" && options.nowMs < Date.parse(backup.takenAt))
    throw clockBehind(backup.takenAt, options.nowMs, "This machine's clock");
  return inStage(homeDirectory, options.quota, async (home, stage) => {
    const restore = { backup, home, stage, options };
    const keys = stageKeys(restore);
    const closedThrough = stageQuota(restore);
    await raiseSequence(restore);
    // Keys last: without them nothing serves, so an interrupted restore serves nobody.
    for (const name of options.quota === "keep" ? ["keys.db"] : ["quota.db", "keys.db"]) {
      const isPlaced = createOnce(join(home.directory, name), (draft) => linkSync(join(stage, name), draft));
      if (!isPlaced) throw homeNotEmpty();
    }
    return { takenAt: backup.takenAt, ...keys, closedThrough };
  });
}

/**
 * Runs `work` with an empty working folder in a home without databases. The lock allows one restore at a time, since each
 * deletes what a killed one left, and neither may place its keys over the other's counter.
 */
export async function inStage<Result>(
  homeDirectory: string,
  quota: QuotaChoice,
  work: (home: Home, stage: string) => Promise<Result>,
): Promise<Result> {
  const home = openHome(homeDirectory);
  const stage = join(home.directory, ".restoring");
  const lock = join(home.directory, ".restore-lock");
  let release: (() => void) | undefined;
  try {
    touchPrivate(lock);
    release = takeLock(lock);
    if (release === undefined) {
      throw operatorFailure(
        "RESTORE_AT_WORK",
        "Another restore is running in this home.",
        "Wait until it has finished, and read what it prints.",
      );
    }
    refuseStores(home, quota);
    rmSync(stage, { recursive: true, force: true });
    mkdirSync(stage, { mode: 0o700 });
    return await work(home, stage);
  } catch (error) {
    throw fileFailure(error, `The home ${resolve(home.directory)}`);
  } finally {
    if (release !== undefined) rmSync(stage, { recursive: true, force: true });
    release?.();
  }
}

/** A database's file, and those that it keeps beside itself: a log there would be replayed into a restored file. */
const ENDS = ["", "-wal", "-shm", "-journal"] as const;

function refuseStores({ keysPath, quotaPath }: Home, quota: QuotaChoice): void {
  const stores = quota === "keep" ? [keysPath] : [keysPath, quotaPath];
  // A dangling link counts too.
  const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  if (stores.some((path) => ENDS.some((end) => isThere(`${path}${end}`)))) throw homeNotEmpty();
}

function homeNotEmpty(): OperatorFailure {
  return operatorFailure(
    "HOME_NOT_EMPTY",
    "This home already has databases, and a restore overwrites nothing.",
    "Stop every server, and move keys.db and quota.db with their -wal, -shm and -journal away. If the counts are intact, leave quota.db and add --keep-quota.",
  );
}

/** Copies the keys. Refuses a wrong pepper before anything is placed. */
export function stageKeys({ backup, stage, home, options }: Restore) {
  const path = stageFile(backup, stage, "keys.db");
  const table = openKeyTable(path, COMMAND_BUSY_TIMEOUT_MS);
  let result: Pick<Restored, "accounts" | "keys" | "hasPepper">;
  try {
    const hasPepper = acceptsPepper(table, home, options.givenPepper);
    result = { accounts: table.accounts().length, keys: table.keys().length, hasPepper };
  } finally {
    table.close();
  }
  // Only the main file is placed.
  assertWhole(path);
  return result;
}

function acceptsPepper(table: KeyTable, home: Home, given: string | undefined): boolean {
  const isEmpty = table.keys().length === 0;
  if (given === undefined && !existsSync(home.pepperPath)) return isEmpty;
  const randomBytes = () => {
    throw new Error("invariant: a restore makes no pepper");
  };
  const peppers = loadPeppers({ given, path: home.pepperPath, mayCreate: false, randomBytes });
  if (isEmpty || table.acceptsPeppers(peppers)) return true;
  throw operatorFailure(
    "PEPPER_MISMATCH",
    "The keys in this backup were stored with a different pepper than the one here.",
    "Put the pepper of that time into the home, or remove the wrong one and put the right one there later.",
  );
}

/** Prepares the counter, also if the backup has none. Returns the last day that is closed in it, if one is. */
function stageQuota({ backup, stage, home, options }: Restore): string | null {
  if (options.quota === "keep") {
    assertKeepable(home.quotaPath);
    return null;
  }
  const path = join(stage, "quota.db");
  if (backup.has("quota.db")) stageFile(backup, stage, "quota.db");
  if (options.quota === "grant-today") {
    openDays(path);
    return null;
  }
  const today = dayOf(options.nowMs);
  closeDays(path, today);
  return today;
}

export function stageFile(backup: BackupFolder, stage: string, name: BackupFile): string {
  const path = join(stage, name);
  writeNew(path, backup.bytes(name));
  return path;
}

/** Refuses to keep a damaged counter: keys beside it would be restored into a home in which nothing serves. */
function assertKeepable(path: string): void {
  const hint =
    "Move quota.db with its -wal and -shm away and omit --keep-quota: then the backup's counts are used, and the day is closed.";
  if (!existsSync(path))
    throw operatorFailure("STORE_UNUSABLE", "There is no quota.db in this home to keep.", hint);
  const database = openQuotaDatabase(path, { mayCreate: false });
  try {
    if (database.pragma("quick_check(1)", { simple: true }) === "ok") return;
    throw operatorFailure("STORE_UNUSABLE", "The quota.db of this home is damaged.", hint);
  } finally {
    database.close();
  }
}

/** By a clock behind the backup the wrong day would be closed, and the right one granted twice once it is set right. */
export function clockBehind(takenAt: string, nowMs: number, whose: string): OperatorFailure {
  return operatorFailure(
    "CLOCK_BEHIND",
    `${whose} says ${timestampOf(nowMs)}, but the backup was taken later, at ${takenAt}: the day to close is unknown.`,
    "Set the clock (timedatectl) and try again. If the clock was wrong when the backup was taken, use --keep-quota with an intact quota.db, or --grant-today.",
  );
}

/** Raises the home's highest sequence to the backup's, and never lowers it. */
export async function raiseSequence({ backup, stage, home }: Restore): Promise<void> {
  if (!backup.has(SEQUENCE_FILE)) return;
  stageFile(backup, stage, SEQUENCE_FILE);
  const saved = openSequenceMemory(stage).highest();
  const memory = openSequenceMemory(home.directory);
  if (saved > memory.highest()) await memory.remember(saved);
}
