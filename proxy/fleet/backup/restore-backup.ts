import { existsSync, linkSync, lstatSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { flushSync, touchPrivate, writeNew } from "../../../snapshots/base/durable-files.ts";
import { takeLock } from "../../../snapshots/base/file-lock.ts";
import { isSqliteError, type SqliteDatabase } from "../../../snapshots/base/sqlite.ts";
import { errorCode } from "../../../snapshots/base/system-errors.ts";
import { dayOf, timestampOf } from "../../../snapshots/format/ids.ts";
import { isSnapshotFailure } from "../../../snapshots/store/read/snapshot-error.ts";
import { COMMAND_BUSY_TIMEOUT_MS, type Home, openHome } from "../../home.ts";
import { type KeyTable, openKeyTable } from "../../keys/key-table.ts";
import { loadPeppers } from "../../keys/peppers.ts";
import { fileFailure, type OperatorFailure, operatorFailure } from "../../operator-error.ts";
import { assertWhole, closeDays, openDays } from "../../quota/sqlite/edit-counts.ts";
import { openQuotaDatabase } from "../../quota/sqlite/open-quota-database.ts";
import { openSequenceMemory, SEQUENCE_FILE } from "../../snapshot/sequence-memory.ts";
import { type BackupFile, type BackupFolder, invalidBackup, openBackup } from "./backup-folder.ts";

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

/** A restore at work. */
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
  if (options.quota === "close-today") refuseClockBehind(backup.takenAt, options.nowMs);
  return inStage(openHome(homeDirectory), options.quota, async (home, stage) => {
    const restore = { backup, home, stage, options };
    const keys = stageKeys(restore);
    const closedThrough = stageQuota(restore);
    // Keys last: without them nothing serves, so an interrupted restore serves nobody.
    const names = options.quota === "keep" ? ["keys.db"] : ["quota.db", "keys.db"];
    await raisingSequence(restore, async () => placeStores(stage, home, names));
    return { takenAt: backup.takenAt, ...keys, closedThrough };
  });
}

/**
 * Runs `work` with an empty working folder in a home without databases. The lock allows one restore at a time, since each
 * deletes what a killed one left, and neither may place its keys over the other's counter.
 */
export async function inStage<Result>(
  home: Home,
  quota: QuotaChoice,
  work: (home: Home, stage: string) => Promise<Result>,
): Promise<Result> {
  const stage = join(home.directory, ".restoring");
  let release: (() => void) | undefined;
  try {
    const lock = join(home.directory, ".restore-lock");
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

/** Name suffixes of the files that a database keeps beside itself: a log there would be replayed into a restored file. */
const COMPANIONS = ["-wal", "-shm", "-journal"] as const;

/** Whether something exists there; a dangling link counts too. */
const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

function refuseStores({ keysPath, quotaPath }: Home, quota: QuotaChoice): void {
  const stores = quota === "keep" ? [keysPath] : [keysPath, quotaPath];
  if (stores.some((path) => ["", ...COMPANIONS].some((end) => exists(`${path}${end}`)))) throw homeNotEmpty();
}

function homeNotEmpty(cause?: unknown): OperatorFailure {
  return operatorFailure(
    "HOME_NOT_EMPTY",
    "This home already has databases, and a restore overwrites nothing.",
    "Stop every server, and move keys.db and quota.db with their -wal, -shm and -journal away. If the counts are intact, leave quota.db and add --keep-quota.",
    cause,
  );
}

/** Error codes for a disk without hard links, such as FAT. */
const NO_LINKS: readonly string[] = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"];

/**
 * Puts staged files into the home, overwrites nothing, and flushes each before the next: after a power cut no later file
 * exists without the earlier ones. If one fails, those before it are deleted again.
 */
function placeStores(stage: string, { directory }: Home, names: readonly string[]): void {
  const placed: string[] = [];
  try {
    for (const name of names) {
      const path = join(directory, name);
      linkSync(join(stage, name), path);
      placed.unshift(path);
      flushSync(directory);
    }
  } catch (error) {
    // A server started meanwhile may already use a file: deleting it would leave its log behind.
    for (const path of placed) if (!COMPANIONS.some((end) => exists(`${path}${end}`))) rmSync(path);
    const code = errorCode(error) ?? "";
    if (code === "EEXIST") throw homeNotEmpty(error);
    if (!NO_LINKS.includes(code)) throw error;
    throw operatorFailure(
      "HOME_UNUSABLE",
      `The disk of this home does not support hard links (${code}), which a restore needs.`,
      "Restore into a home on a disk that supports them, such as ext4, xfs, btrfs or zfs: --home DIR",
      error,
    );
  }
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

/** Whether the pepper of these keys is here. */
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

/** Refuses to keep what is no sound counter: keys beside it would be restored into a home in which nothing serves. */
function assertKeepable(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw notKeepable("There is no quota.db in this home to keep.");
  // Opening a pipe would block until a writer opens it.
  if (!stats.isFile()) throw notKeepable("The quota.db of this home is not a file.");
  if (stats.size === 0) throw notKeepable("The quota.db of this home is empty.");
  const database = openQuotaDatabase(path, { mayCreate: false });
  try {
    if (!isSound(database)) throw notKeepable("The quota.db of this home is damaged.");
  } finally {
    database.close();
  }
}

function isSound(database: SqliteDatabase): boolean {
  try {
    return database.pragma("quick_check(1)", { simple: true }) === "ok";
  } catch (error) {
    if (isSqliteError(error, "SQLITE_CORRUPT")) return false;
    throw error;
  }
}

function notKeepable(message: string): OperatorFailure {
  const hint =
    "Move quota.db with its -wal and -shm away and omit --keep-quota: then the backup's counts are used, and the day is closed.";
  return operatorFailure("STORE_UNUSABLE", message, hint);
}

/**
 * Refuses to close a day by a clock that is behind the backup: it would close the wrong day, and the right one would be
 * granted a second time once the clock is corrected.
 */
export function refuseClockBehind(takenAt: string, nowMs: number, whose = "This machine's clock"): void {
  if (nowMs >= Date.parse(takenAt)) return;
  throw operatorFailure(
    "CLOCK_BEHIND",
    `${whose} says ${timestampOf(nowMs)}, but the backup was taken later, at ${takenAt}: the day to close is unknown.`,
    "Set the clock (timedatectl) and try again. If the clock was wrong when the backup was taken, use --keep-quota with an intact quota.db, or --grant-today.",
  );
}

/**
 * Raises the home's highest sequence to the backup's, never lowers it, and does the rest of the restore; if that fails,
 * the sequence is as it was.
 */
export async function raisingSequence<Result>(
  { backup, stage, home }: Restore,
  work: () => Promise<Result>,
): Promise<Result> {
  const memory = openSequenceMemory(home.directory);
  const before = memory.highest();
  const saved = backup.has(SEQUENCE_FILE) ? stagedSequence(backup, stage) : 0;
  if (saved <= before) return work();
  await memory.remember(saved);
  try {
    return await work();
  } catch (error) {
    // A server started meanwhile may have raised it further.
    if (openSequenceMemory(home.directory).highest() !== saved) throw error;
    if (before === 0) rmSync(join(home.directory, SEQUENCE_FILE));
    else await memory.remember(before);
    throw error;
  }
}

/** The highest sequence of a backup, read as a server would read it. */
function stagedSequence(backup: BackupFolder, stage: string): number {
  stageFile(backup, stage, SEQUENCE_FILE);
  try {
    return openSequenceMemory(stage).highest();
  } catch (error) {
    if (!isSnapshotFailure(error)) throw error;
    throw invalidBackup(`${SEQUENCE_FILE} of the backup is not a number.`, error);
  }
}
