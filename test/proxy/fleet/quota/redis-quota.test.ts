import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { openEpochMemory } from "../../../../proxy/fleet/quota/quota-guard.ts";
import { countKey, processKey, QUOTA_SCRIPTS, TICK } from "../../../../proxy/fleet/quota/quota-scripts.ts";
import { readRedisUsage, setRedisCounts } from "../../../../proxy/fleet/quota/redis-counts.ts";
import { openRedisLink } from "../../../../proxy/fleet/redis/redis-link.ts";
import { dayOf } from "../../../../snapshots/format/ids.ts";
import { REDIS_SERVER } from "../../../support/redis-server.ts";
import { sharedRedis } from "../../../support/shared-redis.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { openCounter, type StandCounter } from "./counters-in-redis.ts";

const folder = temporaryFolder();

describe.skipIf(REDIS_SERVER === undefined)("the counter in Redis (needs redis-server)", () => {
  const server = sharedRedis();
  let today = "";
  const counters: StandCounter[] = [];
  const openWith = async (options: { home?: string; tickMs?: () => number }): Promise<StandCounter> => {
    const counter = await openCounter(server().url, { folder, ...options });
    counters.push(counter);
    return counter;
  };
  const open = (home?: string) => openWith(home === undefined ? {} : { home });
  const keyOf = (account: string) => countKey(account, today);
  const usedBy = async (account: string) => Number((await server().ask("HGET", keyOf(account), "used")) ?? 0);
  const setCount = async (account: string, used: number, home: string) => {
    const link = await openRedisLink(server().url, QUOTA_SCRIPTS, 60_000);
    try {
      return await setRedisCounts(
        { link, memory: openEpochMemory(home), randomBytes: (count) => Buffer.alloc(count, 0xff) },
        [{ account, used }],
      );
    } finally {
      link.close();
    }
  };
  beforeAll(async () => {
    const [seconds] = (await server().ask("TIME")) as string[];
    today = dayOf(Number(seconds) * 1000);
  });
  afterEach(async () => {
    for (const counter of counters.splice(0)) await counter.close();
  });

  it.each([
    { why: "the first of two", used: 0, limit: 2, want: "granted 1" },
    { why: "the last", used: 1, limit: 2, want: "granted 0" },
    { why: "at the limit", used: 2, limit: 2, want: "refused 0" },
    { why: "above it, as after a downgrade", used: 7, limit: 2, want: "refused 0" },
    { why: "a higher limit on the same count", used: 2, limit: 10, want: "granted 7" },
    { why: "a large limit", used: 999_999_998, limit: 1_000_000_000, want: "granted 1" },
  ])("grants: $why", async ({ used, limit, want }) => {
    const { told } = await open();
    if (used > 0) await server().ask("HSET", keyOf("acme"), "used", used);
    expect(await told("acme", limit)).toBe(want);
    expect(await usedBy("acme")).toBe(want.startsWith("granted") ? used + 1 : used);
  });

  it.each(["a lot", "-1", "1.5", "1e400", "9007199254740993", undefined])(
    "closes an account whose count is %s, and no other, until it is set",
    async (used) => {
      const { told, hasInvalidCount, lost, home } = await open();
      // Without a count: a value of another kind.
      if (used === undefined) await server().ask("SET", keyOf("acme"), "1");
      else await server().ask("HSET", keyOf("acme"), "used", used);
      expect(await Promise.all([told("acme", 5), told("other", 5), told("acme", 5)])).toEqual([
        "refused 0",
        "granted 4",
        "refused 0",
      ]);
      expect(hasInvalidCount()).toBe(true);
      expect(lost).toEqual([
        expect.stringContaining("the count of account acme in Redis is no whole number"),
      ]);
      expect(await setCount("acme", 2, home)).toMatchObject([{ before: 0 }]);
      // Another limit, as refusals at this one are remembered for a while.
      expect(await told("acme", 6)).toBe("granted 3");
      expect(hasInvalidCount()).toBe(false);
    },
  );

  it("grants what is left to those who wait, in their order, and nothing more", async () => {
    const { told } = await open();
    const answers = await Promise.all(Array.from({ length: 5 }, () => told("acme", 3)));
    expect(answers).toEqual(["granted 2", "granted 1", "granted 0", "refused 0", "refused 0"]);
    expect(await usedBy("acme")).toBe(3);
  });

  it("makes one call of all that waits in a turn, and asks for the guard last", async () => {
    // On a busy machine the group would be old before the turn is over.
    const counter = await openWith({ tickMs: () => 0 });
    counter.writes.length = 0;
    await Promise.all([
      ...Array.from({ length: 40 }, () => counter.told("acme", 100)),
      ...Array.from({ length: 40 }, () => counter.told("other", 100)),
      counter.quota.refund({ account: "third", day: today }),
    ]);
    expect(counter.writes.map((calls) => calls.map(([name]) => name))).toEqual([
      ["EVALSHA", "EVALSHA", "EVALSHA", "EVALSHA"],
    ]);
    expect([await usedBy("acme"), await usedBy("other")]).toEqual([40, 40]);
  });

  it("refunds: one unit, never below 0, and of a key that is gone nothing", async () => {
    const { quota, told } = await open();
    await told("acme", 5);
    await Promise.all([1, 2, 3].map(() => quota.refund({ account: "acme", day: today })));
    await quota.refund({ account: "nobody", day: "2001-01-01" });
    expect(await usedBy("acme")).toBe(0);
    expect(await server().ask("EXISTS", countKey("nobody", "2001-01-01"))).toBe(0);
  });

  it("writes nothing for most of those who are refused, and tells them the same time", async () => {
    const counter = await open();
    await counter.told("acme", 1);
    counter.writes.length = 0;
    const answers = [];
    for (let turn = 0; turn < 101; turn += 1) {
      answers.push(await counter.ask({ account: "acme", day: "2001-01-01", limit: 1 }));
    }
    expect(counter.writes.length).toBeLessThanOrEqual(2);
    expect(answers.every(({ isGranted }) => !isGranted)).toBe(true);
    for (const { countedAtMs } of answers) expect(dayOf(countedAtMs ?? 0)).toBe(today);
  });

  it("lets a count go two days after the end of its day", async () => {
    const { told } = await open();
    await told("acme", 5);
    const expiresAtS = Number(await server().ask("EXPIRETIME", keyOf("acme")));
    expect(new Date(expiresAtS * 1000).toISOString()).toBe(
      new Date(Date.parse(today) + 3 * 86_400_000).toISOString(),
    );
    expect(await server().ask("EXPIRETIME", "govdata:guard")).toBe(-1);
  });

  it("keeps all days of an account in one slot of a cluster, and accounts in many", () => {
    // A cluster hashes only what stands in the first braces.
    const hashed = (account: string) =>
      ["2026-01-01", "2026-01-02"].map((day) => /\{(.*?)\}/.exec(countKey(account, day))?.[1]);
    expect([hashed("acme"), hashed("a.b@c-d_e")]).toEqual([
      ["acme", "acme"],
      ["a.b@c-d_e", "a.b@c-d_e"],
    ]);
  });

  it("agrees with a plain model, however charges and refunds of three proxies mix", async () => {
    const three = [await open(), await open(), await open()];
    let round = 0;
    const step = fc.record({
      by: fc.nat(2),
      account: fc.constantFrom("a", "b", "c"),
      kind: fc.constantFrom("charge", "charge", "charge", "refund"),
      limit: fc.integer({ min: 1, max: 6 }),
      waits: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        round += 1;
        const nameOf = (account: string) => `${account}-${round}`;
        const model = new Map<string, { granted: number; refunds: number; limitMax: number }>();
        const pending: Promise<unknown>[] = [];
        for (const { by, account, kind, limit, waits } of steps) {
          const row = model.get(account) ?? { granted: 0, refunds: 0, limitMax: 0 };
          model.set(account, row);
          const counter = three[by];
          if (counter === undefined) continue;
          if (kind === "refund") {
            // Only what was granted is given back, as access does.
            if (row.refunds >= row.granted) continue;
            row.refunds += 1;
            pending.push(counter.quota.refund({ account: nameOf(account), day: today }));
          } else {
            row.limitMax = Math.max(row.limitMax, limit);
            pending.push(
              counter.told(nameOf(account), limit).then((word) => {
                if (word.startsWith("granted")) row.granted += 1;
              }),
            );
          }
          if (waits) await Promise.all(pending);
        }
        await Promise.all(pending);
        for (const [account, { granted, refunds, limitMax }] of model) {
          const used = await usedBy(nameOf(account));
          expect(used).toBe(granted - refunds);
          expect(used).toBeLessThanOrEqual(limitMax);
        }
      }),
      { numRuns: 60 },
    );
  });

  describe("when Redis loses what was counted", () => {
    const settleDown = async (counter: StandCounter, account: string, limit: number) => {
      for (;;) {
        const word = await counter.told(account, limit);
        if (!/^(QUOTA_DATA_LOST|REDIS_\w+)$/.test(word)) return word;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };

    it("answers nobody out of an emptied one, closes the day for all proxies, and opens what an operator sets", async () => {
      const [one, other, third] = [await open(), await open(), await open()];
      expect([await one.told("acme", 5), await other.told("acme", 5)]).toEqual(["granted 4", "granted 3"]);
      await server().ask("FLUSHALL");
      expect(await one.told("acme", 5)).toBe("QUOTA_DATA_LOST");
      expect(await settleDown(one, "acme", 5)).toBe("refused 0");
      expect(one.lost).toEqual([
        expect.stringMatching(/^since Redis lost its counts every account is at its limit until \d{4}-/),
      ]);
      expect(await settleDown(other, "rich", 1_000_000), "any account, on any proxy").toBe("refused 0");
      const [set] = await setCount("acme", 2, one.home);
      expect(set).toMatchObject({ day: today });
      expect(await settleDown(third, "acme", 5)).toBe("granted 2");
      expect([await one.told("rich", 5), await third.told("rich", 5)]).toEqual(["refused 0", "refused 0"]);
      // At most fifty refusals come from memory.
      let word = "";
      for (let turn = 0; turn < 52 && !word.startsWith("granted"); turn += 1)
        word = await one.told("acme", 5);
      expect(word).toBe("granted 1");
      expect(one.lost).toHaveLength(1);
    });

    it("gives nothing back into a closed day: what was set is the operator's word", async () => {
      const [one, stale] = [await open(), await open()];
      await one.told("acme", 5);
      await server().ask("FLUSHALL");
      await one.probe(true).catch(() => {});
      await settleDown(one, "acme", 5);
      await setCount("acme", 3, one.home);
      await Promise.allSettled([
        one.quota.refund({ account: "acme", day: today }),
        stale.quota.refund({ account: "acme", day: today }),
      ]);
      expect(await usedBy("acme")).toBe(3);
    });

    it("closes again when it loses its data again: what was set then is gone too", async () => {
      const one = await open();
      await one.told("acme", 5);
      await server().ask("FLUSHALL");
      await settleDown(one, "acme", 5);
      await setCount("acme", 0, one.home);
      const before = (await server().ask("HGETALL", keyOf("acme"))) as string[];
      await server().ask("FLUSHALL");
      await server().ask("HSET", keyOf("acme"), ...before);
      expect(await settleDown(one, "acme", 5)).toBe("refused 0");
    });

    it.each([
      { why: "none", onTop: 0 },
      { why: "as many as were lost", onTop: 3 },
      { why: "more", onTop: 9 },
    ])("knows an older state of itself, with writes of another proxy on top: $why", async ({ onTop }) => {
      const [one, other] = [await open(), await open()];
      await one.told("acme", 9);
      const keys = (await server().ask("KEYS", "*")) as string[];
      for (const key of keys) await server().ask("COPY", key, `older:${key}`);
      for (let turn = 0; turn < 3; turn += 1) await one.told("acme", 9);
      for (const key of keys) await server().ask("COPY", `older:${key}`, key, "REPLACE");
      for (let turn = 0; turn < onTop; turn += 1) await other.told("busy", 100);
      expect(await one.told("acme", 9)).toBe("QUOTA_DATA_LOST");
      expect(await settleDown(one, "acme", 9)).toBe("refused 0");
      expect(await settleDown(other, "busy", 100)).toBe("refused 0");
      expect(one.lost).toHaveLength(1);
    });

    it("counts no write on a count that is behind: those of its own that nobody answered hide nothing", async () => {
      const link = await openRedisLink(server().url, QUOTA_SCRIPTS, 60_000);
      const keys = ["govdata:guard", processKey("its-own")];
      const tick = async (answered: number) => {
        const [reply] = await link.call([TICK.run(keys, [answered])]);
        return (reply as unknown[]).slice(0, 3);
      };
      expect([await tick(0), await tick(1)]).toEqual([
        ["", 1, 1],
        ["", 2, 2],
      ]);
      await server().ask("SET", processKey("its-own"), 1);
      for (let turn = 0; turn < 3; turn += 1) expect(await tick(2)).toEqual(["", -1, 1]);
      expect(await server().ask("HGET", "govdata:guard", "settled")).toBe("2");
      expect(Number(await server().ask("TTL", processKey("its-own")))).toBe(-1);
      expect(await tick(1)).toEqual(["", 3, 2]);
      expect(Number(await server().ask("TTL", processKey("its-own"))) / 86_400).toBeGreaterThan(29);
      link.close();
    });

    it("knows it over a restart of the proxy, by what stands in its home", async () => {
      const one = await open();
      await one.told("acme", 5);
      one.drop();
      await server().ask("FLUSHALL");
      const again = await open(one.home);
      expect(again.lost).toHaveLength(1);
      expect(again.warning).toMatch(/at its limit/);
      expect(await again.told("acme", 5)).toBe("refused 0");
      const fresh = await open();
      expect(fresh.warning, "a new one finds the day closed").toMatch(/at its limit/);
      expect(await fresh.told("acme", 5)).toBe("refused 0");
    });

    it("knows over a restart that an older state was put back, where it was closed in good order", async () => {
      const one = await open();
      await one.told("acme", 5);
      const guard = (await server().ask("HGETALL", "govdata:guard")) as string[];
      await one.told("acme", 5);
      await one.close();
      await server().ask("HSET", "govdata:guard", ...guard);
      expect((await open(one.home)).lost).toHaveLength(1);
    });

    it("is no loss: another proxy that begins, and one that stayed away for long", async () => {
      const one = await open();
      await one.told("acme", 5);
      one.drop();
      const other = await open();
      for (let turn = 0; turn < 3; turn += 1) await other.told("acme", 5);
      const again = await open(one.home);
      expect([await again.told("acme", 5), again.lost, other.lost]).toEqual(["granted 0", [], []]);
    });
  });

  it("refuses a home whose memory is damaged, and says which file", async () => {
    const one = await open();
    await one.close();
    const path = join(one.home, "quota-epoch");
    expect(readFileSync(path, "utf8")).toMatch(/^[0-9a-f]{32} \d+\n$/);
    writeFileSync(path, "not an epoch\n");
    await expect(open(one.home)).rejects.toMatchObject({
      code: "STORE_UNUSABLE",
      message: expect.stringContaining("quota-epoch in the home"),
    });
  });

  it("reads what an account has used, by the days that are kept", async () => {
    const one = await open();
    await one.told("acme", 5);
    await server().ask("HSET", countKey("acme", dayOf(Date.parse(today) - 86_400_000)), "used", 7);
    const link = await openRedisLink(server().url, [], 60_000);
    const usage = await readRedisUsage(link, "acme");
    link.close();
    expect(usage.days).toEqual([
      { day: today, used: 1 },
      { day: dayOf(Date.parse(today) - 86_400_000), used: 7 },
    ]);
    expect([dayOf(usage.nowMs), usage.closed]).toEqual([today, undefined]);
  });

  it("sees at its next look, without any request, that Redis is empty, read-only or full", async () => {
    const one = await open();
    await one.probe(true);
    await server().ask("CONFIG", "SET", "maxmemory", 1);
    const failures = [];
    for (let look = 0; look < 5; look += 1)
      failures.push(
        await one.probe(true).then(
          () => "well",
          ({ cause }) => cause?.code,
        ),
      );
    expect(failures.at(-1)).toBe("OOM");
    await server().ask("CONFIG", "SET", "maxmemory", 0);
    await one.probe(true);
    await server().ask("FLUSHALL");
    await expect(one.probe(true)).rejects.toMatchObject({ code: "QUOTA_DATA_LOST" });
    await expect
      .poll(() =>
        one.probe(true).then(
          () => "well",
          () => "lost",
        ),
      )
      .toBe("well");
    expect(await one.told("acme", 5)).toBe("refused 0");
  });
});
