import { riskLevelOf } from "../../snapshots/format/cuts.ts";
import { timestampOf } from "../../snapshots/format/ids.ts";
import { RISK_DECIMALS, roundTo } from "../../snapshots/format/numbers.ts";
import type { RiskAssessment } from "../../snapshots/format/risk.ts";
import { published } from "./rounded-score.ts";
import type { ScoredDao } from "./scored-dao.ts";

/** `risk/<space_id>.json`; `undefined` where the risk is a gap. */
export function buildRiskAssessment({ dao, current, trend }: ScoredDao): RiskAssessment | undefined {
  const { risk } = current;
  if (risk.kind === "gap") return undefined;
  const score = roundTo(risk.score, RISK_DECIMALS);
  return {
    space_id: dao.spaceId,
    risk_score: score,
    risk_level: riskLevelOf(score),
    factors: {
      governance_capture_risk: risk.captureRisk,
      whale_control_pct: published(risk.whaleControlPct),
      active_voter_count: risk.activeVoterCount,
      delegate_centralization: risk.delegateCentralization,
      proposal_velocity: risk.proposalVelocity,
      checkpoint_voting_pct: published(risk.checkpointVotingPct),
    },
    trend,
    assessed_at: timestampOf(current.asOfMs),
  };
}
