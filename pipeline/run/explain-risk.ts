import { riskLevelOf } from "../../snapshots/format/cuts.ts";
import type { Evidence } from "../../snapshots/format/evidence.ts";
import { RISK_DECIMALS, roundTo } from "../../snapshots/format/numbers.ts";
import { type ExplainedScore, explainOutcome } from "./explain-scores.ts";

/** Risk as the largest of three numbers, or why it is not assessed. */
export type ExplainedRisk =
  | {
      readonly kind: "risk";
      readonly score: number;
      readonly level: string;
      /** What it is the largest of, the one that decides first. */
      readonly sources: readonly { readonly name: string; readonly points: number }[];
      readonly factors: readonly { readonly name: string; readonly value: string }[];
    }
  | { readonly kind: "gap"; readonly why: ExplainedScore };

/** What the risk of a DAO is made of. */
export function explainRisk({ risk }: Evidence): ExplainedRisk {
  if ("gap" in risk) return { kind: "gap", why: explainOutcome(risk) };
  return {
    kind: "risk",
    score: risk.score,
    level: riskLevelOf(roundTo(risk.score, RISK_DECIMALS)),
    sources: [
      { name: "the four components", points: risk.base },
      { name: "one head decides alone", points: risk.dominance_floor },
      { name: "few active voters", points: risk.smallness_floor },
    ].toSorted((a, b) => b.points - a.points),
    factors: [
      { name: "capture", value: risk.governance_capture_risk },
      { name: "power of the top four", value: `${risk.whale_control_pct.toFixed(1)} %` },
      { name: "active voters of 90 days", value: String(risk.active_voter_count) },
      { name: "delegated power", value: risk.delegate_centralization },
      {
        name: "proposals a month",
        value: `${risk.proposals_per_month.toFixed(1)} (${risk.proposal_velocity.replaceAll("_", " ")})`,
      },
      { name: "votes cast in one sitting", value: `${risk.checkpoint_voting_pct.toFixed(1)} %` },
    ],
  };
}
