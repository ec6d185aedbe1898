import type { Database } from "better-sqlite3";

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
