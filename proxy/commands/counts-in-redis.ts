import { existsSync } from "node:fs";
import type { Home } from "../home.ts";
import { OperatorError } from "../operator-error.ts";
import { type EpochMemory, openEpochMemory } from "../quota/redis/epoch-memory.ts";
import { COUNTS_LOST, newEpoch, QuotaLostError } from "../quota/redis/quota-guard.ts";
import { readRedisUsage, setRedisCounts } from "../quota/redis/redis-counts.ts";
import type { CommandWorld } from "./command-world.ts";
import type { Counts } from "./counts.ts";
import { withKeyBook } from "./with-key-book.ts";

/** The counts in the Redis that the environment names. */
export function countsInRedis(world: CommandWorld, home: Home): Counts {
  return {
    usage: (account) =>
      withKeyBook(world, async (_book, link) => {
        const { closedThrough, ...usage } = await telling(readRedisUsage(link, account));
        const closed =
          closedThrough === undefined ? undefined : { through: closedThrough, since: COUNTS_LOST };
        return { ...usage, closed };
      }),
    set: (account, used) =>
      withKeyBook(world, async (_book, link) => {
        const parts = { link, memory: memoryOf(home), newEpoch: () => newEpoch(world.randomBytes) };
        const [set] = await telling(setRedisCounts(parts, [{ account, used }]));
        if (set === undefined) throw new Error("invariant: a count was set without an answer");
        return set;
      }),
  };
}

/** A host that only gives commands has no home, and then nothing to remember. */
function memoryOf({ directory }: Home): EpochMemory {
  if (existsSync(directory)) return openEpochMemory(directory);
  return { counted: () => undefined, remember: async () => {} };
}

async function telling<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof QuotaLostError
      ? new OperatorError("STORE_UNUSABLE", `Counts in Redis: ${error.message}.`, "Try again.", error)
      : error;
  }
}
