import { randomBytes } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { openEpochMemory } from "../../../../proxy/fleet/quota/quota-guard.ts";
import { QUOTA_SCRIPTS } from "../../../../proxy/fleet/quota/quota-scripts.ts";
import { openRedisQuota } from "../../../../proxy/fleet/quota/redis-quota.ts";
import { openRedisLink, type RedisCall } from "../../../../proxy/fleet/redis/redis-link.ts";
import type { QuotaAnswer, QuotaRequest } from "../../../../proxy/quota/daily-quota.ts";

/** A counter of one proxy, with a home of its own, as tests use it. */
export type StandCounter = Awaited<ReturnType<typeof openCounter>>;

/** Where a Redis whose clock a test sets finds it. */
export const CLOCK_KEY = "test:clock";

/** The same call to a Redis whose clock stands in a key: no library that sets clocks can be put under this program. */
function byClockInKey(call: RedisCall): RedisCall {
  const read = `redis.call('HMGET', '${CLOCK_KEY}', 's', 'us')`;
  const script = QUOTA_SCRIPTS.find(({ run }) => run([], [])[1] === call[1]);
  if (call[0] === "TIME") return ["HMGET", CLOCK_KEY, "s", "us"];
  if (script === undefined) return call;
  return ["EVAL", script.source.replaceAll("redis.call('TIME')", read), ...call.slice(2)];
}

/** Opens one on the Redis at `url`, in a home under `folder` or a given one. */
export async function openCounter(
  url: string,
  {
    folder,
    home = mkdtempSync(join(folder, "home-")),
    tickMs = Date.now,
    hasClockInKey = false,
  }: {
    readonly folder: string;
    readonly home?: string;
    readonly tickMs?: () => number;
    readonly hasClockInKey?: boolean;
  },
) {
  const link = await openRedisLink(url, QUOTA_SCRIPTS, 60_000);
  const writes: (readonly RedisCall[])[] = [];
  const lost: string[] = [];
  const errors: unknown[] = [];
  const counter = await openRedisQuota({
    link: {
      check: link.check,
      call: (calls) => {
        writes.push(calls);
        return link.call(hasClockInKey ? calls.map(byClockInKey) : calls);
      },
    },
    memory: openEpochMemory(home),
    tickMs,
    randomBytes,
    onWarning: (warning) => lost.push(warning),
    onError: (error) => errors.push(error),
  });
  /** Charges as access does: first without the store. */
  const ask = async (request: QuotaRequest) =>
    counter.quota.refuseKnown(request) ?? (await counter.quota.charge(request));
  return {
    ...counter,
    home,
    /** The writes it made, each with its commands. */
    writes,
    lost,
    errors,
    ask,
    /** As `ask`, and tells in a word how it ended: `granted 4`, `refused 0`, or the code of the error. */
    told: (account: string, limit: number, day = "2001-01-01"): Promise<string> =>
      ask({ account, day, limit }).then(wordOf, (error) => String(error.code)),
    /** As the end of its process: nothing is saved. */
    drop: link.close,
    close: async () => {
      await counter.quota.close();
      link.close();
    },
  };
}

function wordOf({ isGranted, remaining }: QuotaAnswer): string {
  return `${isGranted ? "granted" : "refused"} ${remaining}`;
}
