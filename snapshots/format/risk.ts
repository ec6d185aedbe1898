import { z } from "zod";
import { SpaceId, Timestamp } from "./ids.ts";
import { Count, Percent, RiskScore } from "./numbers.ts";
import { DELEGATE_CENTRALIZATIONS, PROPOSAL_VELOCITIES, RISK_LEVELS, TRENDS } from "./value-sets.ts";

/** `risk/<space_id>.json`: the risk assessment of one DAO. */
export const RiskAssessment = z.strictObject({
  space_id: SpaceId,
  risk_score: RiskScore,
  risk_level: z.enum(RISK_LEVELS),
  factors: z.strictObject({
    governance_capture_risk: z.enum(RISK_LEVELS),
    whale_control_pct: Percent,
    active_voter_count: Count,
    delegate_centralization: z.enum(DELEGATE_CENTRALIZATIONS),
    proposal_velocity: z.enum(PROPOSAL_VELOCITIES),
    checkpoint_voting_pct: Percent,
  }),
  trend: z.enum(TRENDS),
  assessed_at: Timestamp,
});
export type RiskAssessment = z.infer<typeof RiskAssessment>;
