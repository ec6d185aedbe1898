import { DAY_MS } from "../../snapshots/base/days.ts";
import type { DocumentPart } from "../../snapshots/format/agreement/disagreement.ts";
import type { HistoryPoint } from "../../snapshots/format/dao.ts";
import { dayEndMs, dayOf } from "../../snapshots/format/ids.ts";
import type { DaoDocuments } from "../../snapshots/format/published-set.ts";
import { type DaoRow, rowOf } from "../documents/dao-row.ts";
import { evidenceOfLines } from "../documents/read-evidence.ts";
import type { ScoredDao } from "../documents/scored-dao.ts";
import type { DailyPoint } from "../facts/days.ts";
import { scoreMeasures } from "../score/score-measures.ts";

export type ExplainedPart = DocumentPart & Pick<DaoDocuments, "evidence" | "emptyFrames">;

export interface DerivedDao {
  readonly scored: ScoredDao;
  readonly row: DaoRow;
}

/** Only the history has data older than this. */
const PAST_DAYS = 40;

/** What a DAO's documents are derived from again; `undefined` if it has none of it. */
function evidenceIn({ asOf, unscored, evidence: [published], emptyFrames: [empty] }: ExplainedPart) {
  if (published !== undefined) return evidenceOfLines(published.evidence, published.proposals);
  const frame = unscored?.empty_frame;
  if (unscored === undefined || frame === undefined || empty === undefined) return undefined;
  return evidenceOfLines({ space_id: unscored.space_id, as_of: asOf, ...frame }, empty.proposals);
}

/** Recomputes a DAO from its evidence and lines, and copies its name; `undefined` if it has none, or is in no list. */
export function deriveDao(part: ExplainedPart): DerivedDao | undefined {
  const { spaceId, asOf, listed, unscored, histories, risks } = part;
  const evidence = evidenceIn(part);
  const named = listed?.summary ?? unscored;
  if (evidence === undefined || named === undefined) return undefined;
  const since = dayOf(Date.parse(asOf) - PAST_DAYS * DAY_MS);
  const scored: ScoredDao = {
    dao: { spaceId, name: named.name, category: named.category, governor: undefined },
    current: scoreMeasures(evidence.measures),
    evidence,
    points: (histories[0]?.points ?? []).filter(({ date }) => date >= since).map(pointOf),
    trend: risks[0]?.trend ?? "stable",
    // Not in the evidence.
    entities: [],
    otherEntities: undefined,
    gvsDayBefore: undefined,
    latestDelegates: undefined,
    datedDelegates: [],
  };
  return { scored, row: rowOf(scored) };
}

export function isDayEnd(asOf: string): boolean {
  return Date.parse(asOf) === dayEndMs(asOf.slice(0, 10));
}

/** A published point in the pipeline's form; rounding it again changes nothing. */
function pointOf(point: HistoryPoint): DailyPoint {
  return {
    date: point.date,
    methodologyVersion: point.methodology_version,
    gvs: point.gvs,
    components: point.components,
    riskScore: point.risk_score,
    completenessPct: point.data_completeness,
    indexWeight: point.index_weight,
  };
}
