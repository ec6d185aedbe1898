import { describe, expect, it } from "vitest";
import { checkTime } from "../../../pipeline/gate/check-fetches.ts";
import { applyOverrides } from "../../../pipeline/gate/gate-rules.ts";
import { timestampOf } from "../../../snapshots/format/ids.ts";
import { AS_OF_MS } from "../documents/scored-daos.ts";
import { validSet } from "./valid-set.ts";

const MINUTE_MS = 60_000;
const NOW_MS = AS_OF_MS + 60 * MINUTE_MS;
const at = (afterNowMs: number) => timestampOf(NOW_MS + afterNowMs);

const previousOf = (createdAt: string) => ({
  asOf: timestampOf(AS_OF_MS),
  createdAt,
  methodologyVersion: "1.0.0",
  daos: [],
  votes: 0,
  votesOfSpace: new Map(),
  completenessOfSpace: new Map(),
  rows: [],
});

type TimeInput = Parameters<typeof checkTime>[0];

const codes = (change: Partial<TimeInput>, createdAt: string | undefined = undefined) =>
  checkTime(
    { lists: validSet(), nowMs: NOW_MS, fetchTimes: [], ...change },
    createdAt === undefined ? undefined : previousOf(createdAt),
  ).map(({ code }) => code);

describe("checkTime", () => {
  it.each<{ why: string; createdAt: string | undefined; want: string[] }>([
    { why: "there was no version before", createdAt: undefined, want: [] },
    { why: "the last version is older", createdAt: at(-MINUTE_MS), want: [] },
    { why: "the last version is of this very millisecond", createdAt: at(0), want: [] },
    { why: "the last version is a millisecond younger", createdAt: at(1), want: ["CLOCK_WENT_BACK"] },
    { why: "the last version is of next year", createdAt: at(1e10), want: ["CLOCK_WENT_BACK"] },
  ])("the clock: $why", ({ createdAt, want }) => {
    expect(codes({}, createdAt)).toEqual(want);
  });

  it.each<{ why: string; change: Partial<TimeInput>; want: string[] }>([
    { why: "as_of is now", change: { nowMs: AS_OF_MS }, want: [] },
    {
      why: "as_of is a millisecond ahead",
      change: { nowMs: AS_OF_MS - 1 },
      want: ["FUTURE_DATA"],
    },
    { why: "fetched a while ago", change: { fetchTimes: [{ what: "hub", fetchedAt: at(-1) }] }, want: [] },
    {
      why: "fetched by a machine whose clock is five minutes ahead",
      change: { fetchTimes: [{ what: "hub", fetchedAt: at(5 * MINUTE_MS) }] },
      want: [],
    },
    {
      why: "fetched further ahead than clocks differ",
      change: { fetchTimes: [{ what: "hub", fetchedAt: at(5 * MINUTE_MS + 1) }] },
      want: ["FUTURE_DATA"],
    },
  ])("the future: $why", ({ change, want }) => {
    expect(codes(change)).toEqual(want);
  });

  it("says what the clock says, and lets a look pass each", () => {
    const input = { lists: validSet(), nowMs: AS_OF_MS - 1, fetchTimes: [] };
    const findings = applyOverrides(checkTime(input, previousOf(at(0))), ["clock", "future-data"]);
    expect(findings.map(({ severity, code, message }) => `${severity} ${code} ${message}`)).toEqual([
      `warn CLOCK_WENT_BACK the clock says ${timestampOf(AS_OF_MS - 1)}, but the current version was made at ${at(0)}`,
      `warn FUTURE_DATA as_of is ${timestampOf(AS_OF_MS)}, but the clock says ${timestampOf(AS_OF_MS - 1)}`,
    ]);
  });
});
