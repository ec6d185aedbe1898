import type { Database } from "better-sqlite3";

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
