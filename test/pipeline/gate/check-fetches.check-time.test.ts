import { describe, expect, it } from "vitest";
import { checkTime } from "../../../pipeline/gate/check-fetches.ts";
import { letPass } from "../../../pipeline/gate/gate-rules.ts";
import { timestampOf } from "../../../snapshots/format/ids.ts";
import type { PublishedSet } from "../../../snapshots/format/published-set.ts";
import { AS_OF_MS } from "../documents/scored-daos.ts";
import { validSet, withListing } from "./valid-set.ts";

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
    { set: validSet(), nowMs: NOW_MS, fetchTimes: [], ...change },
    createdAt === undefined ? undefined : previousOf(createdAt),
  ).map(({ code }) => code);

/** The set with one proposal that is scored, of which only place and end matter here. */
function withEnd(endAt: string | null): PublishedSet {
  const member = { id: "0x1", place: "MEMBER", end_at: endAt };
  const other = { id: "0x2", place: "NOT_ENDED", end_at: null };
  const evidence = [{ evidence: { space_id: "orchard" }, proposals: [member, other] }];
  return { ...validSet(), listings: [], evidence: evidence as unknown as PublishedSet["evidence"] };
}

const WITHOUT_LISTINGS = { ...validSet(), listings: [] };

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
    { why: "as_of is now", change: { set: WITHOUT_LISTINGS, nowMs: AS_OF_MS }, want: [] },
    {
      why: "as_of is a millisecond ahead",
      change: { set: WITHOUT_LISTINGS, nowMs: AS_OF_MS - 1 },
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
    {
      why: "a listing from tomorrow",
      change: {
        set: withListing((each) => ({ ...each, latest: { ...each.latest, fetched_at: at(86_400_000) } })),
      },
      want: ["FUTURE_DATA"],
    },
  ])("the future: $why", ({ change, want }) => {
    expect(codes(change)).toEqual(want);
  });

  it.each([
    { why: "ended at the very moment", endAt: timestampOf(AS_OF_MS), want: [] },
    { why: "ends a millisecond later", endAt: timestampOf(AS_OF_MS + 1), want: ["FRAME_FROM_FUTURE"] },
    { why: "ends nobody knows when", endAt: null, want: ["FRAME_FROM_FUTURE"] },
  ])("the frame: a proposal in it $why", ({ endAt, want }) => {
    expect(codes({ set: withEnd(endAt) })).toEqual(want);
  });

  it("says what the clock says, and lets a look pass each but the frame", () => {
    const input = { set: withEnd(null), nowMs: AS_OF_MS - 1, fetchTimes: [] };
    const findings = letPass(checkTime(input, previousOf(at(0))), ["clock", "future-data"]);
    expect(findings.map(({ severity, code, message }) => `${severity} ${code} ${message}`)).toEqual([
      expect.stringMatching(
        /^refuse FRAME_FROM_FUTURE proposals\/.+\.ndjson: 0x1 is scored before it ended$/,
      ),
      `warn CLOCK_WENT_BACK the clock says ${timestampOf(AS_OF_MS - 1)}, but the current version was made at ${at(0)}`,
      `warn FUTURE_DATA as_of is ${timestampOf(AS_OF_MS)}, but the clock says ${timestampOf(AS_OF_MS - 1)}`,
    ]);
  });
});
