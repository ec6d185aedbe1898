import { copyFileSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { flushSync, writeNew } from "../../snapshots/base/durable-files.ts";
import { isSqliteError, type SqliteDatabase } from "../../snapshots/base/sqlite.ts";
import { dayOf, timestampOf } from "../../snapshots/format/ids.ts";
import { isSnapshotFailure } from "../../snapshots/store/read/snapshot-error.ts";
import { COMMAND_BUSY_TIMEOUT_MS, type Home, openHome } from "../home.ts";
import { type KeyStore, openKeyStore } from "../keys/key-store.ts";
import { loadPeppers } from "../keys/peppers.ts";
import { explainingFileFailures, type OperatorFailure, operatorFailure } from "../operator-error.ts";
import { assertWhole, closeDays, openDays } from "../quota/sqlite/edit-counts.ts";
import { openQuotaDatabase } from "../quota/sqlite/open-quota-database.ts";
import { openSequenceMemory, SEQUENCE_FILE } from "../snapshot/sequence-memory.ts";
import { type BackupFile, type BackupFolder, invalidBackup, openBackup } from "./backup-files.ts";
import {
  holdingRestoreLock,
  homeNotEmpty,
  isStoreThere,
  type PlacingDisk,
  placeFiles,
} from "./place-files.ts";

/** The name prefix of a restore's working folder. */
const STAGE = ".restoring-";

/** What happens to the counter: the backup's one with the day closed or granted, or the one that is there. */
export type QuotaChoice = "close-today" | "grant-today" | "keep";

export interface RestoreOrder {
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

/**
 * Restores a whole, checked backup into a home without stores, and overwrites nothing. Units granted after the backup are
 * in no count, so no units of that day are granted unless the options say so.
 */
export function restoreBackup(
  directory: string,
  homeDirectory: string,
  order: RestoreOrder,
  disk?: PlacingDisk,
): Restored {
  const backup = openBackup(directory);
  if (order.quota === "close-today") refuseClockBehind(backup.takenAt, order.nowMs);
  const home = openHome(homeDirectory);
  const work = () => {
    refuseWhatIsThere(home, order.quota);
    forgetStages(home);
    const stage = makeStage(home);
    try {
      return restoreFrom({ backup, stage, home, order }, disk);
    } finally {
      rmSync(stage, { recursive: true, force: true });
    }
  };
  return explainingFileFailures(`The home ${resolve(home.directory)}`, () =>
    holdingRestoreLock(home.directory, work),
  );
}

interface Restore {
  readonly backup: BackupFolder;
  /** The working folder in the home. */
  readonly stage: string;
  readonly home: Home;
  readonly order: RestoreOrder;
}

function restoreFrom(restore: Restore, disk: PlacingDisk | undefined): Restored {
  const { backup, stage, home, order } = restore;
  const found = stageKeys(restore);
  const closedThrough = stageQuota(restore);
  const sequence = stageSequence(restore);
  const quota = { from: join(stage, "quota.db"), to: home.quotaPath };
  // Keys last: without them nothing serves, so an interrupted restore serves nobody.
  const keys = { from: join(stage, "keys.db"), to: home.keysPath };
  const takeSequenceBack = restoreSequence(home.directory, stage, sequence);
  try {
    placeFiles(order.quota === "keep" ? [keys] : [quota, keys], home.directory, disk);
  } catch (error) {
    takeSequenceBack();
    throw error;
  }
  return { takenAt: backup.takenAt, ...found, closedThrough };
}

/** Makes a working folder in the home. */
export function makeStage({ directory }: Home): string {
  return mkdtempSync(join(directory, STAGE));
}

/** Deletes the leftover copies of a killed restore. */
function forgetStages({ directory }: Home): void {
  for (const name of readdirSync(directory).filter((each) => each.startsWith(STAGE)))
    rmSync(join(directory, name), { recursive: true, force: true });
}

/** Refuses existing stores, and write-ahead logs too: one beside a restored file would be replayed into it. */
export function refuseWhatIsThere(home: Home, quota: QuotaChoice): void {
  const stores = quota === "keep" ? [home.keysPath] : [home.keysPath, home.quotaPath];
  if (stores.some(isStoreThere)) throw homeNotEmpty();
  if (quota === "keep") assertKeepable(home.quotaPath);
}

/** Opening a store of an older program upgrades it; only its main file is put in place. */
export function stageKeys({ backup, stage, home, order }: Restore) {
  const path = stageFile(backup, stage, "keys.db");
  const store = openKeyStore(path, COMMAND_BUSY_TIMEOUT_MS);
  let found: Pick<Restored, "accounts" | "keys" | "hasPepper">;
  try {
    const hasPepper = acceptsPepper(store, home, order.givenPepper);
    found = { accounts: store.accounts().length, keys: store.keys().length, hasPepper };
  } finally {
    store.close();
  }
  assertWhole(path);
  return found;
}

/** Whether the pepper of these keys is here; a wrong one is refused while nothing has been put in place. */
function acceptsPepper(store: KeyStore, home: Home, given: string | undefined): boolean {
  if (given === undefined && !existsSync(home.pepperPath)) return store.keys().length === 0;
  const randomBytes = () => {
    throw new Error("invariant: a restore makes no pepper");
  };
  const peppers = loadPeppers({ given, path: home.pepperPath, mayCreate: false, randomBytes });
  if (store.keys().length === 0 || store.acceptsPeppers(peppers)) return true;
  throw operatorFailure(
    "PEPPER_MISMATCH",
    "The keys in this backup were stored with a different pepper than the one here.",
    "Put the pepper of that time into the home, or remove the wrong one and put the right one there later.",
  );
}

/** Prepares the counter, also where the backup holds none; gives the last day that is closed in it, if one is. */
function stageQuota({ backup, stage, order: { quota, nowMs } }: Restore): string | null {
  if (quota === "keep") return null;
  const path = join(stage, "quota.db");
  if (backup.has("quota.db")) stageFile(backup, stage, "quota.db");
  if (quota === "grant-today") {
    openDays(path);
    return null;
  }
  const today = dayOf(nowMs);
  closeDays(path, today);
  return today;
}

export function stageFile(backup: BackupFolder, stage: string, name: BackupFile): string {
  const path = join(stage, name);
  writeNew(path, backup.bytes(name));
  return path;
}

/** Refuses to keep what is no sound counter: keys over it would be restored into a home in which nothing serves. */
function assertKeepable(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw notKeepable("There is no quota.db in this home to keep.");
  // Opening a pipe would block until a writer opens it.
  if (!found.isFile()) throw notKeepable("The quota.db of this home is not a file.");
  if (found.size === 0) throw notKeepable("The quota.db of this home is empty.");
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

/** The highest sequence of a backup, read by way of `stage` as a server would read it; 0 where it holds none. */
export function stageSequence({ backup, stage }: Restore): number {
  if (!backup.has(SEQUENCE_FILE)) return 0;
  stageFile(backup, stage, SEQUENCE_FILE);
  try {
    return openSequenceMemory(stage).highest();
  } catch (error) {
    if (!isSnapshotFailure(error)) throw error;
    throw invalidBackup(`${SEQUENCE_FILE} of the backup is not a number.`, error);
  }
}

/**
 * Raises the home's highest sequence to the one that was staged, never lowers it, and gives what takes the change back: a
 * restore that is refused afterwards leaves the home as it was.
 */
export function restoreSequence(home: string, stage: string, saved: number): () => void {
  const before = openSequenceMemory(home).highest();
  if (saved <= before) return () => {};
  const path = join(home, SEQUENCE_FILE);
  const kept = join(stage, `${SEQUENCE_FILE}.before`);
  if (before !== 0) copyFileSync(path, kept);
  renameSync(join(stage, SEQUENCE_FILE), path);
  flushSync(home);
  return () => {
    // A server started meanwhile may have raised it further.
    if (openSequenceMemory(home).highest() !== saved) return;
    if (before === 0) rmSync(path, { force: true });
    else renameSync(kept, path);
  };
}
