import { closeSync, openSync } from "node:fs";
import Database from "better-sqlite3";
import { OperatorError, systemReason } from "../operator-error.ts";
import { assertDurable } from "./assert-durable.ts";

/** "gvqu", so that another program's file is not taken for ours. */
const APPLICATION_ID = 0x67767175;

/** The default of five seconds would hold the event loop, and with it every other request, for as long. */
const BUSY_TIMEOUT_MS = 100;

const SCHEMA = `
CREATE TABLE IF NOT EXISTS quota (
  account TEXT NOT NULL,
  day TEXT NOT NULL,
  used INTEGER NOT NULL CHECK (used >= 0),
  PRIMARY KEY (account, day)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS settled (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  count INTEGER NOT NULL
) STRICT;
INSERT INTO settled VALUES (1, 0) ON CONFLICT DO NOTHING;
CREATE TABLE IF NOT EXISTS closed (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  through_day TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS opened (
  account TEXT NOT NULL,
  day TEXT NOT NULL,
  PRIMARY KEY (account, day)
) STRICT, WITHOUT ROWID;
`;

/**
 * Opens `quota.db`, making it where it is missing and `mayCreate`. `synchronous=FULL` is set and asserted each time: this
 * binding reopens a WAL file at NORMAL, and then a power cut gives units back that were used.
 */
export function openQuotaDatabase(path: string, mayCreate = true): Database.Database {
  let database: Database.Database | undefined;
  try {
    if (mayCreate) createEmpty(path);
    database = new Database(path, { timeout: BUSY_TIMEOUT_MS, fileMustExist: true });
    prepare(database, mayCreate);
    return database;
  } catch (error) {
    database?.close();
    const hint = "Check that the file is a counter of this program, and that its disk can be written.";
    const reason = systemReason(error);
    const why = reason === undefined ? "" : `: ${reason}`;
    throw new OperatorError("STORE_UNUSABLE", `quota.db cannot be opened${why}.`, hint, error);
  }
}

/** Never opens a file that is there: to close it again would end the locks this process holds on it (POSIX). */
function createEmpty(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

function prepare(database: Database.Database, mayClaim: boolean): void {
  // An empty file is no counter yet; where one was counted in, it would begin the day anew.
  if (!mayClaim && database.pragma("application_id", { simple: true }) === 0) {
    throw new Error("quota.db was emptied");
  }
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  database.pragma("trusted_schema = OFF");
  const claim = database.transaction(() => {
    const owner = database.pragma("application_id", { simple: true });
    if (owner !== APPLICATION_ID && owner !== 0) throw new Error("quota.db belongs to another program");
    database.exec(SCHEMA);
    // Once only: to begin is no write to the disk of those who count.
    if (owner === 0) database.pragma(`application_id = ${APPLICATION_ID}`);
  });
  claim.immediate();
  assertDurable(database);
}
