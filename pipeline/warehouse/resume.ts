import { deflateSync, inflateSync } from "node:zlib";
import { busyElsewhere, corrupt, type Database } from "./database.ts";

/**
 * Drops what a source brought last time: a proposal that vanished from it must vanish here, with its ballot. What
 * another source brought stays.
 */
export function dropFetched(database: Database): (daoNumber: number, sourceId: string) => void {
  const dropProposals = database.prepare<[number, string]>(
    "DELETE FROM proposals WHERE dao_number = ? AND source_id = ?",
  );
  const dropSpace = database.prepare<[number, string]>(
    "DELETE FROM spaces WHERE dao_number = ? AND source_id = ?",
  );
  return (daoNumber, sourceId) => {
    dropProposals.run(daoNumber, sourceId);
    dropSpace.run(daoNumber, sourceId);
  };
}

/** What of a source's earlier fetch outlives this one. */
export interface Outliving {
  readonly hasSpace: boolean;
  isProposal(proposalId: string): boolean;
  isVotes(proposalId: string): boolean;
}

/** Drops what a source held of one DAO and neither put nor kept: a proposal that vanished from it must vanish here. */
export function dropUnkept(
  database: Database,
): (daoNumber: number, sourceId: string, outliving: Outliving) => void {
  const select = database.prepare<[number, string], { proposalNumber: number; proposalId: string }>(
    `SELECT proposal_number AS proposalNumber, proposal_id AS proposalId
     FROM proposals WHERE dao_number = ? AND source_id = ?`,
  );
  const dropProposal = database.prepare<[number]>("DELETE FROM proposals WHERE proposal_number = ?");
  const dropVotes = database.prepare<[number]>("DELETE FROM ballots WHERE proposal_number = ?");
  const dropSpace = database.prepare<[number, string]>(
    "DELETE FROM spaces WHERE dao_number = ? AND source_id = ?",
  );
  return (daoNumber, sourceId, { hasSpace, isProposal, isVotes }) => {
    if (!hasSpace) dropSpace.run(daoNumber, sourceId);
    for (const { proposalNumber, proposalId } of select.all(daoNumber, sourceId)) {
      if (!isProposal(proposalId)) dropProposal.run(proposalNumber);
      else if (!isVotes(proposalId)) dropVotes.run(proposalNumber);
    }
  };
}

/** What a source wrote down for itself about one DAO. */
export function fetchNote(database: Database): {
  read(daoNumber: number, sourceId: string): string | undefined;
  put(daoNumber: number, sourceId: string, note: string): void;
} {
  const select = database.prepare<[number, string], { note: string }>(
    "SELECT note FROM fetch_notes WHERE dao_number = ? AND source_id = ?",
  );
  const replace = database.prepare<[number, string, string]>(
    "INSERT OR REPLACE INTO fetch_notes (dao_number, source_id, note) VALUES (?, ?, ?)",
  );
  return {
    read: (daoNumber, sourceId) => select.get(daoNumber, sourceId)?.note,
    put: (daoNumber, sourceId, note) => void replace.run(daoNumber, sourceId, note),
  };
}

/** The pages of one DAO and source that were fetched and are not committed yet. */
export interface FetchPages {
  /** Throws `PipelineError` WAREHOUSE_BUSY where another process has kept this page before. */
  put(series: string, page: number, payload: string): void;
  read(series: string, page: number): string | undefined;
  forget(series: string): void;
  forgetAll(): void;
}

/** A page is a few hundred kilobytes of JSON that repeats itself; more than this is none of ours. */
const PAGE_BYTES_MAX = 256 * 1024 * 1024;

/** Pages are deflated: a quarter of their size, and a checksum that a damaged one does not pass. */
export function fetchPages(database: Database): (daoNumber: number, sourceId: string) => FetchPages {
  const insert = database.prepare<[number, string, string, number, Buffer]>(
    `INSERT INTO fetch_pages (dao_number, source_id, series, page, packed) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const select = database.prepare<[number, string, string, number], { packed: Buffer }>(
    "SELECT packed FROM fetch_pages WHERE dao_number = ? AND source_id = ? AND series = ? AND page = ?",
  );
  const drop = database.prepare<[number, string, string]>(
    "DELETE FROM fetch_pages WHERE dao_number = ? AND source_id = ? AND series = ?",
  );
  const dropAll = database.prepare<[number, string]>(
    "DELETE FROM fetch_pages WHERE dao_number = ? AND source_id = ?",
  );
  return (daoNumber, sourceId) => ({
    put(series, page, payload) {
      const { changes } = insert.run(daoNumber, sourceId, series, page, deflateSync(payload, { level: 1 }));
      if (changes === 1) return;
      // Two fetches that mix their pages would lose votes where the pages of the one overlap the other's.
      throw busyElsewhere();
    },
    read(series, page) {
      const row = select.get(daoNumber, sourceId, series, page);
      return row === undefined ? undefined : unpacked(row.packed, series, page);
    },
    forget: (series) => void drop.run(daoNumber, sourceId, series),
    forgetAll: () => void dropAll.run(daoNumber, sourceId),
  });
}

function unpacked(packed: Buffer, series: string, page: number): string {
  try {
    return inflateSync(packed, { maxOutputLength: PAGE_BYTES_MAX }).toString("utf8");
  } catch (cause) {
    throw corrupt(`page ${page} of the series ${series} cannot be read`, cause);
  }
}

/** What a replacing fetch of one DAO left behind to be known again by. */
export interface FetchState {
  /** Remembers the state in which a source was when a fetch with this number read it. */
  remember(daoNumber: number, sourceId: string, fetchNumber: number, state: string): void;
  /**
   * Says of the last complete fetch that it holds as of now as well, where the source is in the state in which it was
   * then and nobody has fetched the DAO since. Answers whether that is so.
   */
  confirm(spaceId: string, sourceId: string, state: string, fetchedAtMs: number): boolean;
}

/** The state stands as the source's note, behind the number of the fetch that saw it. */
export function keepFetched(database: Database): FetchState {
  const replace = database.prepare<[number, string, string]>(
    "INSERT OR REPLACE INTO fetch_notes (dao_number, source_id, note) VALUES (?, ?, ?)",
  );
  const select = database.prepare<[string, string], { daoNumber: number; note: string; fetchNumber: number }>(
    `SELECT dao_number AS daoNumber, note, fetch_number AS fetchNumber
     FROM daos JOIN fetch_notes USING (dao_number) WHERE space_id = ? AND source_id = ?`,
  );
  const renewAttempt = database.prepare<[number, number, string]>(
    "UPDATE fetch_attempts SET fetched_at_ms = ? WHERE dao_number = ? AND source_id = ? AND status = 'complete'",
  );
  const renewComplete = database.prepare<[number, number, string]>(
    "UPDATE complete_fetches SET fetched_at_ms = ? WHERE dao_number = ? AND source_id = ?",
  );
  const noteOf = (fetchNumber: number, state: string): string => `${fetchNumber} ${state}`;
  return {
    remember: (daoNumber, sourceId, fetchNumber, state) =>
      void replace.run(daoNumber, sourceId, noteOf(fetchNumber, state)),
    confirm(spaceId, sourceId, state, fetchedAtMs) {
      const known = select.get(spaceId, sourceId);
      if (known === undefined || known.note !== noteOf(known.fetchNumber, state)) return false;
      // An attempt that failed since left what was held, and says nothing of what would be read now.
      if (renewAttempt.run(fetchedAtMs, known.daoNumber, sourceId).changes !== 1) return false;
      renewComplete.run(fetchedAtMs, known.daoNumber, sourceId);
      return true;
    },
  };
}
