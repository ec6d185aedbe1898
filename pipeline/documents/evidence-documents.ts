import type { Evidence } from "../../snapshots/format/evidence.ts";
import { linesDigest, measuresDigest } from "../../snapshots/format/evidence-digests.ts";
import { timestampOf } from "../../snapshots/format/ids.ts";
import type { PublishedEvidence } from "../../snapshots/format/published-set.ts";
import type { DaoEvidence } from "../score/dao-evidence.ts";
import { type FreezePoint, freezeDayOf, isIndexMember } from "../score/governance-index.ts";
import { METHODOLOGY } from "../score/methodology.ts";
import type { Uncertainty } from "../score/uncertainty.ts";
import { buildDiagnostics } from "./evidence-diagnostics.ts";
import { buildComponents, buildRisk, outcomeOf } from "./evidence-scores.ts";
import { notAssessed } from "./not-assessed.ts";
import { buildProposalLine, totalsOf } from "./proposal-lines.ts";
import { buildWholeMeasures } from "./whole-measures.ts";

const known = <Value>(value: Value | undefined): Value | null => value ?? null;

/** How many proposals are left out for each reason, by reason. */
function countExcluded({ measures }: DaoEvidence): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { reason } of measures.excluded) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function buildFrame(evidence: DaoEvidence): Evidence["frame"] {
  const { measures, scored, proposals } = evidence;
  return {
    known: proposals.length,
    members: measures.members.length,
    missing: measures.missing.length,
    attended: measures.attended.length,
    eligible: measures.eligibleCount,
    attention_sum: scored.attentionSum,
    effective_proposals: scored.effectiveProposals,
    evidence_share: scored.evidenceShare,
    heads_mean: scored.participation.headsMean,
    unclustered_heads_mean: scored.participation.unclusteredMean,
    excluded: countExcluded(evidence),
  };
}

function buildCompleteness({ scored }: DaoEvidence): Evidence["completeness"] {
  const { weights } = METHODOLOGY.completeness;
  const { pct, parts } = scored.completeness;
  const ids = Object.keys(weights) as (keyof typeof weights)[];
  return {
    pct: known(pct),
    parts: ids.map((id) => ({ id, value: known(parts[id]), weight: weights[id] })),
  };
}

function buildUncertainty(uncertainty: Uncertainty | undefined): Evidence["uncertainty"] {
  if (uncertainty === undefined) return null;
  const { kept, gvs, components, rank, sensitivity } = uncertainty;
  return {
    resamples: METHODOLOGY.uncertainty.resamples,
    kept,
    gvs,
    components,
    rank,
    weights: [...sensitivity],
  };
}

/** What the evidence of one DAO cannot say of itself. */
export interface EvidenceSurroundings {
  /** Its places among other DAOs are in it. */
  readonly uncertainty: Uncertainty | undefined;
  readonly freezePoint: FreezePoint;
}

/** The evidence of one DAO, scored or not, and the lines that it rests on. */
export function buildEvidence(
  evidence: DaoEvidence,
  { uncertainty, freezePoint }: EvidenceSurroundings,
): PublishedEvidence {
  const { measures, scored } = evidence;
  const proposals = evidence.proposals.map(buildProposalLine);
  const identity = {
    space_id: measures.spaceId,
    as_of: timestampOf(measures.asOfMs),
    methodology_version: METHODOLOGY.version,
    measures: buildWholeMeasures(evidence, freezePoint),
  };
  return {
    proposals,
    evidence: {
      ...identity,
      frame: buildFrame(evidence),
      components: buildComponents(evidence),
      gvs: outcomeOf(scored.gvs),
      gvs_confidence: scored.confidence,
      risk: buildRisk(scored.risk),
      completeness: buildCompleteness(evidence),
      index: { freeze_day: freezeDayOf(measures.asOfMs), is_member: isIndexMember(freezePoint) },
      diagnostics: buildDiagnostics(proposals),
      uncertainty: buildUncertainty(uncertainty),
      not_assessed: notAssessed(evidence),
      totals: totalsOf(proposals),
      measures_sha256: measuresDigest(identity),
      lines_sha256: linesDigest(proposals),
    },
  };
}
