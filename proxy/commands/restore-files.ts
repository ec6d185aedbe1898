import { existsSync, linkSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { dayOf } from "../../snapshots/format/ids.ts";
import { type Home, openHome } from "../home.ts";
import { OperatorError } from "../http/operator-error.ts";
import { COMMAND_BUSY_TIMEOUT_MS } from "../http/transport-limits.ts";
import { type KeyStore, openKeyStore } from "../keys/key-store.ts";
import { loadPeppers } from "../keys/load-peppers.ts";
import { closeDays, openDays } from "../quota/close-days.ts";
import { openSequenceMemory } from "../snapshot/sequence-memory.ts";
import { flush, writeNew } from "./backup-files.ts";
import { type BackupNote, invalidBackup, readBackupNote, readHashed } from "./backup-note.ts";

/** What a restore works in begins so. */
const STAGE = ".restoring-";

/** What happens to the counter: the backup's one with the day closed or granted, or the one that is there. */
export type QuotaChoice = "close-today" | "grant-today" | "keep";

/** What a restore is told. */
export interface RestoreOrder {
  readonly quota: QuotaChoice;
  readonly nowMs: number;
  /** The pepper of the environment; the file in the home where it is undefined. */
  readonly givenPepper: string | undefined;
}

/** What was restored. */
export interface Restored {
  readonly takenAt: string;
  readonly accounts: number;
  readonly keys: number;
  /** The last day of which nothing is granted; null where the count is taken as it is. */
  readonly closedThrough: string | null;
  /** False where the pepper is still to be put back: nothing serves before. */
  readonly hasPepper: boolean;
}

/**
 * Puts a backup into a home that has no stores, whole and checked, and never over anything. Units that were granted after
 * the backup are in no count, so nobody gets any of that day unless the order says so.
 */
export function restoreBackup(directory: string, homeDirectory: string, order: RestoreOrder): Restored {
  const note = readBackupNote(directory);
  const home = openHome(homeDirectory);
  refuseWhatIsThere(home, order.quota);
  forgetStages(home);
  const stage = mkdtempSync(join(home.directory, STAGE));
  try {
    const found = stageKeys(directory, stage, { note, home, order });
    const closedThrough = order.quota === "keep" ? null : stageQuota(directory, stage, { note, order });
    restoreSequence(directory, home, note);
    // The keys last: without them nothing answers, so a restore that was cut off serves nobody.
    if (order.quota !== "keep") linkSync(join(stage, "quota.db"), home.quotaPath);
    linkSync(join(stage, "keys.db"), home.keysPath);
    flush(home.directory);
    return { takenAt: note.taken_at, ...found, closedThrough };
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** A restore that was killed leaves its copies, which nobody needs. */
function forgetStages({ directory }: Home): void {
  for (const name of readdirSync(directory).filter((each) => each.startsWith(STAGE)))
    rmSync(join(directory, name), { recursive: true, force: true });
}

/** Also the logs of changes: one that lies beside a restored file would be played into it. */
function refuseWhatIsThere(home: Home, quota: QuotaChoice): void {
  if (quota === "keep" && !existsSync(home.quotaPath)) {
    const hint = "Leave --keep-quota out: then the backup's count is taken, and the day is closed.";
    throw new OperatorError("STORE_UNUSABLE", "There is no quota.db in this home to keep.", hint);
  }
  const stores = quota === "keep" ? [home.keysPath] : [home.keysPath, home.quotaPath];
  const isThere = stores.some((path) => ["", "-wal", "-shm"].some((end) => existsSync(`${path}${end}`)));
  if (!isThere) return;
  throw new OperatorError(
    "HOME_NOT_EMPTY",
    "There are stores in this home, and a restore writes over nothing.",
    "Stop every server, and move keys.db and quota.db with their -wal and -shm elsewhere. Where the count is sound, leave quota.db and say --keep-quota.",
  );
}

interface Staging {
  readonly note: BackupNote;
  readonly order: RestoreOrder;
}

function stageKeys(
  directory: string,
  stage: string,
  { note, order, home }: Staging & { readonly home: Home },
) {
  const path = stageFile(directory, stage, { note, name: "keys.db" });
  const store = openKeyStore(path, COMMAND_BUSY_TIMEOUT_MS);
  try {
    const hasPepper = acceptsPepper(store, home, order.givenPepper);
    return { accounts: store.accounts().length, keys: store.keys().length, hasPepper };
  } finally {
    store.close();
  }
}

/** Whether the pepper of these keys is here; a wrong one is refused while nothing has been put in place. */
function acceptsPepper(store: KeyStore, home: Home, given: string | undefined): boolean {
  if (given === undefined && !existsSync(home.pepperPath)) return store.keys().length === 0;
  const randomBytes = () => {
    throw new Error("invariant: a restore makes no pepper");
  };
  const peppers = loadPeppers({ given, path: home.pepperPath, mayCreate: false, randomBytes });
  if (store.keys().length === 0 || store.acceptsPeppers(peppers)) return true;
  throw new OperatorError(
    "PEPPER_MISMATCH",
    "The keys in this backup were stored under another pepper than the one that is here.",
    "Put the pepper of that time into the home, or take the wrong one away and put the right one there later.",
  );
}

/** A day that began before the backup was taken, or by a clock ahead of this one, is doubtful as well. */
function stageQuota(directory: string, stage: string, { note, order }: Staging): string | null {
  const isHeld = note.files["quota.db"] !== undefined;
  const path = isHeld ? stageFile(directory, stage, { note, name: "quota.db" }) : join(stage, "quota.db");
  if (order.quota === "grant-today") {
    openDays(path);
    return null;
  }
  const [today, takenOn] = [dayOf(order.nowMs), note.taken_at.slice(0, 10)];
  const throughDay = takenOn > today ? takenOn : today;
  closeDays(path, throughDay);
  return throughDay;
}

function stageFile(
  directory: string,
  stage: string,
  { note, name }: { readonly note: BackupNote; readonly name: "keys.db" | "quota.db" },
): string {
  const path = join(stage, name);
  writeNew(path, checkedBytes(directory, note, name));
  return path;
}

function checkedBytes(directory: string, note: BackupNote, name: keyof BackupNote["files"]): Buffer {
  let read: ReturnType<typeof readHashed>;
  try {
    read = readHashed(join(directory, name));
  } catch (error) {
    throw invalidBackup(`${name} of the backup cannot be read.`, error);
  }
  if (read.sha256 === note.files[name]) return read.bytes;
  throw invalidBackup(`${name} of the backup has changed since it was taken.`);
}

/** It only ever rises: a home that has seen a later version keeps it. */
function restoreSequence(directory: string, home: Home, note: BackupNote): void {
  if (note.files["highest-sequence"] === undefined) return;
  const saved = Number(checkedBytes(directory, note, "highest-sequence").toString("utf8").trim());
  if (!Number.isSafeInteger(saved) || saved < 1)
    throw invalidBackup("highest-sequence of the backup is no number.");
  const memory = openSequenceMemory(home.directory);
  if (saved > memory.highest()) memory.remember(saved);
}
