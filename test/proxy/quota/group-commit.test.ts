import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  closedDayWarning,
  type QuotaRequest,
  quotaDayOf,
  type UnitsGranted,
} from "../../../proxy/quota/daily-quota.ts";
import { createGroupCommit, type QuotaLedger } from "../../../proxy/quota/group-commit.ts";
import { openQuotaLedger } from "../../../proxy/quota/sqlite/quota-ledger.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
const DAY = "2026-04-01";
let files = 0;

function fresh() {
  files += 1;
  return join(folder, `quota-${files}.db`);
}

/** A counter on `path`, counting its transactions. */
function counterOn(path: string) {
  const seen = { settled: 0 };
  const ledger = openQuotaLedger(path);
  const quota = createGroupCommit({
    ledger: {
      ...ledger,
      settle: (asked, returned) => {
        seen.settled += 1;
        return ledger.settle(asked, returned);
      },
    },
    // By the machine's clock a group that a busy machine is slow to gather would be settled in two.
    tickMs: () => 0,
    onError: () => {},
  });
  /** As `admit` does. */
  const charge = async (given: Partial<QuotaRequest> = {}) => {
    const request = { account: "acme", day: DAY, limit: 100, ...given };
    return quota.refuseKnown(request) ?? (await quota.charge(request));
  };
  const many = async (count: number, request: Partial<QuotaRequest> = {}) => {
    const answers = await Promise.all(Array.from({ length: count }, () => charge(request)));
    return answers.filter((answer) => answer.isGranted).length;
  };
  return { quota, seen, charge, many };
}

const REQUEST = { account: "acme", day: DAY, limit: 2 };

/** A counter on a ledger of the test's own, by a clock that the test sets. */
function counterWith(ledger: Partial<QuotaLedger>, clock = { nowMs: 0 }) {
  const errors: unknown[] = [];
  const quota = createGroupCommit({
    ledger: { settle: async () => [], close: () => {}, ...ledger },
    tickMs: () => clock.nowMs,
    onError: (error) => errors.push(error),
  });
  return { quota, errors };
}

/** A ledger whose commits end when the test says so. */
function slowLedger() {
  const commits: { readonly units: number; readonly end: () => void }[] = [];
  const settle: QuotaLedger["settle"] = (asked) =>
    new Promise((resolve) => {
      const units = asked.reduce((sum, request) => sum + request.units, 0);
      const granted = asked.map((request): UnitsGranted => ({ used: 0, granted: request.units }));
      commits.push({ units, end: () => resolve(granted) });
    });
  return { commits, settle };
}

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
};

function usedIn(path: string, account = "acme", day = DAY): number {
  const ledger = openQuotaLedger(path);
  const used = ledger.usage(account, day).find((row) => row.day === day)?.used ?? 0;
  ledger.close();
  return used;
}

describe("the counter", () => {
  it("grants exactly the limit to 200 that wait together, in one transaction", async () => {
    const path = fresh();
    const { seen, many, quota } = counterOn(path);
    expect(await many(200)).toBe(100);
    expect(seen.settled).toBe(1);
    expect(usedIn(path)).toBe(100);
    await quota.close();
  });

  it("tells each waiter its own remainder, and the first come are served first", async () => {
    const { charge, quota } = counterOn(fresh());
    const answers = await Promise.all([1, 2, 3, 4].map(() => charge({ limit: 3 })));
    expect(answers).toEqual([
      { isGranted: true, remaining: 2 },
      { isGranted: true, remaining: 1 },
      { isGranted: true, remaining: 0 },
      { isGranted: false, remaining: 0 },
    ]);
    await quota.close();
  });

  it("hands on the moment at which the ledger counted, and knows a limit reached then for that day", async () => {
    const countedAtMs = Date.parse("2026-04-02T00:00:01.000Z");
    const settle: QuotaLedger["settle"] = async (asked) =>
      asked.map(({ units }) => ({ used: 1, granted: units, countedAtMs }));
    const { quota } = counterWith({ settle });
    expect(await quota.charge(REQUEST)).toEqual({ isGranted: true, remaining: 0, countedAtMs });
    expect(quota.refuseKnown(REQUEST)).toBeUndefined();
    expect(quota.refuseKnown({ ...REQUEST, day: "2026-04-02" })).toEqual({ isGranted: false, remaining: 0 });
    await quota.close();
  });

  it("refuses an account at its limit from memory 50 times, then asks the file again; per day and limit", async () => {
    const { seen, many, charge, quota } = counterOn(fresh());
    await many(100);
    const asked: number[] = [];
    for (let refusal = 0; refusal < 103; refusal += 1) {
      expect(await charge()).toEqual({ isGranted: false, remaining: 0 });
      asked.push(seen.settled);
    }
    expect([asked[49], asked[50], asked[100], asked[101]]).toEqual([1, 2, 2, 3]);
    expect((await charge({ limit: 101 })).isGranted).toBe(true);
    expect((await charge({ day: "2026-04-02" })).isGranted).toBe(true);
    expect((await charge({ account: "other" })).isGranted).toBe(true);
    await quota.close();
  });

  it("never grants above the limit, whatever order charges and refunds come in", async () => {
    const step = fc.record({
      kind: fc.constantFrom("charge", "refund"),
      account: fc.constantFrom("a", "b"),
      limit: fc.integer({ min: 0, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const path = fresh();
        const { quota, charge } = counterOn(path);
        const net = new Map<string, number>();
        for (const { kind, account, limit } of steps) {
          const before = net.get(account) ?? 0;
          if (kind === "refund" && before > 0) {
            net.set(account, before - 1);
            await quota.refund({ account, day: DAY });
          } else if (kind === "charge") {
            const { isGranted, remaining } = await charge({ account, limit });
            expect(isGranted).toBe(before < limit);
            expect(remaining).toBe(Math.max(0, limit - before - (isGranted ? 1 : 0)));
            if (isGranted) net.set(account, before + 1);
          }
        }
        await quota.close();
        for (const account of ["a", "b"]) expect(usedIn(path, account)).toBe(net.get(account) ?? 0);
      }),
      { numRuns: 25 },
    );
  });

  it("gives a unit back to the next one, also at the limit", async () => {
    const path = fresh();
    const { many, charge, quota } = counterOn(path);
    await many(100);
    await quota.refund({ account: "acme", day: DAY });
    expect(usedIn(path)).toBe(99);
    expect(await charge()).toEqual({ isGranted: true, remaining: 0 });
    expect((await charge()).isGranted).toBe(false);
    await quota.close();
  });
});

describe("a group", () => {
  it("grows with each turn of the event loop that brings somebody, and is settled by the first that brings nobody", async () => {
    const { commits, settle } = slowLedger();
    const { quota } = counterWith({ settle });
    for (let turn = 0; turn < 5; turn += 1) {
      void quota.charge(REQUEST);
      await turns(1);
      expect(commits).toEqual([]);
    }
    await turns(1);
    expect(commits.map(({ units }) => units)).toEqual([5]);
  });

  it("is settled at an age of two milliseconds, whoever still comes", async () => {
    const { commits, settle } = slowLedger();
    const clock = { nowMs: 0 };
    const { quota } = counterWith({ settle }, clock);
    void quota.charge(REQUEST);
    clock.nowMs = 1.9;
    void quota.charge(REQUEST);
    expect(commits).toEqual([]);
    clock.nowMs = 2;
    void quota.charge(REQUEST);
    // Before any other turn of the event loop.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    expect(
      commits.map(({ units }) => units),
      "at once, as the end of the turn may be far",
    ).toEqual([3]);
  });

  it("waits while another one is under way, however old it gets, and takes in all who come meanwhile", async () => {
    const { commits, settle } = slowLedger();
    const clock = { nowMs: 0 };
    const { quota } = counterWith({ settle }, clock);
    const first = quota.charge(REQUEST);
    await turns(2);
    expect(commits).toHaveLength(1);
    for (let turn = 0; turn < 4; turn += 1) {
      void quota.charge(REQUEST);
      clock.nowMs += 5;
      await turns(2);
    }
    expect(commits).toHaveLength(1);
    commits[0]?.end();
    await first;
    await turns(2);
    expect(commits.map(({ units }) => units)).toEqual([1, 4]);
  });

  it("takes in who asks again when the group before it is answered, and gathers for two milliseconds from there", async () => {
    const { commits, settle } = slowLedger();
    const clock = { nowMs: 0 };
    const { quota } = counterWith({ settle }, clock);
    const first = quota.charge(REQUEST);
    await turns(2);
    void quota.charge(REQUEST);
    clock.nowMs = 10;
    commits[0]?.end();
    await first;
    for (let turn = 0; turn < 3; turn += 1) {
      void quota.charge(REQUEST);
      await turns(1);
    }
    expect(commits.map(({ units }) => units)).toEqual([1]);
    clock.nowMs = 12;
    await turns(1);
    expect(commits.map(({ units }) => units)).toEqual([1, 4]);
  });

  it("does not count the time in which the group before is answered", async () => {
    const { commits, settle } = slowLedger();
    const clock = { nowMs: 0 };
    const { quota } = counterWith({ settle }, clock);
    const first = quota.charge(REQUEST);
    await turns(2);
    void quota.charge(REQUEST);
    commits[0]?.end();
    await first;
    clock.nowMs = 5;
    await turns(1);
    void quota.charge(REQUEST);
    await turns(3);
    expect(commits.map(({ units }) => units)).toEqual([1, 2]);
  });

  it("names each account, day and limit once, with its units, and refunds apart", async () => {
    const seen: unknown[] = [];
    const { quota } = counterWith({
      settle: async (asked, returned) => {
        // They go on to hold what was granted.
        seen.push(structuredClone(asked), structuredClone(returned));
        return asked.map(({ units }) => ({ used: 0, granted: units }));
      },
    });
    const other = { ...REQUEST, account: "other" };
    const back = { account: "acme", day: DAY };
    const asked = [REQUEST, other, REQUEST, { ...REQUEST, limit: 3 }, { ...REQUEST, day: "2026-04-02" }];
    await Promise.all([...asked.map(quota.charge), quota.refund(back), quota.refund(back)]);
    expect(seen).toEqual([
      [
        { ...REQUEST, units: 2 },
        { ...other, units: 1 },
        { ...REQUEST, limit: 3, units: 1 },
        { ...REQUEST, day: "2026-04-02", units: 1 },
      ],
      [{ ...back, units: 2 }],
    ]);
  });

  it("is told by its size once it is settled, refunds with charges, and not where it fails", async () => {
    const sizes: number[] = [];
    let isBroken = false;
    const quota = createGroupCommit({
      ledger: {
        settle: async (asked) => {
          expect(sizes).toEqual([]);
          if (isBroken) throw new Error("disk I/O error");
          return asked.map(({ units }) => ({ used: 0, granted: units }));
        },
        close: () => {},
      },
      tickMs: () => 0,
      onCommit: (size) => sizes.push(size),
      onError: () => {},
    });
    await Promise.all([quota.charge(REQUEST), quota.charge(REQUEST), quota.refund(REQUEST)]);
    expect(sizes.splice(0)).toEqual([3]);
    isBroken = true;
    await expect(quota.charge(REQUEST)).rejects.toThrow("disk I/O");
    expect(sizes).toEqual([]);
  });

  it("answers nobody when the ledger leaves one out", async () => {
    const { quota } = counterWith({ settle: async () => [] });
    await expect(quota.charge(REQUEST)).rejects.toThrow("invariant");
  });

  it("is rejected whole where its commit fails, told once, and the next one is settled", async () => {
    let isBroken = true;
    const { quota, errors } = counterWith({
      settle: async (asked) => {
        if (isBroken) throw new Error("disk I/O error");
        return asked.map(() => ({ used: 0, granted: 1 }));
      },
    });
    const refund = quota.refund({ account: "acme", day: DAY });
    const all = await Promise.allSettled([quota.charge(REQUEST), quota.charge(REQUEST), refund]);
    expect(all.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    isBroken = false;
    expect((await quota.charge(REQUEST)).isGranted).toBe(true);
    expect(errors).toEqual([expect.objectContaining({ message: "disk I/O error" })]);
  });

  it("is settled by a close, after the one that is under way, and the ledger is closed once", async () => {
    const { commits, settle } = slowLedger();
    let closed = 0;
    const { quota } = counterWith({
      settle,
      close: () => {
        closed += 1;
      },
    });
    const both = [quota.charge(REQUEST)];
    await turns(2);
    both.push(quota.charge(REQUEST));
    const closing = quota.close();
    expect(closed).toBe(0);
    await expect(quota.charge(REQUEST)).rejects.toThrow(/^the quota counter is closed$/);
    await expect(quota.refund(REQUEST)).rejects.toThrow(/^the quota counter is closed$/);
    commits[0]?.end();
    await turns(1);
    commits[1]?.end();
    await Promise.all([closing, quota.close()]);
    expect(closed).toBe(1);
    expect((await Promise.all(both)).map(({ isGranted }) => isGranted)).toEqual([true, true]);
  });
});

describe("quotaDayOf", () => {
  it.each([
    { at: "2026-04-01T00:00:00.000Z", day: "2026-04-01", reset: "2026-04-02T00:00:00.000Z", seconds: 86_400 },
    { at: "2026-04-01T12:00:00.001Z", day: "2026-04-01", reset: "2026-04-02T00:00:00.000Z", seconds: 43_200 },
    { at: "2026-04-01T23:59:58.500Z", day: "2026-04-01", reset: "2026-04-02T00:00:00.000Z", seconds: 2 },
    { at: "2026-04-01T23:59:59.999Z", day: "2026-04-01", reset: "2026-04-02T00:00:00.000Z", seconds: 1 },
    { at: "2026-12-31T23:59:59.999Z", day: "2026-12-31", reset: "2027-01-01T00:00:00.000Z", seconds: 1 },
    { at: "2024-02-29T06:00:00.000Z", day: "2024-02-29", reset: "2024-03-01T00:00:00.000Z", seconds: 64_800 },
  ])("$at", ({ at, day, reset, seconds }) => {
    expect(quotaDayOf(Date.parse(at))).toEqual({
      day,
      resetAtMs: Date.parse(reset),
      secondsToReset: seconds,
    });
  });
});

describe("closedDayWarning", () => {
  const says = "since a restore every account is at its limit until 2026-04-02T00:00:00.000Z";
  it.each([
    { why: "none was ever closed", day: undefined, now: "2026-04-01T12:00:00Z", says: undefined },
    { why: "the day before it", day: "2026-04-01", now: "2026-03-31T23:59:59.999Z", says },
    { why: "its first moment", day: "2026-04-01", now: "2026-04-01T00:00:00Z", says },
    { why: "its last moment", day: "2026-04-01", now: "2026-04-01T23:59:59.999Z", says },
    { why: "the moment it is over", day: "2026-04-01", now: "2026-04-02T00:00:00Z", says: undefined },
  ])("speaks while a closed day is not over: $why", ({ day, now, says: expected }) => {
    expect(closedDayWarning(day, Date.parse(now))).toBe(expected);
  });
});
