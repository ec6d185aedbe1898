import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { QuotaRequest } from "../../../proxy/quota/daily-quota.ts";
import { createGroupCommitQuota } from "../../../proxy/quota/group-commit-quota.ts";
import { openQuotaDatabase } from "../../../proxy/quota/open-quota-database.ts";
import { openQuotaLedger } from "../../../proxy/quota/quota-ledger.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
const DAY = "2026-04-01";
let files = 0;

function fresh() {
  files += 1;
  return join(folder, `quota-${files}.db`);
}

/** A counter on `path`, counting its transactions and keeping its failures. */
function counterOn(path: string) {
  const seen = { opened: 0, settled: 0, errors: [] as unknown[] };
  const quota = createGroupCommitQuota({
    openLedger: () => {
      const ledger = openQuotaLedger(path);
      seen.opened += 1;
      return {
        ...ledger,
        settle: (requests, refunds) => {
          seen.settled += 1;
          return ledger.settle(requests, refunds);
        },
      };
    },
    onError: (error) => seen.errors.push(error),
  });
  const charge = (request: Partial<QuotaRequest> = {}) =>
    quota.charge({ account: "acme", day: DAY, limit: 100, ...request });
  const many = async (count: number, request: Partial<QuotaRequest> = {}) => {
    const answers = await Promise.all(Array.from({ length: count }, () => charge(request)));
    return answers.filter((answer) => answer.isGranted).length;
  };
  return { quota, seen, charge, many };
}

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
    quota.close();
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
    quota.close();
  });

  it("refuses an account at its limit from memory, per day and limit", async () => {
    const { seen, many, charge, quota } = counterOn(fresh());
    await many(100);
    const settled = seen.settled;
    for (let turn = 0; turn < 5; turn += 1) expect(await many(10)).toBe(0);
    expect(seen.settled).toBe(settled);
    expect((await charge({ limit: 101 })).isGranted).toBe(true);
    expect((await charge({ day: "2026-04-02" })).isGranted).toBe(true);
    expect((await charge({ account: "other" })).isGranted).toBe(true);
    quota.close();
  });

  it("keeps the day's count over a restart", async () => {
    const path = fresh();
    const first = counterOn(path);
    await first.many(60);
    first.quota.close();
    const second = counterOn(path);
    expect(await second.many(60)).toBe(40);
    second.quota.close();
  });

  it("counts days apart, and an earlier day again when the clock is set back", async () => {
    const path = fresh();
    const { many, quota } = counterOn(path);
    expect(await many(100, { day: "2026-04-01" })).toBe(100);
    expect(await many(1, { day: "2026-04-02" })).toBe(1);
    expect(await many(1, { day: "2026-04-01" })).toBe(0);
    expect([usedIn(path, "acme", "2026-04-01"), usedIn(path, "acme", "2026-04-02")]).toEqual([100, 1]);
    quota.close();
  });

  it("applies a lower limit at noon to what was used before, and a higher one again", async () => {
    const path = fresh();
    const { many, charge, quota } = counterOn(path);
    await many(500, { limit: 10_000 });
    expect(await charge({ limit: 100 })).toEqual({ isGranted: false, remaining: 0 });
    expect(usedIn(path)).toBe(500);
    expect(await charge({ limit: 10_000 })).toEqual({ isGranted: true, remaining: 9499 });
    quota.close();
  });

  it("judges two limits that wait in one turn one after the other", async () => {
    const path = fresh();
    const { charge, quota } = counterOn(path);
    const [a, b, c] = await Promise.all([charge({ limit: 2 }), charge({ limit: 1 }), charge({ limit: 2 })]);
    expect([a.isGranted, b.isGranted, c.isGranted]).toEqual([true, false, true]);
    expect(usedIn(path)).toBe(2);
    quota.close();
  });

  it("shares one file between two counters, and grants the limit once", async () => {
    const path = fresh();
    const [one, two] = [counterOn(path), counterOn(path)];
    const granted = await Promise.all(
      Array.from({ length: 20 }, async (_, turn) => {
        for (let wait = 0; wait < turn; wait += 1) await new Promise(setImmediate);
        return (await one.many(5)) + (await two.many(5));
      }),
    );
    expect(granted.reduce((sum, each) => sum + each, 0)).toBe(100);
    expect(usedIn(path)).toBe(100);
    one.quota.close();
    two.quota.close();
  });

  it("never grants above the limit, whatever order charges and refunds come in", async () => {
    const step = fc.record({
      kind: fc.constantFrom("charge", "refund", "wait"),
      account: fc.constantFrom("a", "b"),
      limit: fc.integer({ min: 0, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const path = fresh();
        const { quota, charge } = counterOn(path);
        const net = new Map<string, number>();
        const pending: Promise<unknown>[] = [];
        for (const { kind, account, limit } of steps) {
          if (kind === "wait") await Promise.all(pending.splice(0));
          else if (kind === "refund" && (net.get(account) ?? 0) > 0) {
            net.set(account, (net.get(account) ?? 0) - 1);
            await quota.refund({ account, day: DAY });
          } else if (kind === "charge") {
            const before = net.get(account) ?? 0;
            const { isGranted, remaining } = await charge({ account, limit });
            expect(isGranted).toBe(before < limit);
            expect(remaining).toBe(Math.max(0, limit - before - (isGranted ? 1 : 0)));
            if (isGranted) net.set(account, before + 1);
          }
        }
        quota.close();
        for (const account of ["a", "b"]) expect(usedIn(path, account)).toBe(net.get(account) ?? 0);
      }),
      { numRuns: 25 },
    );
  });
});

describe("refusals from memory", () => {
  it("are 50, then the file is asked again, and 50 more follow", async () => {
    const { seen, many, charge, quota } = counterOn(fresh());
    await many(100);
    const asked: number[] = [];
    for (let refusal = 0; refusal < 103; refusal += 1) {
      expect(await charge()).toEqual({ isGranted: false, remaining: 0 });
      asked.push(seen.settled);
    }
    expect([asked[49], asked[50], asked[100], asked[101]]).toEqual([1, 2, 2, 3]);
    quota.close();
  });
});

describe("refunds", () => {
  it("give a unit back to the next one, also at the limit", async () => {
    const path = fresh();
    const { many, charge, quota } = counterOn(path);
    await many(100);
    await quota.refund({ account: "acme", day: DAY });
    expect(usedIn(path)).toBe(99);
    expect(await charge()).toEqual({ isGranted: true, remaining: 0 });
    expect((await charge()).isGranted).toBe(false);
    quota.close();
  });

  it("by another process are seen after some refusals from memory", async () => {
    const path = fresh();
    const [one, two] = [counterOn(path), counterOn(path)];
    await one.many(100);
    await two.quota.refund({ account: "acme", day: DAY });
    let granted = 0;
    for (let turn = 0; turn < 110; turn += 1) granted += await one.many(1);
    expect(granted).toBe(1);
    expect(one.seen.settled, "in one transaction, and two that asked again").toBeLessThanOrEqual(4);
    one.quota.close();
    two.quota.close();
  });

  it("never go below 0, and touch their own account and day only", async () => {
    const path = fresh();
    const { charge, quota } = counterOn(path);
    await charge();
    await quota.refund({ account: "other", day: DAY });
    await quota.refund({ account: "acme", day: "2026-03-31" });
    expect(usedIn(path)).toBe(1);
    await quota.refund({ account: "acme", day: DAY });
    await quota.refund({ account: "acme", day: DAY });
    expect(usedIn(path)).toBe(0);
    expect(usedIn(path, "other")).toBe(0);
    quota.close();
  });
});

describe("a file that cannot be used", () => {
  it("releases nobody while it is locked, and works again afterwards", async () => {
    const path = fresh();
    const { charge, quota, seen } = counterOn(path);
    await charge();
    const other = new Database(path);
    other.exec("BEGIN EXCLUSIVE");
    const both = await Promise.allSettled([charge(), quota.refund({ account: "acme", day: DAY })]);
    expect(both.map((result) => result.status)).toEqual(["rejected", "rejected"]);
    expect(seen.errors).toHaveLength(1);
    other.exec("ROLLBACK");
    other.close();
    expect(await charge()).toEqual({ isGranted: true, remaining: 98 });
    quota.close();
  });

  it("leaves recovery to the ledger, and asks it again in the next turn", async () => {
    let isBroken = true;
    const errors: unknown[] = [];
    const quota = createGroupCommitQuota({
      openLedger: () => ({
        settle: (requests) => {
          if (isBroken) throw new Error("disk I/O error");
          return requests.map(() => ({ isGranted: true, remaining: 1 }));
        },
        close: () => {},
      }),
      onError: (error) => errors.push(error),
    });
    const request = { account: "acme", day: DAY, limit: 2 };
    await expect(quota.charge(request)).rejects.toThrow("disk I/O");
    isBroken = false;
    expect((await quota.charge(request)).isGranted).toBe(true);
    expect(errors).toHaveLength(1);
  });

  it("closes its ledger once", () => {
    let closed = 0;
    const close = () => {
      closed += 1;
    };
    const quota = createGroupCommitQuota({
      openLedger: () => ({ settle: () => [], close }),
      onError: () => {},
    });
    quota.close();
    quota.close();
    expect(closed).toBe(1);
  });

  it("answers nobody when the ledger leaves one out", async () => {
    const quota = createGroupCommitQuota({
      openLedger: () => ({ settle: () => [], close: () => {} }),
      onError: () => {},
    });
    await expect(quota.charge({ account: "acme", day: DAY, limit: 2 })).rejects.toThrow("invariant");
  });

  it("settles what waits when it is closed, and refuses what comes after", async () => {
    const path = fresh();
    const { charge, quota, seen } = counterOn(path);
    const waiting = charge();
    quota.close();
    quota.close();
    expect(await waiting).toEqual({ isGranted: true, remaining: 99 });
    await new Promise(setImmediate);
    expect(seen).toMatchObject({ opened: 1, settled: 1 });
    await expect(charge()).rejects.toThrow("closed");
    await expect(quota.refund({ account: "acme", day: DAY })).rejects.toThrow("closed");
    expect(usedIn(path)).toBe(1);
  });
});

describe("the database", () => {
  it("is WAL with FULL on every open, and its owner's alone", () => {
    const path = fresh();
    for (let turn = 0; turn < 3; turn += 1) {
      const database = openQuotaDatabase(path);
      expect(database.pragma("journal_mode", { simple: true })).toBe("wal");
      expect(database.pragma("synchronous", { simple: true })).toBe(2);
      expect(database.pragma("busy_timeout", { simple: true })).toBe(100);
      database.close();
    }
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("shows why it must be set: the binding alone reopens at NORMAL", () => {
    const path = fresh();
    openQuotaDatabase(path).close();
    const plain = new Database(path);
    plain.prepare("SELECT count(*) FROM quota").get();
    expect(plain.pragma("synchronous", { simple: true })).toBe(1);
    plain.close();
  });

  it.each([
    { why: "no database", make: (path: string) => writeFileSync(path, "x".repeat(5000)) },
    {
      why: "another program's",
      make: (path: string) => {
        const other = new Database(path);
        other.pragma("application_id = 7");
        other.close();
      },
    },
  ])("refuses a file that is $why", ({ make }) => {
    const path = fresh();
    make(path);
    expect(() => openQuotaDatabase(path)).toThrow(expect.objectContaining({ code: "STORE_UNUSABLE" }));
  });
});
