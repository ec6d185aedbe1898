import { describe, expect, it } from "vitest";
import {
  buildDaoDetail,
  buildDaoHistory,
  buildRiskAssessment,
  placeDetail,
} from "../../../pipeline/documents/dao-documents.ts";
import type { Risk } from "../../../pipeline/score/components/risk.ts";
import { dailyPointOf } from "../../../pipeline/score/daily-point.ts";
import { METHODOLOGY } from "../../../pipeline/score/method/methodology.ts";
import type { UnscoredReason } from "../../../pipeline/score/score-measures.ts";
import { dayEndMs, dayOf } from "../../../snapshots/format/ids.ts";
import {
  AS_OF_MS,
  DAY_MS,
  type DaoOptions,
  daoScore,
  entityIdOf,
  pointsOf,
  riskOf,
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
    expect(detail.gvs_30d_dates).toHaveLength(want.length);
  });

  it("leaves out the running day", () => {
    const asOfMs = AS_OF_MS - 1;
    const days = [2, 1, 0].map((ago) => dayOf(AS_OF_MS - ago * DAY_MS));
    const detail = detailOf({
      current: daoScore({ asOfMs }),
      points: pointsOf("orchard", Object.fromEntries(days.map((day, index) => [day, index + 1]))),
    });
    expect(detail.history.gvs_30d).toEqual([1, 2]);
    expect(detail.gvs_30d_dates).toEqual(days.slice(0, 2));
  });
});

describe("buildDaoHistory", () => {
  it("holds the day ends that have a gvs, rounded, with their method; no risk where there is none", () => {
    const last = dailyPointOf(daoScore({ asOfMs: dayEndMs("2026-03-31"), gvs: 2, risk: undefined }));
    const points = [
      ...pointsOf("orchard", { "2026-03-29": 1.239, "2026-03-30": "TOO_LITTLE_KNOWN" }),
      ...(last === undefined ? [] : [last]),
    ];
    const same = (value: number) => ({ hpr: value, dei: value, pdi: value, gpi: value });
    expect(buildDaoHistory(scoredDao({ points }))).toEqual({
      space_id: "orchard",
      points: [
        {
          date: "2026-03-29",
          methodology_version: METHODOLOGY.version,
          gvs: 1.24,
          components: same(1.24),
          risk_score: 41.5,
          data_completeness: 97.5,
          index_weight: 1,
        },
        {
          date: "2026-03-31",
          methodology_version: METHODOLOGY.version,
          gvs: 2,
          components: same(2),
          data_completeness: 97.5,
          index_weight: 1,
        },
      ],
    });
  });

  it.each([
    { why: "no day", points: [] },
    { why: "no day with a gvs", points: pointsOf("orchard", { "2026-03-31": "NO_PROPOSALS" }) },
  ])("makes no document of $why", ({ points }) => {
    expect(buildDaoHistory(scoredDao({ points }))).toBeUndefined();
  });

  it("keeps the past of a DAO that has no score now", () => {
    const points = pointsOf("orchard", { "2026-03-30": 4 });
    expect(buildDaoHistory(scoredDao({ unscored: "TOO_LITTLE_KNOWN", points }))?.points).toHaveLength(1);
  });
});

const extreme = (score: number): Risk => ({
  ...riskOf(score),
  captureRisk: "critical",
  whaleControlPct: 99.996,
  activeVoterCount: 0,
  delegateCentralization: "unknown",
  proposalVelocity: "dormant",
  checkpointVotingPct: 0,
});

const documentOf = (options: DaoOptions) => buildRiskAssessment(scoredDao(options));

describe("buildRiskAssessment", () => {
  it.each([
    { why: "none at all", score: 0, rounded: 0, level: "low" },
    { why: "just below a cut", score: 24.949, rounded: 24.9, level: "low" },
    { why: "rounded up to a cut", score: 24.96, rounded: 25, level: "moderate" },
    { why: "on a cut", score: 50, rounded: 50, level: "high" },
    { why: "rounded up to the last cut", score: 74.951, rounded: 75, level: "critical" },
    { why: "all of it", score: 100, rounded: 100, level: "critical" },
  ])("takes the level from the rounded score: $why", ({ score, rounded, level }) => {
    const document = documentOf({ risk: extreme(score), trend: "declining" });
    expect(document).toEqual({
      space_id: "orchard",
      risk_score: rounded,
      risk_level: level,
      factors: {
        governance_capture_risk: "critical",
        whale_control_pct: 100,
        active_voter_count: 0,
        delegate_centralization: "unknown",
        proposal_velocity: "dormant",
        checkpoint_voting_pct: 0,
      },
      trend: "declining",
      assessed_at: "2026-03-31T23:59:59.999Z",
    });
  });

  it("makes no document without power on any ballot", () => {
    expect(documentOf({ risk: undefined })).toBeUndefined();
  });
});
