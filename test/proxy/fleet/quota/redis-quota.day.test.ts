import { afterEach, describe, expect, it } from "vitest";
import { countKey } from "../../../../proxy/fleet/quota/quota-scripts.ts";
import { REDIS_SERVER } from "../../../support/redis-server.ts";
import { sharedRedis } from "../../../support/shared-redis.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { CLOCK_KEY, openCounter, type StandCounter } from "./counters-in-redis.ts";

const folder = temporaryFolder();
const HOUR_MS = 3_600_000;
const LAST_MS = Date.parse("2031-01-15T23:59:59.900Z");

describe.skipIf(REDIS_SERVER === undefined)("the day of Redis (needs redis-server)", () => {
  const server = sharedRedis();
  let counter: StandCounter | undefined;
  const proxyClock = { nowMs: 0 };
  const setRedis = (atMs: number) =>
    server().ask("HSET", CLOCK_KEY, "s", Math.floor(atMs / 1000), "us", (atMs % 1000) * 1000);
  /** A counter of a proxy whose own clock says whatever it says. */
  const open = async (redisMs: number, proxyMs = 0) => {
    await setRedis(redisMs);
    proxyClock.nowMs = proxyMs;
    counter = await openCounter(server().url, {
      folder,
      tickMs: () => proxyClock.nowMs,
      hasClockInKey: true,
    });
    return counter;
  };
  const bothGoOn = async (redisMs: number, byMs: number) => {
    await setRedis(redisMs);
    proxyClock.nowMs += byMs;
  };
  const usedOf = async (day: string) =>
    Number((await server().ask("HGET", countKey("acme", day), "used")) ?? 0);
  afterEach(() => counter?.close());

  it.each([
    { why: "right", proxyMs: LAST_MS },
    { why: "an hour ahead, in the next day", proxyMs: LAST_MS + HOUR_MS },
    { why: "years behind", proxyMs: 0 },
    { why: "years ahead", proxyMs: LAST_MS * 2 },
  ])("is counted in by a proxy whose own clock is $why, and ends at Redis' midnight", async ({ proxyMs }) => {
    const { told, quota } = await open(LAST_MS, proxyMs);
    const words = [
      await told("acme", 2),
      await told("acme", 2),
      await told("acme", 2),
      await told("acme", 2),
    ];
    expect(words).toEqual(["granted 1", "granted 0", "refused 0", "refused 0"]);
    await bothGoOn(LAST_MS + 100, 100);
    const answer = await quota.charge({ account: "acme", day: "1999-01-01", limit: 2 });
    expect(answer).toEqual({
      isGranted: true,
      remaining: 1,
      countedAtMs: Date.parse("2031-01-16T00:00:00.000Z"),
    });
    expect([await usedOf("2031-01-15"), await usedOf("2031-01-16")]).toEqual([2, 1]);
  });

  it("gives no unit twice where the clock of Redis goes back over midnight", async () => {
    const { told, probe } = await open(LAST_MS);
    for (let turn = 0; turn < 3; turn += 1) await told("acme", 2);
    await bothGoOn(LAST_MS + 100, 100);
    expect(await told("acme", 2)).toBe("granted 1");
    await setRedis(LAST_MS - HOUR_MS);
    expect(await told("acme", 2)).toBe("refused 0");
    await setRedis(LAST_MS + 100);
    // As the server does each second.
    await probe(true);
    expect([await told("acme", 2), await told("acme", 2)]).toEqual(["granted 0", "refused 0"]);
    expect([await usedOf("2031-01-15"), await usedOf("2031-01-16")]).toEqual([2, 2]);
  });

  it("is refused once where one of the clocks leaps by days, and then known", async () => {
    const { told } = await open(LAST_MS);
    await told("acme", 2);
    await setRedis(LAST_MS + 72 * HOUR_MS);
    expect(await told("acme", 2)).toBe("QUOTA_CLOCKS_APART");
    expect(await told("acme", 2)).toBe("granted 1");
    expect(await usedOf("2031-01-18")).toBe(1);
  });

  it("opens a day again that follows the one in which counts were lost", async () => {
    const one = await open(LAST_MS);
    await one.told("acme", 2);
    await server().ask("DEL", "govdata:guard");
    await one.told("acme", 2);
    await expect.poll(() => one.told("acme", 2)).toBe("refused 0");
    expect(one.lost).toEqual([
      "since Redis lost its counts every account is at its limit until 2031-01-16T00:00:00.000Z",
    ]);
    await bothGoOn(LAST_MS + 100, 100);
    expect(await one.told("acme", 2)).toBe("granted 1");
  });

  it("closes the day that was counted in where Redis lost it, and comes back on a machine whose clock is in the day before", async () => {
    const one = await open(LAST_MS + 100);
    await one.told("acme", 2);
    await server().ask("FLUSHALL");
    await bothGoOn(LAST_MS - 60_000, 1_000);
    await one.told("acme", 2);
    await expect.poll(() => one.told("acme", 2)).toBe("refused 0");
    expect(one.lost).toEqual([expect.stringContaining("until 2031-01-17T00:00:00.000Z")]);
    await bothGoOn(LAST_MS + 5_000, 65_000);
    await one.probe(true);
    expect(await one.told("acme", 2)).toBe("refused 0");
    await bothGoOn(LAST_MS + 24 * HOUR_MS + 100, 24 * HOUR_MS);
    await one.probe(true);
    expect(await one.told("acme", 2)).toBe("granted 1");
  });

  it("closes no more than one day ahead of Redis' clock, however far ahead that was once", async () => {
    const one = await open(LAST_MS + 365 * 24 * HOUR_MS);
    await one.told("acme", 2);
    await setRedis(LAST_MS);
    await one.probe(true);
    await server().ask("FLUSHALL");
    await setRedis(LAST_MS);
    await one.told("acme", 2);
    await expect.poll(() => one.told("acme", 2)).toBe("refused 0");
    expect(one.lost).toEqual([expect.stringContaining("until 2031-01-17T00:00:00.000Z")]);
  });

  it("takes a refund to the day in which the unit was counted", async () => {
    const { quota } = await open(LAST_MS);
    await quota.charge({ account: "acme", day: "1999-01-01", limit: 2 });
    await bothGoOn(LAST_MS + 100, 100);
    await quota.charge({ account: "acme", day: "1999-01-01", limit: 2 });
    await quota.refund({ account: "acme", day: "2031-01-15" });
    expect([await usedOf("2031-01-15"), await usedOf("2031-01-16")]).toEqual([0, 1]);
  });
});
