import { describe, expect, it } from "vitest";
import { checkFrame, checkRejectedRows, checkTime } from "../../../pipeline/gate/check-fetches.ts";
import type { FetchedRows } from "../../../pipeline/gate/gate-input.ts";
import { timestampOf } from "../../../snapshots/format/ids.ts";
import type { PublishedEvidence } from "../../../snapshots/format/published-set.ts";
import { AS_OF_MS } from "../documents/scored-daos.ts";
import { previousVersion, spoken, validSet } from "./valid-set.ts";

describe("checkFrame", () => {
  const future = ["refuse FRAME_FROM_FUTURE proposals/orchard.ndjson: 0x1 is scored before it ended"];
  it.each<[why: string, endAt: string | null, want: string[]]>([
    ["ended at the very moment", timestampOf(AS_OF_MS), []],
    ["ends a millisecond later", timestampOf(AS_OF_MS + 1), future],
    ["has no known end", null, future],
  ])("the frame: a proposal in it %s", (_, endAt, want) => {
    const member = { id: "0x1", place: "MEMBER", end_at: endAt };
    const other = { id: "0x2", place: "NOT_ENDED", end_at: null };
    // Only place and end matter here.
    const evidence = { evidence: { space_id: "orchard" }, proposals: [member, other] };
    expect(spoken(checkFrame(evidence as unknown as PublishedEvidence, timestampOf(AS_OF_MS)))).toEqual(want);
  });
});

const rows = (taken: number, rejected: number, spaceId = "orchard"): FetchedRows => ({
  spaceId,
  taken,
  rejected,
});

describe("checkRejectedRows", () => {
  const both = ["all", "orchard"];
  it.each<[why: string, now: FetchedRows[], before: FetchedRows[], want: string[]]>([
    ["nothing was fetched", [], [], []],
    ["nothing was rejected", [rows(1000, 0)], [], []],
    ["exactly a twentieth", [rows(1900, 100)], [], []],
    ["a row more than a twentieth", [rows(1899, 101)], [], both],
    ["few rows, whatever their share", [rows(0, 99)], [], []],
    ["all rows of a fetch", [rows(0, 100)], [], both],
    ["as many as before", [rows(0, 100)], [rows(0, 100)], []],
    ["a point more than before", [rows(890, 110)], [rows(900, 100)], []],
    ["over a point more than before", [rows(889, 111)], [rows(900, 100)], both],
    ["less than before", [rows(800, 200)], [rows(500, 500)], []],
    ["one DAO among many that are fine", [rows(0, 100), rows(100_000, 0, "tidewater")], [], ["orchard"]],
    [
      "many DAOs with few rows each",
      Array.from({ length: 10 }, (_, at) => rows(10, 10, `dao-${at}`)),
      [],
      ["all"],
    ],
    ["two sources of one DAO, which count together", [rows(0, 60), rows(0, 60)], [], both],
  ])("%s", (_, now, before, want) => {
    const found = checkRejectedRows(now, before);
    expect(found.map(({ spaceId }) => spaceId ?? "all")).toEqual(want);
    expect(found.filter(({ code }) => code !== "REJECTED_ROWS_ROSE")).toEqual([]);
  });

  it("names what was and is rejected, and what is allowed", () => {
    expect(checkRejectedRows([rows(300, 100)], [rows(900, 100)])[0]).toEqual({
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
const fetchedAt = (afterNowMs: number) => ({ fetchTimes: [{ what: "hub", fetchedAt: timeAt(afterNowMs) }] });

describe("checkTime", () => {
  type TimeInput = Parameters<typeof checkTime>[0];
  it.each<[why: string, change: Partial<TimeInput>, createdAt: string | undefined, want: string[]]>([
    ["there was no version before", {}, undefined, []],
    ["the last version is older", {}, timeAt(-MINUTE_MS), []],
    ["the last version is of this very millisecond", {}, timeAt(0), []],
    ["the last version is a millisecond younger", {}, timeAt(1), ["CLOCK_WENT_BACK"]],
    ["as_of is now", { nowMs: AS_OF_MS }, undefined, []],
    ["as_of is a millisecond ahead", { nowMs: AS_OF_MS - 1 }, undefined, ["FUTURE_DATA"]],
    ["fetched a while ago", fetchedAt(-1), undefined, []],
    ["fetched by a machine whose clock is five minutes ahead", fetchedAt(5 * MINUTE_MS), undefined, []],
    ["fetched further ahead than clocks differ", fetchedAt(5 * MINUTE_MS + 1), undefined, ["FUTURE_DATA"]],
  ])("%s", (_, change, createdAt, want) => {
    const input = { lists: validSet(), nowMs: NOW_MS, fetchTimes: [], ...change };
    const previous = createdAt === undefined ? undefined : previousVersion({ createdAt });
    expect(checkTime(input, previous).map(({ code }) => code)).toEqual(want);
  });

  it("names both times", () => {
    const input = { lists: validSet(), nowMs: AS_OF_MS - 1, fetchTimes: [] };
    const was = timeAt(0);
    const is = timestampOf(AS_OF_MS - 1);
    expect(checkTime(input, previousVersion({ createdAt: was })).map(({ compared }) => compared)).toEqual([
      { was, is, limit: `not before ${was}` },
      { is: timestampOf(AS_OF_MS), limit: `not after ${is}` },
    ]);
  });
});
