import type { Evidence, WholeMeasures } from "../../snapshots/format/evidence.ts";
import { timestampOf } from "../../snapshots/format/ids.ts";
import type { DaoEvidence } from "../score/dao-evidence.ts";
import type { FreezePoint } from "../score/governance-index.ts";
import type { DaoMeasures } from "../score/method/measures.ts";

/** What follows from the lines of the proposals. */
export type FrameMeasures = Pick<
  DaoMeasures,
  "members" | "missing" | "attended" | "eligibleCount" | "excluded"
>;

const known = <Value>(value: Value | undefined): Value | null => value ?? null;
const found = <Value>(value: Value | null): Value | undefined => value ?? undefined;

/** What is measured of the whole DAO, as it is published. */
export function buildWholeMeasures(
  { measures, clusters }: DaoEvidence,
  freezePoint: FreezePoint,
): WholeMeasures {
  const { guardrails, delegation } = measures;
  return {
    is_fetched: measures.isFetched,
    freshness: measures.freshness,
    expected_heads: measures.expectedHeads,
    is_coordination_assessed: measures.isCoordinationAssessed,
    clusters: clusters.clusters,
    clustered_wallets: clusters.wallets,
    active_voters: known(measures.activeVoterCount),
    effective_proposers: known(measures.effectiveProposers),
    guardrails: {
      is_proposing_gated: known(guardrails.isProposingGated),
      has_fixed_period: known(guardrails.hasFixedPeriod),
      quorum: known(guardrails.quorum),
      guardians: known(guardrails.guardiansCount),
    },
    delegation:
      delegation === undefined
        ? null
        : { hhi_points: delegation.hhiPoints, as_of: timestampOf(delegation.asOfMs) },
    index_freeze:
      freezePoint === undefined
        ? null
        : { attention_sum: freezePoint.attentionSum, completeness_pct: freezePoint.completenessPct },
  };
}

/** The same, read back from the evidence that it was published with. */
export function readWholeMeasures({
  space_id: spaceId,
  as_of: asOf,
  measures,
}: Evidence): Omit<DaoMeasures, keyof FrameMeasures> {
  const { guardrails, delegation } = measures;
  return {
    spaceId,
    asOfMs: Date.parse(asOf),
    isFetched: measures.is_fetched,
    freshness: measures.freshness,
    expectedHeads: measures.expected_heads,
    isCoordinationAssessed: measures.is_coordination_assessed,
    activeVoterCount: found(measures.active_voters),
    effectiveProposers: found(measures.effective_proposers),
    guardrails: {
      isProposingGated: found(guardrails.is_proposing_gated),
      hasFixedPeriod: found(guardrails.has_fixed_period),
      quorum: found(guardrails.quorum),
      guardiansCount: found(guardrails.guardians),
    },
    delegation:
      delegation === null
        ? undefined
        : { hhiPoints: delegation.hhi_points, asOfMs: Date.parse(delegation.as_of) },
  };
}

/** What the DAO had on the day on which the index chose its members. */
export function readFreezePoint({ measures: { index_freeze: point } }: Evidence): FreezePoint {
  return point === null
    ? undefined
    : { attentionSum: point.attention_sum, completenessPct: point.completeness_pct };
}
