import { describe, expect, it } from "vitest";
import { checkFrame, checkRejectedRows, checkTime } from "../../../pipeline/gate/check-fetches.ts";
import { applyOverrides, GATE_OVERRIDES } from "../../../pipeline/gate/gate-rules.ts";
import { timestampOf } from "../../../snapshots/format/ids.ts";
import type { PublishedEvidence } from "../../../snapshots/format/published-set.ts";
import { AS_OF_MS } from "../documents/scored-daos.ts";
import { spoken, validSet } from "./valid-set.ts";

/** What is found where one proposal is scored and another has not ended; only place and end matter here. */
function findings(endAt: string | null) {
  const member = { id: "0x1", place: "MEMBER", end_at: endAt };
  const other = { id: "0x2", place: "NOT_ENDED", end_at: null };
  const evidence = { evidence: { space_id: "orchard" }, proposals: [member, other] };
  return checkFrame(evidence as unknown as PublishedEvidence, timestampOf(AS_OF_MS));
}

describe("checkFrame", () => {
  it.each([
    { why: "ended at the very moment", endAt: timestampOf(AS_OF_MS), want: [] },
    { why: "ends a millisecond later", endAt: timestampOf(AS_OF_MS + 1), want: ["FRAME_FROM_FUTURE"] },
    { why: "ends nobody knows when", endAt: null, want: ["FRAME_FROM_FUTURE"] },
  ])("the frame: a proposal in it $why", ({ endAt, want }) => {
    expect(findings(endAt).map(({ code }) => code)).toEqual(want);
  });

  it("says which one, and no look lets it pass", () => {
    expect(spoken(applyOverrides(findings(null), GATE_OVERRIDES))).toEqual([
      "refuse FRAME_FROM_FUTURE proposals/orchard.ndjson: 0x1 is scored before it ended",
    ]);
  });
});

const rows = (taken: number, rejected: number, spaceId = "orchard") => ({ spaceId, taken, rejected });
type Rows = readonly ReturnType<typeof rows>[];

const ALL_AND_ONE = ["all", "orchard"];
const whose = (now: Rows, before: Rows) =>
  checkRejectedRows(now, before).map(({ spaceId }) => spaceId ?? "all");

describe("checkRejectedRows", () => {
  it.each<{ why: string; now: Rows; before?: Rows; want: string[] }>([
    { why: "nothing was fetched", now: [], want: [] },
    { why: "nothing was refused", now: [rows(1000, 0)], want: [] },
    { why: "exactly a twentieth", now: [rows(1900, 100)], want: [] },
    { why: "a row more than a twentieth", now: [rows(1899, 101)], want: ALL_AND_ONE },
    { why: "few rows, whatever their share", now: [rows(0, 99)], want: [] },
    { why: "all rows of a fetch", now: [rows(0, 100)], want: ALL_AND_ONE },
    { why: "as many as before, which was looked at", now: [rows(0, 100)], before: [rows(0, 100)], want: [] },
    {
      why: "a point more than before",
      now: [rows(890, 110)],
      before: [rows(900, 100)],
      want: [],
    },
    {
      why: "over a point more than before",
      now: [rows(889, 111)],
      before: [rows(900, 100)],
      want: ALL_AND_ONE,
    },
    { why: "less than before", now: [rows(800, 200)], before: [rows(500, 500)], want: [] },
    {
      why: "one DAO among many that are fine",
      now: [rows(0, 100), rows(100_000, 0, "tidewater")],
      want: ["orchard"],
    },
    {
      why: "many DAOs, each with too few to name",
      now: Array.from({ length: 10 }, (_, index) => rows(10, 10, `dao-${index}`)),
      want: ["all"],
    },
    {
      why: "two sources of one DAO count together",
      now: [rows(0, 60), rows(0, 60)],
      want: ALL_AND_ONE,
    },
  ])("$why", ({ now, before = [], want }) => {
    expect(whose(now, before)).toEqual(want);
  });

  it("says what and where, what it was, and what is allowed", () => {
    const [finding] = checkRejectedRows([rows(300, 100)], [rows(900, 100)]);
    expect(finding).toEqual({
      code: "REJECTED_ROWS_ROSE",
      severity: "refuse",
      override: "rejected-rows",
      message: "100 of 400 rows were rejected",
      compared: { was: "10.00 %", is: "25.00 %", limit: "5 %, or 1 point above the version before" },
    });
  });
});

const MINUTE_MS = 60_000;
const NOW_MS = AS_OF_MS + 60 * MINUTE_MS;
const timeAt = (afterNowMs: number) => timestampOf(NOW_MS + afterNowMs);

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
    { why: "the last version is older", createdAt: timeAt(-MINUTE_MS), want: [] },
    { why: "the last version is of this very millisecond", createdAt: timeAt(0), want: [] },
    { why: "the last version is a millisecond younger", createdAt: timeAt(1), want: ["CLOCK_WENT_BACK"] },
    { why: "the last version is of next year", createdAt: timeAt(1e10), want: ["CLOCK_WENT_BACK"] },
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
    {
      why: "fetched a while ago",
      change: { fetchTimes: [{ what: "hub", fetchedAt: timeAt(-1) }] },
      want: [],
    },
    {
      why: "fetched by a machine whose clock is five minutes ahead",
      change: { fetchTimes: [{ what: "hub", fetchedAt: timeAt(5 * MINUTE_MS) }] },
      want: [],
    },
    {
      why: "fetched further ahead than clocks differ",
      change: { fetchTimes: [{ what: "hub", fetchedAt: timeAt(5 * MINUTE_MS + 1) }] },
      want: ["FUTURE_DATA"],
    },
  ])("the future: $why", ({ change, want }) => {
    expect(codes(change)).toEqual(want);
  });

  it("says what the clock says, and lets a look pass each", () => {
    const input = { lists: validSet(), nowMs: AS_OF_MS - 1, fetchTimes: [] };
    const findings = applyOverrides(checkTime(input, previousOf(timeAt(0))), ["clock", "future-data"]);
    expect(findings.map(({ severity, code, message }) => `${severity} ${code} ${message}`)).toEqual([
      `warn CLOCK_WENT_BACK the clock says ${timestampOf(AS_OF_MS - 1)}, but the current version was made at ${timeAt(0)}`,
      `warn FUTURE_DATA as_of is ${timestampOf(AS_OF_MS)}, but the clock says ${timestampOf(AS_OF_MS - 1)}`,
    ]);
  });
});
