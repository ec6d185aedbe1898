import { describe, expect, it } from "vitest";
import type { QuotaAnswer } from "../../../proxy/quota/daily-quota.ts";
import { createAdmit, createInFlight } from "../../../proxy/request/admit.ts";
import type { Sabotage } from "../../faults/quota-simulated-proxy.ts";
import { simulateQuota } from "../../faults/quota-simulator.ts";
import { chosenSeed } from "../../faults/seeded-random.ts";

const HOLDER = { keyId: "key_1", account: "acme", tier: "pro" as const, dailyLimit: 5 };

function setUp() {
  const world = {
    nowMs: Date.parse("2026-04-01T23:59:59.999Z"),
    steps: [] as string[],
    isServing: true,
    cap: createInFlight(1),
    known: undefined as QuotaAnswer | undefined,
    answer: (): Promise<QuotaAnswer> => Promise.resolve({ isGranted: true, remaining: 4 }),
    refund: () => Promise.resolve(),
    failures: [] as string[],
  };
  const admit = createAdmit({
    lookup: (key) => {
      world.steps.push(`key ${key}`);
      if (key === "broken") throw new Error("away");
      return key === "good" ? HOLDER : undefined;
    },
    isServing: () => {
      world.steps.push("room");
      return world.isServing;
    },
    inFlight: {
      enter: (account) => world.cap.enter(account),
      leave: (account) => world.cap.leave(account),
      count: () => world.cap.count(),
    },
    quota: {
      refuseKnown: (request) => {
        if (world.known !== undefined)
          expect(request).toEqual({ account: "acme", day: "2026-04-01", limit: 5 });
        return world.known;
      },
      charge: ({ account, day, limit }) => {
        world.steps.push(`charge ${account} ${day} ${limit}`);
        return world.answer();
      },
      refund: ({ account, day }) => {
        world.steps.push(`refund ${account} ${day}`);
        return world.refund();
      },
    },
    nowMs: () => world.nowMs,
    onError: (where) => world.failures.push(where),
  });
  return { world, ask: (...keys: string[]) => admit(keys.flatMap((key) => ["X-Api-Key", key])) };
}

describe("createAdmit", () => {
  it("refuses who is known to be used up before a place is taken, by the clock of the store where it has one", async () => {
    const { world, ask } = setUp();
    world.cap = createInFlight(0);
    world.known = { isGranted: false, remaining: 0 };
    const quota = { limit: 5, remaining: 0, resetAtMs: Date.parse("2026-04-02"), secondsToReset: 1 };
    expect(await ask("good")).toEqual({
      kind: "refused",
      problem: "quota-used-up",
      keyId: "key_1",
      quota,
    });
    world.known = { ...world.known, countedAtMs: Date.parse("2026-04-05T23:59:30.000Z") };
    expect(await ask("good")).toMatchObject({
      quota: { ...quota, resetAtMs: Date.parse("2026-04-06"), secondsToReset: 30 },
    });
    world.isServing = false;
    expect(await ask("good")).toMatchObject({ problem: "no-snapshot" });
    expect(world.steps.filter((step) => step.startsWith("charge"))).toEqual([]);
  });

  it("asks for key, room and quota in this order, and charges the day of admission", async () => {
    const { world, ask } = setUp();
    const admitted = await ask("good");
    expect(world.steps).toEqual(["key good", "room", "charge acme 2026-04-01 5"]);
    expect(admitted).toMatchObject({
      kind: "admitted",
      keyId: "key_1",
      tier: "pro",
      quota: { limit: 5, remaining: 4, resetAtMs: Date.parse("2026-04-02"), secondsToReset: 1 },
    });
  });

  it.each([
    { why: "no key: nobody is asked", keys: [], problem: "key-missing", steps: [] },
    { why: "a wrong key", keys: ["bad"], problem: "key-invalid", steps: ["key bad"] },
    { why: "two lines: the same steps", keys: ["good", "good"], problem: "key-invalid", steps: ["key "] },
    { why: "the key store is away", keys: ["broken"], problem: "key-store-down", steps: ["key broken"] },
  ])("stops at the key: $why", async ({ keys, problem, steps }) => {
    const { world, ask } = setUp();
    expect(await ask(...keys)).toEqual({ kind: "refused", problem });
    expect(world.steps).toEqual(steps);
    expect(world.failures).toEqual(problem === "key-store-down" ? ["keys"] : []);
  });

  it("refuses while closed and above the cap, without a charge", async () => {
    const { world, ask } = setUp();
    world.isServing = false;
    expect(await ask("good")).toEqual({ kind: "refused", problem: "no-snapshot", keyId: "key_1" });
    world.isServing = true;
    const inside = await ask("good");
    expect(await ask("good")).toMatchObject({ problem: "too-busy" });
    if (inside.kind === "admitted") inside.leave();
    expect(await ask("good")).toMatchObject({ kind: "admitted" });
    expect(world.steps.filter((step) => step.startsWith("charge"))).toHaveLength(2);
  });

  it.each([
    {
      why: "used up",
      answer: () => Promise.resolve({ isGranted: false, remaining: 0 }),
      want: { problem: "quota-used-up", keyId: "key_1", quota: { remaining: 0 } },
    },
    {
      why: "the store is away",
      answer: () => Promise.reject(new Error("away")),
      want: { problem: "quota-store-down", keyId: "key_1" },
    },
  ])("refuses at the quota and frees the place: $why", async ({ answer, want }) => {
    const { world, ask } = setUp();
    world.answer = answer;
    expect(await ask("good")).toMatchObject({ kind: "refused", ...want });
    expect(world.failures).toEqual(want.problem === "quota-store-down" ? ["quota"] : []);
    world.answer = () => Promise.resolve({ isGranted: true, remaining: 1 });
    expect(await ask("good")).toMatchObject({ kind: "admitted" });
  });

  it("refunds to the day of admission, also after midnight, and survives a refund that fails", async () => {
    const { world, ask } = setUp();
    const admitted = await ask("good");
    if (admitted.kind !== "admitted") throw new Error("not admitted");
    world.nowMs += 1000;
    expect(await admitted.refund()).toMatchObject({ remaining: 5 });
    expect(world.steps.at(-1)).toBe("refund acme 2026-04-01");
    world.refund = () => Promise.reject(new Error("away"));
    expect(await admitted.refund()).toMatchObject({ remaining: 4 });
    expect(world.failures).toEqual(["quota"]);
  });
});

describe("a counter with a clock of its own", () => {
  it.each([
    {
      why: "it is in the next day already",
      countedAtMs: Date.parse("2026-04-02T00:00:10.000Z"),
      resetAtMs: Date.parse("2026-04-03"),
      secondsToReset: 86_390,
      day: "2026-04-02",
    },
    {
      why: "it is still in the day before",
      countedAtMs: Date.parse("2026-03-31T23:59:00.000Z"),
      resetAtMs: Date.parse("2026-04-01"),
      secondsToReset: 60,
      day: "2026-03-31",
    },
  ])("says which day is charged, when it ends, and where a unit goes back: $why", async (row) => {
    const { world, ask } = setUp();
    const { countedAtMs, resetAtMs, secondsToReset, day } = row;
    world.answer = () => Promise.resolve({ isGranted: true, remaining: 4, countedAtMs });
    const admitted = await ask("good");
    if (admitted.kind !== "admitted") throw new Error("not admitted");
    expect(admitted.quota).toEqual({ limit: 5, remaining: 4, resetAtMs, secondsToReset });
    expect(await admitted.refund()).toEqual({ limit: 5, remaining: 5, resetAtMs, secondsToReset });
    expect(world.steps.at(-1)).toBe(`refund acme ${day}`);
    admitted.leave();
    world.answer = () => Promise.resolve({ isGranted: false, remaining: 0, countedAtMs });
    expect(await ask("good")).toMatchObject({ quota: { resetAtMs, secondsToReset } });
  });
});

const enter = (inFlight: ReturnType<typeof createInFlight>, account: string, times: number) =>
  Array.from({ length: times }, () => inFlight.enter(account)).filter(Boolean).length;

describe("createInFlight", () => {
  it.each([
    { why: "a quarter of many", cap: 2_000, share: 500 },
    { why: "64 at least", cap: 100, share: 64 },
    { why: "never more than there are", cap: 10, share: 10 },
  ])("gives one account $why", ({ cap, share }) => {
    expect(enter(createInFlight(cap), "acme", cap + 1)).toBe(share);
  });

  it("gives others what one account may not have, up to the cap", () => {
    const inFlight = createInFlight(300);
    enter(inFlight, "a", 75);
    inFlight.leave("a");
    expect(enter(inFlight, "a", 2), "who left makes room for one").toBe(1);
    for (let left = 0; left < 75; left += 1) inFlight.leave("a");
    const counts = ["a", "b", "c", "d", "e"].map((account) => enter(inFlight, account, 300));
    expect(counts).toEqual([75, 75, 75, 75, 0]);
    expect(inFlight.count()).toBe(300);
  });

  it("counts out for the account and in all", () => {
    const inFlight = createInFlight(64);
    expect([enter(inFlight, "a", 65), enter(inFlight, "b", 1)]).toEqual([64, 0]);
    inFlight.leave("a");
    expect([inFlight.count(), inFlight.enter("b"), inFlight.enter("a")]).toEqual([63, true, false]);
    for (let left = 0; left < 63; left += 1) inFlight.leave("a");
    inFlight.leave("b");
    expect([inFlight.count(), enter(inFlight, "a", 65)]).toEqual([0, 64]);
  });
});

describe("admission, simulated", () => {
  it("never serves above the limit in force, whatever fails, ends or turns back", async () => {
    const seed = chosenSeed();
    const { broken, ...tally } = await simulateQuota({ runs: 25, steps: 60, seed });
    expect(broken, `FAULTS_SEED=${seed}`).toEqual([]);
    // A simulation in which nothing happens would prove nothing.
    expect(tally.served).toBeGreaterThan(150);
    expect(Math.min(tally.crashes, tally.faults, tally.refunds)).toBeGreaterThan(20);
    for (const situation of ["key-invalid", "quota-used-up", "quota-store-down"]) {
      expect(tally.refused[situation], situation).toBeGreaterThan(5);
    }
  });

  it.each<{ why: string; sabotage: Sabotage; says: RegExp }>([
    {
      why: "who waits is released although the commit failed",
      sabotage: "grants-without-commit",
      says: /released before a commit|above|only \d+ counted/,
    },
    { why: "a unit is given back that was used", sabotage: "forgets-a-unit", says: /served/ },
    { why: "the remainder falls below nothing", sabotage: "negative-remainder", says: /fewer than none/ },
  ])("notices when $why", async ({ sabotage, says }) => {
    const { broken } = await simulateQuota({ runs: 6, steps: 60, seed: 1, sabotage });
    expect(broken.join("\n")).toMatch(says);
  });
});
