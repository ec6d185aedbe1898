import { describe, expect, it } from "vitest";
import { type QuotaRows, settleQuota } from "../../../proxy/quota/settle-quota.ts";

const DAY = "2026-04-01";

/** Rows in memory; `lies` takes the place of what they would say. */
function rowsOf(start: Readonly<Record<string, number>>, lies: Partial<QuotaRows> = {}) {
  const used = new Map(Object.entries(start));
  const written: string[] = [];
  const rows: QuotaRows = {
    used: (account) => used.get(account) ?? 0,
    add: (account, _day, units) => {
      written.push(`${account} +${units}`);
      used.set(account, (used.get(account) ?? 0) + units);
      return used.get(account) ?? 0;
    },
    giveBack: (account) => {
      const before = used.get(account) ?? 0;
      if (before > 0) used.set(account, before - 1);
      return before > 0;
    },
    settled: () => 5,
    countSettled: () => void written.push("settled"),
    closedThrough: () => undefined,
    isOpened: () => false,
    ...lies,
  };
  return { rows, written };
}

const asks = (account: string, limit: number, count = 1) =>
  Array.from({ length: count }, () => ({ account, day: DAY, limit }));

describe("settleQuota", () => {
  it.each([
    { why: "below", used: 0, limit: 3, waiting: 2, remaining: [2, 1], granted: 2 },
    { why: "up to the limit", used: 1, limit: 3, waiting: 2, remaining: [1, 0], granted: 2 },
    { why: "past it", used: 2, limit: 3, waiting: 3, remaining: [0, 0, 0], granted: 1 },
    { why: "at it", used: 3, limit: 3, waiting: 2, remaining: [0, 0], granted: 0 },
    { why: "above it, after a downgrade", used: 9, limit: 3, waiting: 2, remaining: [0, 0], granted: 0 },
    { why: "a limit of nothing", used: 0, limit: 0, waiting: 1, remaining: [0], granted: 0 },
  ])("grants what is left: $why", ({ used, limit, waiting, remaining, granted }) => {
    const { rows, written } = rowsOf({ acme: used });
    const { answers, settled } = settleQuota(rows, {
      requests: asks("acme", limit, waiting),
      refunds: [],
      settledMin: 5,
    });
    expect(answers.map((answer) => answer.remaining)).toEqual(remaining);
    expect(answers.filter((answer) => answer.isGranted)).toHaveLength(granted);
    expect(written).toEqual(granted > 0 ? [`acme +${granted}`, "settled"] : []);
    expect(settled).toBe(granted > 0 ? 6 : 5);
  });

  it.each([
    { why: "a day after it", closedThrough: "2026-03-31", limit: 3, remaining: [2, 1] },
    { why: "the day itself", closedThrough: DAY, limit: 3, remaining: [0, 0] },
    { why: "a day before it", closedThrough: "2026-04-02", limit: 3, remaining: [0, 0] },
    { why: "whatever the limit is raised to", closedThrough: DAY, limit: 1_000_000_000, remaining: [0, 0] },
  ])("grants nothing of days that are closed, and writes nothing then: $why", (row) => {
    const { rows, written } = rowsOf({}, { closedThrough: () => row.closedThrough });
    const { answers } = settleQuota(rows, {
      requests: asks("acme", row.limit, 2),
      refunds: [],
      settledMin: 0,
    });
    expect(answers.map(({ remaining }) => remaining)).toEqual(row.remaining);
    expect(written.length > 0).toBe(row.remaining[0] !== 0);
  });

  it("takes refunds first, so that a unit given back goes to who waits", () => {
    const { rows } = rowsOf({ acme: 3 });
    const { answers } = settleQuota(rows, {
      requests: asks("acme", 3, 2),
      refunds: [{ account: "acme", day: DAY }],
      settledMin: 0,
    });
    expect(answers.map(({ isGranted }) => isGranted)).toEqual([true, false]);
  });

  it("answers nobody where nobody asks, and writes what is given back", () => {
    const { rows, written } = rowsOf({ acme: 3 });
    const refunds = [{ account: "acme", day: DAY }];
    expect(settleQuota(rows, { requests: [], refunds, settledMin: 5 })).toEqual({ answers: [], settled: 6 });
    expect(written).toEqual(["settled"]);
    expect(settleQuota(rows, { requests: [], refunds: [], settledMin: 5 })).toEqual({
      answers: [],
      settled: 5,
    });
  });

  it("answers in the order of the requests, whatever their accounts", () => {
    const { rows } = rowsOf({ b: 1 });
    const requests = [...asks("a", 2), ...asks("b", 2), ...asks("a", 2), ...asks("b", 2), ...asks("a", 1)];
    const { answers } = settleQuota(rows, { requests, refunds: [], settledMin: 0 });
    expect(answers).toEqual([
      { isGranted: true, remaining: 1 },
      { isGranted: true, remaining: 0 },
      { isGranted: true, remaining: 0 },
      { isGranted: false, remaining: 0 },
      { isGranted: false, remaining: 0 },
    ]);
  });

  it.each([
    { why: "the row was more than it said", lies: { used: () => 0 } },
    { why: "the sum is off by one", lies: { add: () => 4 } },
    { why: "there is no sum", lies: { add: () => Number.POSITIVE_INFINITY } },
  ])("lets nobody in when a grant passes the limit: $why", ({ lies }) => {
    const { rows } = rowsOf({ acme: 3 }, lies);
    if (lies.add !== undefined) Object.assign(rows, { used: () => 1 });
    const settlement = { requests: asks("acme", 3), refunds: [], settledMin: 0 };
    expect(() => settleQuota(rows, settlement)).toThrow("invariant");
  });

  it("refuses a file that settled less than was seen", () => {
    const { rows, written } = rowsOf({});
    const settlement = { requests: asks("acme", 3), refunds: [], settledMin: 6 };
    expect(() => settleQuota(rows, settlement)).toThrow(expect.objectContaining({ code: "QUOTA_WENT_BACK" }));
    expect(written).toEqual([]);
  });
});
