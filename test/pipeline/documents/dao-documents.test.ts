import { describe, expect, it } from "vitest";
import {
  buildDaoDetail,
  buildDaoHistory,
  buildRiskAssessment,
} from "../../../pipeline/documents/dao-documents.ts";
import { METHODOLOGY } from "../../../pipeline/score/method/methodology.ts";
import type { UnscoredReason } from "../../../pipeline/score/score-measures.ts";
import { AS_OF_MS, type DaoOptions, pointsOf, riskOf, scoredDao } from "./scored-daos.ts";

const detailOf = (options: DaoOptions) => buildDaoDetail(scoredDao(options));

describe("buildDaoDetail", () => {
  it.each<
    [why: string, hpr: number | [low: number, point: number, high: number], score: number, label: string]
  >([
    ["the lowest", 0, 0, "Critical"],
    ["rounded up to a cut", 7.995000001, 8, "Excellent"],
    ["rounded down below a cut", 7.994, 7.99, "Strong"],
    ["on a cut", 4, 4, "Moderate"],
    ["just below a cut", 1.994, 1.99, "Critical"],
    ["rounded up to the lowest cut", 1.996, 2, "Weak"],
    ["the highest", 10, 10, "Excellent"],
    ["of an interval the number nearest to 5: no praise", [5, 7, 10], 7, "Moderate"],
    ["no blame either", [0, 1, 6], 1, "Moderate"],
    ["at least so good, once rounded", [7.996, 9, 10], 9, "Excellent"],
  ])("labels the rounded score: %s", (_, given, score, label) => {
    const [low, point, high] = typeof given === "number" ? [given, given, given] : given;
    expect(detailOf({ components: { hpr: { low, point, high } } }).components.hpr).toEqual({ score, label });
  });

  it.each<
    [
      why: string,
      days: Record<string, number | UnscoredReason>,
      asOfMs: number,
      values: Record<string, number>,
    ]
  >([
    ["no day has a score", { "2026-03-31": "TOO_LITTLE_KNOWN" }, AS_OF_MS, {}],
    [
      "days without a score are left out",
      { "2026-03-29": 1, "2026-03-30": "NO_PROPOSALS", "2026-03-31": 3 },
      AS_OF_MS,
      { "2026-03-29": 1, "2026-03-31": 3 },
    ],
    [
      "the 30th day back is in, the 31st is not",
      { "2026-03-01": 1, "2026-03-02": 2 },
      AS_OF_MS,
      { "2026-03-02": 2 },
    ],
    ["values are rounded", { "2026-03-31": 3.126 }, AS_OF_MS, { "2026-03-31": 3.13 }],
    [
      "the running day is left out",
      { "2026-03-29": 1, "2026-03-30": 2, "2026-03-31": 3 },
      AS_OF_MS - 1,
      { "2026-03-29": 1, "2026-03-30": 2 },
    ],
  ])("gvs_30d: %s", (_, days, asOfMs, values) => {
    const { history, gvs_30d_dates } = detailOf({ asOfMs, points: pointsOf("orchard", days) });
    expect(history).toEqual({ gvs_30d: Object.values(values), interval: "daily" });
    expect(gvs_30d_dates).toEqual(Object.keys(values));
  });
});

describe("buildDaoHistory", () => {
  it("holds the day ends that have a gvs, rounded, with their method; no risk where there is none", () => {
    const points = pointsOf("orchard", {
      "2026-03-29": 1.239,
      "2026-03-30": "TOO_LITTLE_KNOWN",
      "2026-03-31": 2,
    });
    const [first, last] = points;
    if (first === undefined || last === undefined) throw new Error("two days have a score");
    const riskless = { ...last, riskScore: undefined };
    const point = (gvs: number) => ({
      methodology_version: METHODOLOGY.version,
      gvs,
      components: { hpr: gvs, dei: gvs, pdi: gvs, gpi: gvs },
      data_completeness: 97.5,
      index_weight: 1,
    });
    // A DAO without a score now keeps its past.
    expect(buildDaoHistory(scoredDao({ unscored: "TOO_LITTLE_KNOWN", points: [first, riskless] }))).toEqual({
      space_id: "orchard",
      points: [
        { date: "2026-03-29", ...point(1.24), risk_score: 41.5 },
        { date: "2026-03-31", ...point(2) },
      ],
    });
    expect(buildDaoHistory(scoredDao())).toBeUndefined();
  });
});

describe("buildRiskAssessment", () => {
  it.each<[why: string, score: number, rounded: number, level: string]>([
    ["none at all", 0, 0, "low"],
    ["just below a cut", 24.949, 24.9, "low"],
    ["rounded up to a cut", 24.96, 25, "moderate"],
    ["on a cut", 50, 50, "high"],
    ["rounded up to the last cut", 74.951, 75, "critical"],
    ["all of it", 100, 100, "critical"],
  ])("takes the level from the rounded score: %s", (_, score, rounded, level) => {
    const document = buildRiskAssessment(scoredDao({ risk: riskOf(score), trend: "declining" }));
    expect(document).toEqual({
      space_id: "orchard",
      risk_score: rounded,
      risk_level: level,
      factors: {
        governance_capture_risk: "high",
        whale_control_pct: 61.02,
        active_voter_count: 208,
        delegate_centralization: "moderate",
        proposal_velocity: "low",
        checkpoint_voting_pct: 3.1,
      },
      trend: "declining",
      assessed_at: "2026-03-31T23:59:59.999Z",
    });
  });

  it("has null for unknown factors, and is no document without power on any ballot", () => {
    const risk = { ...riskOf(1), activeVoterCount: undefined, checkpointVotingPct: undefined };
    expect(buildRiskAssessment(scoredDao({ risk }))?.factors).toMatchObject({
      active_voter_count: null,
      checkpoint_voting_pct: null,
    });
    expect(buildRiskAssessment(scoredDao({ risk: undefined }))).toBeUndefined();
  });
});
