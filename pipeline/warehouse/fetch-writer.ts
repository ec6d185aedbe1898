import type { Database } from "better-sqlite3";
import { invariant } from "../base/invariant.ts";
import type { FetchAttempt } from "./fetch-record.ts";
import { type Connection, openReplacingFetch } from "./replacing-fetch.ts";
import { openResumableFetch } from "./resumable-fetch.ts";
import type { Warehouse } from "./warehouse.ts";
import { createWriteAtOnce } from "./write-at-once.ts";
import { prepareWrites } from "./write-statements.ts";

/** Sources that take hours for a large DAO and wait for a network; the others replace what they brought, in one go. */
const RESUMABLE_SOURCES: ReadonlySet<string> = new Set(["snapshot-hub", "governor"]);

/** Begins fetches, or confirms that one is not needed. */
export interface FetchWriter {
  readonly begin: Warehouse["beginSpaceFetch"];
  /** Whether the last fetch holds as of this attempt, which is then its time. */
  confirm(attempt: FetchAttempt, state: string): boolean;
}

/**
 * Begins fetches on one connection. A fetch that replaces needs it alone; resumable ones may be open side by side,
 * one for each DAO and source.
 */
export function createFetchWriter(database: Database): FetchWriter {
  const statements = prepareWrites(database);
  const connection: Connection = {
    database,
    statements,
    writeAtOnce: createWriteAtOnce(database, statements.voters),
  };
  const open = new Set<string>();
  let isReplacing = false;

  const begin: FetchWriter["begin"] = (attempt) => {
    const isResumable = RESUMABLE_SOURCES.has(attempt.sourceId);
    const name = `${attempt.sourceId} ${attempt.spaceId}`;
    const isFree = isResumable ? !isReplacing && !open.has(name) : open.size === 0;
    invariant(isFree, "a fetch is begun while another one is open");
    const openFetch = isResumable ? openResumableFetch : beginReplacing;
    const fetch = openFetch(connection, attempt, () => {
      open.delete(name);
      isReplacing = false;
    });
    open.add(name);
    isReplacing = !isResumable;
    return fetch;
  };
  return {
    begin,
    confirm({ spaceId, sourceId, fetchedAtMs }, state) {
      invariant(open.size === 0, "a fetch is confirmed while another one is open");
      return connection.writeAtOnce(() =>
        statements.keepFetched.confirm(spaceId, sourceId, state, fetchedAtMs),
      );
    },
  };
}

const beginReplacing: typeof openReplacingFetch = (connection, attempt, done) => {
  const { database } = connection;
  // What another process numbered meanwhile is read here; the long transaction that follows keeps it out.
  database.exec("BEGIN IMMEDIATE");
  try {
    connection.writeAtOnce(() => undefined);
    return openReplacingFetch(connection, attempt, done);
  } catch (error) {
    if (database.inTransaction) database.exec("ROLLBACK");
    throw error;
  }
};
