import { COMPONENT_KEYS, type ComponentKey } from "../../../../snapshots/format/value-sets.ts";
import { COMPONENT_TEXTS } from "../../../documents/component-texts.ts";
import { RISK_MEASURES } from "../../../documents/measures.ts";
import {
  type Column,
  column,
  measureColumns,
  nullable,
  SPACE_ID,
  text,
  textOrNull,
} from "../../tables/columns.ts";

/** One row per indicator of each component of a DAO, not rounded. */
export const INDICATOR_COLUMNS: readonly Column[] = [
  SPACE_ID,
  text("component", "hpr, dei, pdi, gpi."),
  text("id", "The indicator."),
  column("low", "number", "mark", "Low end of its mark over the frame, 0 to 1."),
  column("high", "number", "mark", "High end of its mark."),
  column("weight", "number", "proposals", "Weight of the proposals on which it is known."),
  column("points", "number", "points", "Its part of the component's low end."),
];

const AUTHORS = ["measures", "authors"];

/** One row per DAO: its unrounded scores, and the numbers directly behind them. */
export const SCORES_COLUMNS: readonly Column[] = [
  SPACE_ID,
  column("as_of_ms", "integer", "ms", "The moment of the scores, since 1970 in UTC."),
  text("methodology_version", "The method; points of different methods are not comparable."),
  textOrNull("unscored", "Why there is only an interval and no score; null for a scored DAO."),
  ...intervalColumns("gvs", "gvs", "Governance Vitality Score, 0 to 10."),
  column("known_share", "number", "share", "Share of the score that is known."),
  text("gvs_confidence", "high, low."),
  column("presence_low", "number", "share", "How active the DAO is now: multiplies all components.", [
    "presence",
    "low",
  ]),
  column("presence_high", "number", "share", "The same if proposals were missed since the last fetch.", [
    "presence",
    "high",
  ]),
  ...COMPONENT_KEYS.flatMap(componentColumns),
  nullable("risk_score", "number", "points", "Risk, 0 to 100; published for scored DAOs.", ["risk", "point"]),
  nullable("risk_low", "number", "points", "Low end of its interval.", ["risk", "low"]),
  nullable("risk_high", "number", "points", "High end of its interval.", ["risk", "high"]),
  nullable("risk_base", "number", "points", "Risk before its floor.", ["risk", "base"]),
  nullable("risk_dominance_floor", "number", "points", "Minimum if one voter decides alone.", [
    "risk",
    "dominance_floor",
  ]),
  ...measureColumns(RISK_MEASURES, ["risk"]),
  textOrNull("risk_level", "low, moderate, high, critical; for scored DAOs.", ["assessment", "risk_level"]),
  textOrNull("risk_trend", "improving, stable, declining; for scored DAOs.", ["assessment", "trend"]),
  nullable(
    "data_completeness_pct",
    "number",
    "%",
    "Share of the data reported by the source that was fetched.",
    ["completeness_pct"],
  ),
  nullable("known", "integer", "proposals", "Known proposals.", ["frame", "known"]),
  nullable("members", "integer", "proposals", "Proposals in the frame.", ["frame", "members"]),
  nullable("eligible", "integer", "proposals", "Eligible proposals.", ["frame", "eligible"]),
  nullable("frame_weight", "number", "proposals", "Total weight of the frame.", ["frame", "weight"]),
  nullable("gini_median", "number", "share", "Weighted median; reported, never scored.", ["frame", "gini"]),
  nullable("fetched_at_ms", "integer", "ms", "When the DAO was last fetched completely, since 1970 in UTC."),
  column("author_weight", "number", "proposals", "Weight of the proposals with a known author.", [
    ...AUTHORS,
    "sum",
  ]),
  column("author_weight_squares", "number", "", "Sum of their squared weights.", [
    ...AUTHORS,
    "of_proposals",
  ]),
  column("author_sum_squares", "number", "", "Sum over authors of the squared weight of their proposals.", [
    ...AUTHORS,
    "of_authors",
  ]),
  nullable("active_voters", "integer", "voters", "Active voters; no score uses them.", [
    "measures",
    "active_voters",
  ]),
  nullable("delegation_hhi_points", "number", "points", "Concentration of delegated power, 0 to 10,000.", [
    "measures",
    "delegation",
    "hhi_points",
  ]),
  nullable("delegation_as_of_ms", "integer", "ms", "The moment of the delegation data, since 1970 in UTC."),
  column("index_weight", "number", "share", "Weight of the DAO in the index."),
  nullable("rank", "integer", "place", "Rank among scored DAOs.", ["summary", "rank"]),
  nullable("rank_best", "integer", "place", "Best rank that the intervals of all DAOs allow.", [
    "rank",
    "best",
  ]),
  nullable("rank_worst", "integer", "place", "Worst rank that the intervals allow.", ["rank", "worst"]),
  nullable("delta_24h", "number", "points", "Change of the gvs in the last 24 hours, rounded as published.", [
    "summary",
    "delta_24h",
  ]),
];

function intervalColumns(name: string, path: string, title: string): readonly Column[] {
  const at = path.split(".");
  return [
    column(name, "number", "points", title, [...at, "point"]),
    column(`${name}_low`, "number", "points", "Low end of its interval.", [...at, "low"]),
    column(`${name}_high`, "number", "points", "High end of its interval.", [...at, "high"]),
  ];
}

function componentColumns(key: ComponentKey): readonly Column[] {
  return intervalColumns(key, `components.${key}`, `${COMPONENT_TEXTS[key].title}, 0 to 10.`);
}
