import type { DaoSummary } from "../../../snapshots/format/dao.ts";
import type { Evidence } from "../../../snapshots/format/evidence.ts";
import type { HistoryPoint } from "../../../snapshots/format/history.ts";
import { dayEndMs } from "../../../snapshots/format/ids.ts";
import type { RiskAssessment } from "../../../snapshots/format/risk.ts";
import { COMPONENT_KEYS } from "../../../snapshots/format/value-sets.ts";

/** What a version says of one DAO's scores. */
export interface PublishedScores {
  readonly evidence: Evidence;
  /** Of scored DAOs only, as the next one. */
  readonly summary: DaoSummary | undefined;
  readonly assessment: RiskAssessment | undefined;
  readonly points: readonly HistoryPoint[];
}

function currentRecord({ evidence, summary, assessment }: PublishedScores): object {
  const { delegation } = evidence.measures;
  return {
    ...evidence,
    point: "current",
    as_of_ms: Date.parse(evidence.as_of),
    delegation_as_of_ms: delegation === null ? null : Date.parse(delegation.as_of),
    completenessParts: Object.fromEntries(evidence.completeness.parts.map(({ id, value }) => [id, value])),
    assessment,
    summary,
  };
}

function dayRecord(spaceId: string, point: HistoryPoint): object {
  const { date, methodology_version, gvs, components, risk_score, data_completeness, attention_sum } = point;
  return {
    space_id: spaceId,
    point: "day",
    date,
    as_of_ms: dayEndMs(date),
    methodology_version,
    gvs: { points: gvs },
    components: Object.fromEntries(
      COMPONENT_KEYS.map((key) => [key, { after: { points: components[key] } }]),
    ),
    risk: { score: risk_score },
    completeness: { pct: data_completeness },
    frame: { attention_sum },
  };
}

/** The rows of `scores` of one DAO: as of the version, then by day. */
export function* scoreRecords(scores: PublishedScores): Generator<object> {
  yield currentRecord(scores);
  for (const point of scores.points) yield dayRecord(scores.evidence.space_id, point);
}

/** The rows of `indicators` of one DAO. */
export function* indicatorRecords({ space_id, components }: Evidence): Generator<object> {
  for (const component of COMPONENT_KEYS) {
    for (const indicator of components[component].indicators) yield { space_id, component, ...indicator };
  }
}
