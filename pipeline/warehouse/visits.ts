import type { TrackedDao } from "../facts/tracked.ts";
import type { Database } from "./database.ts";
import { lastCompleteFetch, readCompleteFetches } from "./fetches.ts";

/** What is stored of the last visit of a DAO by a run that published. */
export interface StoredVisit {
  readonly spaceId: string;
  /** Identifies all that its documents were made of. */
  readonly factsKey: string;
  readonly atMs: number;
  /** The end of the last day whose score, or its lack, follows from these facts for good. */
  readonly scoredUntilMs: number;
  /** Of a dormant DAO, until when; `Infinity` if only a fetch can change that. */
  readonly dormantUntilMs: number | undefined;
  /** What was published of a dormant DAO, as text that only its writer interprets. */
  readonly published: string | undefined;
}

/** Creates the store of visits; reads from one connection and writes on the other. */
export function createVisitStore(reader: Database, writer: Database) {
  return {
    /** The number of the last fetch that changed a DAO's facts, and how fresh these are. */
    factsOf(dao: TrackedDao) {
      const select = "SELECT dao_number, fetch_number FROM daos WHERE space_id = ?";
      const row = reader.get<{ daoNumber: number; fetchNumber: number }>(select, dao.spaceId);
      const fetches = row === undefined ? [] : readCompleteFetches(reader, row.daoNumber);
      return { fetchNumber: row?.fetchNumber ?? 0, ...lastCompleteFetch(fetches, dao) };
    },
    /** The last visit with the same facts, at a moment or before it. */
    read(spaceId: string, factsKey: string, atMs: number): StoredVisit | undefined {
      const select = "SELECT * FROM visits WHERE space_id = ? AND facts_key = ? AND at_ms <= ?";
      return reader.get<StoredVisit>(select, spaceId, factsKey, atMs);
    },
    keep: (visits: readonly StoredVisit[]): void =>
      writer.transaction("immediate", () => {
        for (const visit of visits) writer.put("visits", visit);
      }),
  };
}
