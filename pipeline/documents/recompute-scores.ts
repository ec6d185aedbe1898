import type { Evidence } from "../../snapshots/format/evidence.ts";
import { PATHS } from "../../snapshots/format/paths.ts";
import type { ProposalLine } from "../../snapshots/format/proposal-line.ts";
import type { PublishedEvidence } from "../../snapshots/format/published-set.ts";
import type { DaoEvidence } from "../score/dao-evidence.ts";
import { assessUncertainty, type Uncertainty } from "../score/uncertainty.ts";
import { type Difference, differencesOf } from "./differences.ts";
import { buildEvidence } from "./evidence-documents.ts";
import { evidenceOfLines } from "./evidence-of-lines.ts";
import { readFreezePoint } from "./whole-measures.ts";

function differencesFrom(
  { evidence, proposals }: PublishedEvidence,
  derived: DaoEvidence,
  uncertainty: Uncertainty | undefined,
): readonly Difference[] {
  const rebuilt = buildEvidence(derived, { uncertainty, freezePoint: readFreezePoint(evidence) });
  const linesPath = PATHS.proposals(evidence.space_id);
  return [
    ...differencesOf(PATHS.evidence(evidence.space_id), evidence, rebuilt.evidence),
    ...differencesOf(linesPath, proposals, rebuilt.proposals),
  ];
}

/** Its places among others are taken as they are published: one DAO alone cannot say them. */
function withPublishedPlaces(
  own: Uncertainty | undefined,
  published: Evidence["uncertainty"],
): Uncertainty | undefined {
  if (own === undefined || published === null) return own;
  return { ...own, rank: published.rank, sensitivity: published.weights };
}

/**
 * Derives everything published of one DAO again from its published evidence and lines alone, and lists every
 * difference; none is the only pass. Ranks among other DAOs need `recomputeAllScores`.
 */
export function recomputeScores(evidence: Evidence, lines: readonly ProposalLine[]): readonly Difference[] {
  const derived = evidenceOfLines(evidence, lines);
  const own = assessUncertainty([derived]).get(evidence.space_id);
  const published = { evidence, proposals: lines };
  return differencesFrom(published, derived, withPublishedPlaces(own, evidence.uncertainty));
}

/** What `derived` has of every DAO, in their order: `evidenceOfLines` of each. */
export function deriveAll(all: readonly PublishedEvidence[]): readonly DaoEvidence[] {
  return all.map(({ evidence, proposals }) => evidenceOfLines(evidence, proposals));
}

/** The same of every DAO of a version, with the places that each takes among the others. */
export function recomputeAllScores(
  all: readonly PublishedEvidence[],
  derived: readonly DaoEvidence[] = deriveAll(all),
): readonly Difference[] {
  const uncertainty = assessUncertainty(derived);
  return all.flatMap((published, place) => {
    const own = derived[place];
    if (own === undefined) return [];
    return differencesFrom(published, own, uncertainty.get(own.measures.spaceId));
  });
}
