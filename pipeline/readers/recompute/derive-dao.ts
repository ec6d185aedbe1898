import type { DocumentPart } from "../../../snapshots/format/agreement/disagreement.ts";
import type { HistoryPoint } from "../../../snapshots/format/dao.ts";
import { dayOf } from "../../../snapshots/format/ids.ts";
import type { DaoDocuments } from "../../../snapshots/format/published-set.ts";
import { type DaoRow, rowOf } from "../../documents/dao-row.ts";
import { evidenceOfLines } from "../../documents/read-evidence.ts";
import type { ScoredDao } from "../../documents/scored-dao.ts";
import { DAY_MS, type DailyPoint } from "../../facts/days.ts";
import { scoreMeasures } from "../../score/score-measures.ts";

/** The documents of one DAO, with the lines behind its evidence. */
export type ExplainedPart = DocumentPart & Pick<DaoDocuments, "evidence">;

/** One DAO scored again, and what the lists of its version need of it. */
export interface DerivedDao {
  readonly scored: ScoredDao;
  readonly row: DaoRow;
}

/** No document but the history says anything of a day further back than this. */
const PAST_DAYS = 40;

/**
 * A DAO scored again from its evidence and lines alone; `undefined` where it has none, or is in no list. Name and category
 * are facts of the registry: taken as published.
 */
export function deriveDao(part: ExplainedPart): DerivedDao | undefined {
  const { spaceId, asOf, listed, unscored, histories, risks } = part;
  const [published] = part.evidence;
  const named = listed?.summary ?? unscored;
  if (published === undefined || named === undefined) return undefined;
  const evidence = evidenceOfLines(published.evidence, published.proposals);
  const since = dayOf(Date.parse(asOf) - PAST_DAYS * DAY_MS);
  const scored: ScoredDao = {
    dao: { spaceId, name: named.name, category: named.category, governor: undefined },
    current: scoreMeasures(evidence.measures),
    evidence,
    points: (histories[0]?.points ?? []).filter(({ date }) => date >= since).map(pointOf),
    trend: risks[0]?.trend ?? "stable",
    // In no evidence.
    entities: [],
    gvsDayBefore: undefined,
    latestDelegates: undefined,
    datedDelegates: [],
  };
  return { scored, row: rowOf(scored) };
}

/** A published point as the pipeline has it; rounding it again changes nothing. */
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
