import type { Registry } from "../../facts/tracked.ts";
import { homeWarehouseFiles } from "../home.ts";
import type { Settings } from "../settings.ts";
import { startThreads, type ThreadPool } from "./thread-pool.ts";

/** A thread takes as long to start as a few small DAOs to score; below this there is nothing to be gained. */
const PAYS_FROM_DAOS = 16;

/** Does work with as many threads as the settings allow, or with none where they would not pay; ends them afterwards. */
export async function withThreads<Result>(
  settings: Settings,
  registry: Registry,
  daosCount: number,
  work: (threads: ThreadPool | undefined) => Promise<Result>,
): Promise<Result> {
  const { threads = 0 } = settings;
  // One thread beside this one, which would only wait for it, gains nothing either.
  if (threads < 2 || daosCount < PAYS_FROM_DAOS) return work(undefined);
  const pool = startThreads(threads, { registry, warehouse: homeWarehouseFiles(settings) });
  try {
    return await work(pool);
  } finally {
    await pool.close();
  }
}
