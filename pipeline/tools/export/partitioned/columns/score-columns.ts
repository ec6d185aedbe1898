import { COMPONENT_KEYS } from "../../../../../snapshots/format/value-sets.ts";
import {
  CONCENTRATION_COLUMNS,
  type Column,
  column,
  measureColumns,
  nullable,
  SPACE_ID,
  text,
  textOrNull,
} from "../../../../documents/columns.ts";
import { RISK_MEASURES } from "../../../../documents/measures.ts";
import { COMPONENT_TEXTS } from "../../../../score/method/indicators.ts";

export const SCORES_COLUMNS: readonly Column[] = [
  SPACE_ID,
  column("as_of_ms", "integer", "ms", "The moment of the scores, since 1970 in UTC."),
  text("methodology_version", "The method; points of different methods are not comparable."),
  textOrNull("unscored", "Why there is only an interval and no score; null for a scored DAO."),
  ...intervalColumns("gvs", "Governance Vitality Score, 0 to 10."),
  column("known_share", "number", "share", "Share of the score that is known."),
  text("gvs_confidence", "high: at least 20 proposals; low: fewer."),
  column("presence_low", "number", "share", "How active the DAO is now: multiplies all components."),
  column("presence_high", "number", "share", "The same if proposals were missed since the last fetch."),
  ...COMPONENT_KEYS.flatMap((key) => intervalColumns(key, `${COMPONENT_TEXTS[key].title}, 0 to 10.`)),
  nullable("risk_score", "number", "points", "Risk, 0 to 100; published for scored DAOs."),
  nullable("risk_low", "number", "points", "Low end of its interval."),
  nullable("risk_high", "number", "points", "High end of its interval."),
  nullable("risk_base", "number", "points", "Risk before its floor."),
  nullable("risk_dominance_floor", "number", "points", "Minimum if one voter decides alone."),
  ...measureColumns(RISK_MEASURES),
  textOrNull("risk_level", "low, moderate, high, critical; for scored DAOs."),
  textOrNull("risk_trend", "improving: the risk falls; stable; declining: the risk rises; for scored DAOs."),
  nullable(
    "data_completeness_pct",
    "number",
    "%",
    "Share of the data reported by the source that was fetched.",
  ),
  nullable("known", "integer", "proposals", "Known proposals."),
  nullable("members", "integer", "proposals", "Proposals in the frame."),
  nullable("eligible", "integer", "proposals", "Eligible proposals."),
  nullable("frame_weight", "number", "proposals", "Total weight of the frame."),
  ...CONCENTRATION_COLUMNS,
  nullable(
    "fetched_at_ms",
    "integer",
    "ms",
    "Until when its votes are known, since 1970 in UTC: the last complete fetch, or the end of an archive's last day with votes.",
  ),
  column("author_weight", "number", "proposals", "Weight of the proposals with a known author."),
  column("author_weight_squares", "number", "", "Sum of their squared weights."),
  column("author_sum_squares", "number", "", "Sum over authors of the squared weight of their proposals."),
  nullable("active_voters", "integer", "voters", "Active voters; no score uses them."),
  nullable("delegation_hhi_points", "number", "points", "Concentration of delegated power, 0 to 10,000."),
  nullable("delegation_as_of_ms", "integer", "ms", "The moment of the delegation data, since 1970 in UTC."),
  column("index_weight", "number", "share", "Weight of the DAO in the index."),
  nullable("rank", "integer", "place", "Rank among scored DAOs."),
  nullable("rank_best", "integer", "place", "Best rank that the intervals of all DAOs allow."),
  nullable("rank_worst", "integer", "place", "Worst rank that the intervals allow."),
  nullable("delta_24h", "number", "points", "Change of the gvs in the last 24 hours, rounded as published."),
];

function intervalColumns(name: string, title: string): readonly Column[] {
  return [
    column(name, "number", "points", title),
    column(`${name}_low`, "number", "points", "Low end of its interval."),
    column(`${name}_high`, "number", "points", "High end of its interval."),
  ];
}
