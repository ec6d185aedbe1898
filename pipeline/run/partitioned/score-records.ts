import type { DaoSummary } from "../../../snapshots/format/dao.ts";
import type { Evidence } from "../../../snapshots/format/evidence.ts";
import type { RiskAssessment } from "../../../snapshots/format/risk.ts";
import { COMPONENT_KEYS } from "../../../snapshots/format/value-sets.ts";

/** What a version says of one DAO's scores. */
export interface PublishedScores {
  readonly evidence: Evidence;
  /** Of scored DAOs only, as the next one. */
  readonly summary: DaoSummary | undefined;
  readonly assessment: RiskAssessment | undefined;
}

/** The row of `scores` of one DAO. */
export function scoreRecord({ evidence, summary, assessment }: PublishedScores): object {
  const { delegation } = evidence.measures;
  return {
    ...evidence,
    as_of_ms: Date.parse(evidence.as_of),
    delegation_as_of_ms: delegation === null ? null : Date.parse(delegation.as_of),
    completenessParts: Object.fromEntries(evidence.completeness.parts.map(({ id, value }) => [id, value])),
    assessment,
    summary,
  };
}

/** The rows of `indicators` of one DAO. */
export function* indicatorRecords({ space_id, components }: Evidence): Generator<object> {
  for (const component of COMPONENT_KEYS) {
    for (const indicator of components[component].indicators) yield { space_id, component, ...indicator };
  }
}
