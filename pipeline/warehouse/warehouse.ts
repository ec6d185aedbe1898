import { createDailyPointStore } from "./daily-points.ts";
import { openDatabase, openForReading } from "./database.ts";
import { createFetchWriter } from "./fetch-writer.ts";
import { type FetchRecord, readFetchRecords, readHoldings } from "./fetches.ts";
import { createNameCache } from "./names.ts";
import { readRejections } from "./rejections.ts";
import { readHeldSpace, type SettledFetch, settleSpaces } from "./spaces.ts";
import { createVisitStore } from "./visits.ts";
import { readDaoFacts } from "./warehouse-reader.ts";

/** The pipeline's database: one SQLite file. Synchronous; one process writes at a time. */
export type Warehouse = ReturnType<typeof openWarehouse>;

/**
 * Opens the warehouse; creates it if it is missing. Throws WAREHOUSE_TOO_NEW, WAREHOUSE_TOO_OLD or WAREHOUSE_CORRUPT
 * for a file that this program must not change.
 *
 * It uses two connections: a fetch may occupy the writing one for as long as its source takes, while readers see the
 * last commit on the other.
 */
export function openWarehouse(path: string) {
  const writer = openDatabase(path);
  const reader = openForReading(path);
  const fetches = createFetchWriter(writer);
  return {
    beginSpaceFetch: fetches.begin,
    /** Confirms the last fetch of a source that is replaced as a whole; `undefined` if the source must be read. */
    confirmFetch: fetches.confirm,
    /** What is stored of a DAO whose newest fetch from a source was complete. */
    heldSpace: (spaceId: string, sourceId: string) => readHeldSpace(reader, spaceId, sourceId),
    /** Writes how fetches of held DAOs ended that read nothing, and returns their records. No fetch may be open. */
    settleSpaces(spaceIds: ReadonlySet<string>, fetch: SettledFetch): readonly FetchRecord[] {
      if (spaceIds.size === 0) return [];
      writer.transaction("immediate", () => settleSpaces(writer, spaceIds, fetch));
      return readFetchRecords(reader).filter(
        ({ spaceId, sourceId }) => sourceId === fetch.sourceId && spaceIds.has(spaceId),
      );
    },
    daoFacts: readDaoFacts(reader),
    /** The newest fetch of every DAO from every source ever tried, by (space_id, source_id). */
    fetchRecords: () => readFetchRecords(reader),
    /** What is stored of every DAO from every source with a complete fetch, by (space_id, source_id). */
    holdings: () => readHoldings(reader),
    /** The rejected rows of the newest fetches (at most 1,000 each), by (space_id, source_id). */
    rejections: () => readRejections(reader),
    names: createNameCache(reader, writer),
    dailyPoints: createDailyPointStore(reader, writer),
    visits: createVisitStore(reader, writer),
    close(): void {
      // Closing rolls back an open fetch. The writer closes last, which writes the journal into the file.
      reader.close();
      writer.close();
    },
  };
}
