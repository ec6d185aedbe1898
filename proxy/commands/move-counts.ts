import type Database from "better-sqlite3";
import { dayOf } from "../../snapshots/format/ids.ts";
import { DAILY_REQUESTS } from "../../snapshots/format/limits.ts";
import type { Account } from "../keys/key-store.ts";
import { OperatorError } from "../operator-error.ts";
import { QuotaLostError } from "../quota/redis/quota-guard.ts";
import { countKey } from "../quota/redis/quota-scripts.ts";
import { type SetCountParts, setRedisCounts } from "../quota/redis/redis-counts.ts";
import { prepareQuotaRows } from "../quota/sqlite/quota-rows.ts";
import type { RedisCall, RedisLink } from "../redis/redis-link.ts";

/** What accounts have used of the day that it is in Redis. */
export interface MovedCounts {
  readonly day: string;
  /** Accounts that have used something of it. */
  readonly counted: number;
  /** True where a restore had closed the day: then every account counts as at its limit. */
  readonly wasClosed: boolean;
}

/** Counts of one call; each is a run of a script. */
const COUNTS_MAX = 1_000;

/**
 * Brings what accounts have used today, by Redis' clock, out of a counter into Redis. A count that is higher there stays:
 * no account gets a unit a second time.
 */
export async function moveCounts(
  parts: SetCountParts,
  accounts: readonly Account[],
  database: Database.Database,
): Promise<MovedCounts> {
  const day = await dayInRedis(parts.link);
  refuseClockBehind(database, day);
  const { usage, isOpened, ...rows } = prepareQuotaRows(database);
  const closedThrough = rows.closedThrough();
  const wasClosed = closedThrough !== undefined && closedThrough >= day;
  const usedHere = accounts.map((account): number => {
    const used = usage(account.name, day).find((row) => row.day === day)?.used ?? 0;
    const limit = account.dailyLimit ?? DAILY_REQUESTS[account.tier];
    return wasClosed && !isOpened(account.name, day) ? Math.max(used, limit) : used;
  });
  for (let from = 0; from < accounts.length; from += COUNTS_MAX) {
    const some = accounts.slice(from, from + COUNTS_MAX);
    const there = await parts.link.call(
      some.map(({ name }): RedisCall => ["HGET", countKey(name, day), "used"]),
    );
    const counts = some.map(({ name }, at) => ({
      account: name,
      used: Math.max(usedHere[from + at] ?? 0, Number(there[at] ?? 0)),
    }));
    await tellingLoss(setRedisCounts(parts, counts, day));
  }
  return { day, counted: usedHere.filter((used) => used > 0).length, wasClosed };
}

/** Midnight in between is one of its reasons, and the next try finds the new day. */
async function tellingLoss<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof QuotaLostError)) throw error;
    const message = `Counts in Redis: ${error.message}. Nothing was moved.`;
    throw new OperatorError("STORE_UNUSABLE", message, "Give the command again.", error);
  }
}

async function dayInRedis(link: Pick<RedisLink, "call">): Promise<string> {
  const [time] = await link.call([["TIME"]]);
  const seconds = Number(Array.isArray(time) ? time[0] : Number.NaN);
  return dayOf(seconds * 1000);
}

/** What was counted of a later day than it is there would be granted again when that day comes. */
function refuseClockBehind(database: Database.Database, day: string): void {
  const latest = database
    .prepare<[], { readonly day: string | null }>("SELECT max(day) AS day FROM quota")
    .get()?.day;
  if (latest === undefined || latest === null || latest <= day) return;
  throw new OperatorError(
    "CLOCK_BEHIND",
    `By Redis' clock it is ${day}, and this home has counted on ${latest} already.`,
    "Set the clock of the machine of Redis (timedatectl) and try again.",
  );
}
