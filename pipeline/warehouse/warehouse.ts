import { createDailyPointStore } from "./daily-points.ts";
import { openDatabase } from "./database.ts";
import { createFetchWriter } from "./fetch-writer.ts";
import {
  type FetchAttempt,
  type FetchRecord,
  readFetchRecords,
  readHoldings,
  readRejections,
} from "./fetches.ts";
import { migrate } from "./migrate.ts";
import { createNameCache } from "./names.ts";
import { readDaoFacts } from "./warehouse-reader.ts";

/** The pipeline's memory: one SQLite file. Synchronous; one process writes at a time. */
export type Warehouse = ReturnType<typeof openWarehouse>;

/**
 * Opens the warehouse, makes it when there is none, and brings an older one up to date. Throws WAREHOUSE_TOO_NEW or
 * WAREHOUSE_CORRUPT for a file this program must not touch.
 *
 * Two connections to one file: a fetch may hold the writing one for as long as its source takes, and whoever reads
 * meanwhile sees, on the other, what was committed last.
 */
export function openWarehouse(input: { readonly path: string; readonly migrationsDirectory: string }) {
  const writer = openDatabase(input.path);
  try {
    migrate(writer, input.migrationsDirectory);
    const reader = openDatabase(input.path);
    reader.pragma("query_only = ON");
    const fetches = createFetchWriter(writer);
    return {
      beginSpaceFetch: fetches.begin,
      /**
       * Confirms the last fetch of a source that is replaced whole, where it is in the state it was in then and nobody has
       * fetched the DAO since; `undefined` where that is not so and it must be read. No fetch may be open.
       */
      confirmFetch({
        state,
        ...attempt
      }: FetchAttempt & { readonly state: string }): FetchRecord | undefined {
        return fetches.confirm(attempt, state) ? readFetchRecords(reader, attempt)[0] : undefined;
      },
      daoFacts: readDaoFacts(reader),
      /** The newest fetch of every DAO from every source that was ever tried, by (space_id, source_id). */
      fetchRecords: () => readFetchRecords(reader),
      /** What is held of every DAO from every source that ever gave it whole, by (space_id, source_id); a failed fetch later changes nothing. */
      holdings: () => readHoldings(reader),
      /** The rejected rows of the newest fetches (at most 1,000 of each), by (space_id, source_id), then in order of arrival. */
      rejections: () => readRejections(reader),
      /** What was last found out about the names of addresses. */
      names: createNameCache(reader, writer),
      dailyPoints: createDailyPointStore(reader, writer),
      close(): void {
        // Closing rolls back an open fetch. The writer goes last: the last one out empties the journal into the file.
        reader.close();
        writer.close();
      },
    };
  } catch (error) {
    writer.close();
    throw error;
  }
}
