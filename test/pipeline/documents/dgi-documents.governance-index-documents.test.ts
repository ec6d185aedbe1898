import { describe, expect, it } from "vitest";
import { buildDgi, buildDgiHistory } from "../../../pipeline/documents/dgi-documents.ts";
import type { CurrentIndex, GovernanceIndex } from "../../../pipeline/score/ranking/governance-index.ts";
import { dayEndMs, dayOf } from "../../../snapshots/format/ids.ts";
import { AS_OF_MS, DAY_MS } from "./scored-daos.ts";

const ends = (low: number, high: number) => ({ low, high });

const indexAt = (asOfMs: number): CurrentIndex => ({
  asOfMs,
  composite: 5.125_1,
  components: { hpr: 1.004, dei: 2, pdi: 3.3333, gpi: 9.999 },
  daoCount: 5,
  gvsEnds: [4.125_1, 6],
  ends: {
    gvs: ends(4.125_1, 6),
    hpr: ends(1, 2),
    dei: ends(0, 10),
    pdi: ends(3.3333, 4),
    gpi: ends(9, 9.999),
  },
});

const ROUNDED = { hpr: 1, dei: 2, pdi: 3.33, gpi: 10 };

describe("buildDgi", () => {
  it("rounds the index and its ends, and names its moment", () => {
    expect(buildDgi(indexAt(AS_OF_MS))).toEqual({
      composite: 5.13,
      components: ROUNDED,
      dao_count: 5,
      calculated_at: "2026-03-31T23:59:59.999Z",
      interval: { composite: [4.13, 6], hpr: [1, 2], dei: [0, 10], pdi: [3.33, 4], gpi: [9, 10] },
    });
  });

  it("makes no document where there is no index", () => {
    expect(buildDgi(undefined)).toBeUndefined();
  });
});

describe("buildDgiHistory", () => {
  const daysOf = (days: readonly string[], asOfMs: number, index?: GovernanceIndex) =>
    buildDgiHistory(
      asOfMs,
      index,
      days.map((day) => indexAt(dayEndMs(day))),
    )?.values.map(({ date }) => date);

  it.each<{
    why: string;
    days: string[];
    asOfMs: number;
    index?: GovernanceIndex;
    want: string[] | undefined;
  }>([
    { why: "there never was an index", days: [], asOfMs: AS_OF_MS, want: undefined },
    {
      why: "there is one for the first time",
      days: [],
      asOfMs: AS_OF_MS,
      index: indexAt(AS_OF_MS),
      want: [],
    },
    { why: "there was one, but is not now", days: ["2026-03-31"], asOfMs: AS_OF_MS, want: ["2026-03-31"] },
    {
      why: "the 365th day back is in, the 366th is not",
      days: ["2025-03-31", "2025-04-01", "2026-03-31"],
      asOfMs: AS_OF_MS,
      want: ["2025-04-01", "2026-03-31"],
    },
    {
      why: "the day of as_of has not ended a millisecond earlier",
      days: ["2025-03-31", "2026-03-30", "2026-03-31"],
      asOfMs: AS_OF_MS - 1,
      want: ["2025-03-31", "2026-03-30"],
    },
    {
      why: "a gap stays a gap",
      days: ["2026-03-28", "2026-03-31"],
      asOfMs: AS_OF_MS,
      want: ["2026-03-28", "2026-03-31"],
    },
    { why: "only old points", days: ["2020-01-01"], asOfMs: AS_OF_MS, want: undefined },
  ])("$why", ({ days, asOfMs, index, want }) => {
    expect(daysOf(days, asOfMs, index)).toEqual(want);
  });

  it("is the history of 365d, rounded; a day of which a member's ends are not known has no interval", () => {
    const yesterday = AS_OF_MS - DAY_MS;
    const before = { ...indexAt(yesterday - DAY_MS), gvsEnds: undefined };
    expect(buildDgiHistory(AS_OF_MS, undefined, [before, indexAt(yesterday)])).toEqual({
      period: "365d",
      values: [
        { date: dayOf(yesterday - DAY_MS), composite: 5.13, components: ROUNDED },
        { date: dayOf(yesterday), composite: 5.13, components: ROUNDED, interval: [4.13, 6] },
      ],
    });
  });
});
