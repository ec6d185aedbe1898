import type { TrackedDao } from "../facts/tracked.ts";
import { corrupt, type Database } from "./database.ts";
import { lastCompleteFetch, readCompleteFetches } from "./fetches.ts";

/** What is stored of a dormant DAO: one whose frame is empty, from a moment until another. */
export interface DormantRow {
  readonly spaceId: string;
  /** Identifies all that its documents were made of. */
  readonly factsKey: string;
  readonly fromMs: number;
  /** `Infinity` if only a fetch can change its frame. */
  readonly untilMs: number;
  /** Anything that JSON can hold. */
  readonly published: unknown;
}

/** Creates the store of dormant DAOs; reads from one connection and writes on the other. */
export function createDormantStore(reader: Database, writer: Database) {
  return {
    /** The number of the last fetch that changed a DAO's facts, and how fresh these are. */
    factsOf(dao: TrackedDao) {
      const select =
        "SELECT dao_number AS daoNumber, fetch_number AS fetchNumber FROM daos WHERE space_id = ?";
      const row = reader.get<{ daoNumber: number; fetchNumber: number }>(select, dao.spaceId);
      const fetches = row === undefined ? [] : readCompleteFetches(reader, row.daoNumber);
      return { fetchNumber: row?.fetchNumber ?? 0, ...lastCompleteFetch(fetches, dao) };
    },
    /** What was published of a DAO that is dormant at a moment; throws WAREHOUSE_CORRUPT if it cannot be read. */
    read(spaceId: string, factsKey: string, atMs: number): unknown {
      const row = reader.get<{ published: string }>(
        `SELECT published FROM dormant_daos
         WHERE space_id = ? AND facts_key = ? AND from_ms <= ? AND until_ms > ?`,
        spaceId,
        factsKey,
        atMs,
        atMs,
      );
      if (row === undefined) return undefined;
      try {
        return JSON.parse(row.published);
      } catch {
        throw corrupt(`the dormant DAO ${spaceId} cannot be read`);
      }
    },
    keep: (rows: readonly DormantRow[]): void =>
      writer.transaction("immediate", () => {
        for (const { published, ...row } of rows) {
          writer.run(
            `INSERT OR REPLACE INTO dormant_daos (space_id, facts_key, from_ms, until_ms, published)
             VALUES (@spaceId, @factsKey, @fromMs, @untilMs, @published)`,
            { ...row, published: JSON.stringify(published) },
          );
        }
      }),
  };
}
