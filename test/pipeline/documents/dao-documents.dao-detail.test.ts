import { describe, expect, it } from "vitest";
import { buildDaoDetail, placeDetail } from "../../../pipeline/documents/dao-documents.ts";
import type { UnscoredReason } from "../../../pipeline/score/score-measures.ts";
import { dayOf } from "../../../snapshots/format/ids.ts";
import {
  AS_OF_MS,
  DAY_MS,
  type DaoOptions,
  daoScore,
  entityIdOf,
  pointsOf,
  scoredDao,
} from "./scored-daos.ts";

const detailOf = (options: DaoOptions) => buildDaoDetail(scoredDao(options));

describe("buildDaoDetail", () => {
  it("carries where the DAO stands, among all and in its category, and the entities it is given", () => {
    const entity = {
      entity_id: entityIdOf("lantern"),
      label: "Lantern Labs",
      voting_power_share_pct: 12.5,
      proposals_voted: 3,
      proposals_known: 20,
      proposals_unknown: 0,
      participation_pct: 50,
      participation_interval_pct: [50, 50] as [number, number],
    };
    const standing = { rank: 3, total: 9, categoryRank: 2, categoryTotal: 4 };
    const detail = placeDetail(detailOf({ category: "social" }), standing, [entity]);
    expect(detail.rankings).toEqual({
      overall: { rank: 3, total: 9 },
      category: { rank: 2, category: "social", total: 4 },
    });
    expect(detail.top_entities).toEqual([entity]);
  });

  it.each([
    { why: "the lowest", hpr: 0, score: 0, label: "Critical" },
    { why: "rounded up to a cut", hpr: 7.995000001, score: 8, label: "Excellent" },
    { why: "rounded down below a cut", hpr: 7.994, score: 7.99, label: "Strong" },
    { why: "on a cut", hpr: 4, score: 4, label: "Moderate" },
    { why: "just below a cut", hpr: 1.994, score: 1.99, label: "Critical" },
    { why: "rounded up to the lowest cut", hpr: 1.996, score: 2, label: "Weak" },
    { why: "the highest", hpr: 10, score: 10, label: "Excellent" },
  ])("labels the rounded score: $why", ({ hpr, score, label }) => {
    expect(detailOf({ components: { hpr } }).components.hpr).toEqual({ score, label });
  });

  it.each([
    { why: "no praise on what is unknown", hpr: { low: 5, point: 7, high: 10 }, score: 7, label: "Moderate" },
    { why: "no blame either", hpr: { low: 0, point: 1, high: 6 }, score: 1, label: "Moderate" },
    {
      why: "at least so good, once rounded",
      hpr: { low: 7.996, point: 9, high: 10 },
      score: 9,
      label: "Excellent",
    },
  ])("labels the number of its interval that is nearest to 5: $why", ({ hpr, score, label }) => {
    expect(detailOf({ components: { hpr } }).components.hpr).toEqual({ score, label });
  });

  it.each<{ why: string; days: Record<string, number | UnscoredReason>; want: number[] }>([
    { why: "no day has a score", days: { "2026-03-31": "TOO_LITTLE_KNOWN" }, want: [] },
    {
      why: "days without a score are left out",
      days: { "2026-03-29": 1, "2026-03-30": "NO_PROPOSALS", "2026-03-31": 3 },
      want: [1, 3],
    },
    {
      why: "the 30th day back is in, the 31st is not",
      days: { "2026-03-01": 1, "2026-03-02": 2, "2026-03-31": 3 },
      want: [2, 3],
    },
    { why: "values are rounded", days: { "2026-03-31": 3.126 }, want: [3.13] },
  ])("gvs_30d: $why", ({ days, want }) => {
    const detail = detailOf({ points: pointsOf("orchard", days) });
    expect(detail.history).toEqual({ gvs_30d: want, interval: "daily" });
  });

  it("leaves out the running day", () => {
    const asOfMs = AS_OF_MS - 1;
    const days = [2, 1, 0].map((ago) => dayOf(AS_OF_MS - ago * DAY_MS));
    const detail = detailOf({
      current: daoScore({ asOfMs }),
      points: pointsOf("orchard", Object.fromEntries(days.map((day, index) => [day, index + 1]))),
    });
    expect(detail.history.gvs_30d).toEqual([1, 2]);
  });
});
