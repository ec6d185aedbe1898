import { describe, expect, it } from "vitest";
import { buildRiskAssessment } from "../../../pipeline/documents/dao-documents.ts";
import type { Risk } from "../../../pipeline/score/components/risk.ts";
import { type DaoOptions, riskOf, scoredDao } from "./scored-daos.ts";

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
