import { COMPONENT_KEYS, type ComponentKey } from "../../../../snapshots/format/value-sets.ts";
import { COMPONENT_WORDS } from "../../../documents/component-words.ts";
import {
  COMPLETENESS_PARTS,
  DIAGNOSTICS,
  FRAME_MEASURES,
  RISK_MEASURES,
  WHOLE_MEASURES,
} from "../../../documents/measures.ts";
import { type Column, column, measureColumns, nullable } from "../../tables/columns.ts";
import { found, SPACE_ID, text, textOrNull } from "./column-kinds.ts";

/** One row an indicator of each component of a DAO, not rounded. */
export const INDICATOR_COLUMNS: readonly Column[] = [
  SPACE_ID,
  text("component", "hpr, dei, pdi, gpi."),
  text("id", "The indicator."),
  text("role", "part, factor."),
  text("unit", "What it counts."),
  nullable("raw", "number", "", "What was measured; null is a gap."),
  nullable("position", "number", "", "Where it lies between its goalposts; not limited to them."),
  nullable("value", "number", "share", "The mark, 0 to 1."),
  column("weight", "number", "", "Its weight."),
  column("effective_weight", "number", "", "What is left of the weights once gaps have dropped out."),
];

/** One row a DAO: its scores as of the version, not rounded, and what stands directly behind them. */
export const SCORES_COLUMNS: readonly Column[] = [
  SPACE_ID,
  column("as_of_ms", "integer", "ms", "The moment that it is of, since 1970 in UTC."),
  text("methodology_version", "The method; points of two methods are not comparable."),
  found("gvs.points", "gvs", "number", "points", "Governance Vitality Score, 0 to 10."),
  found("gvs.gap", "gvs_gap", "string", "", "Why there is none."),
  textOrNull("gvs_confidence", "high, low."),
  ...COMPONENT_KEYS.flatMap(componentColumns),
  found("risk.score", "risk_score", "number", "points", "Risk, 0 to 100."),
  found("risk.gap", "risk_gap", "string", "", "Why there is none."),
  found("risk.base", "risk_base", "number", "points", "Risk before its floors."),
  nullable("risk_dominance_floor", "number", "points", "No less where the strongest hold so much.", [
    "risk",
    "dominance_floor",
  ]),
  nullable("risk_smallness_floor", "number", "points", "No less where so few are active.", [
    "risk",
    "smallness_floor",
  ]),
  ...measureColumns(RISK_MEASURES, ["risk"]),
  nullable("risk_level", "string", "", "low, moderate, high, critical; of scored DAOs.", [
    "assessment",
    "risk_level",
  ]),
  found("assessment.trend", "risk_trend", "string", "", "improving, stable, declining; of scored DAOs."),
  nullable("data_completeness_pct", "number", "%", "How much of what the source says exists was seen.", [
    "completeness",
    "pct",
  ]),
  ...Object.keys(COMPLETENESS_PARTS).map((id) =>
    nullable(`completeness_${id}`, "number", "share", "One part of it.", ["completenessParts", id]),
  ),
  ...measureColumns(FRAME_MEASURES, ["frame"]),
  ...measureColumns(WHOLE_MEASURES, ["measures"]).filter(({ name }) => name !== "is_fetched"),
  nullable("delegation_hhi_points", "number", "points", "Concentration of delegated power, 0 to 10,000.", [
    "measures",
    "delegation",
    "hhi_points",
  ]),
  nullable("delegation_as_of_ms", "integer", "ms", "The moment that it is of."),
  nullable("freeze_day", "date", "", "The day on which the index chose the members of its quarter.", [
    "index",
    "freeze_day",
  ]),
  nullable(
    "freeze_attention_sum",
    "number",
    "proposals",
    "What the DAO had then; null where it had no score.",
    ["measures", "index_freeze", "attention_sum"],
  ),
  found("measures.index_freeze.completeness_pct", "freeze_completeness_pct", "number", "%", "The same."),
  found("index.is_member", "is_index_member", "boolean", "", "Whether it is in the index."),
  ...Object.entries(DIAGNOSTICS).map(([id, { unit }]) =>
    nullable(`${id}_median`, "number", unit, "Reported, never scored.", ["diagnostics", id]),
  ),
  found("diagnostics.banzhaf_proposals", "banzhaf_proposals", "integer", "proposals", "Over so many."),
  found("summary.rank", "rank", "integer", "place", "Place in the ranking of scored DAOs."),
  nullable(
    "delta_24h",
    "number",
    "points",
    "Change of the gvs in the 24 hours before, rounded as published.",
    ["summary", "delta_24h"],
  ),
];

function componentColumns(key: ComponentKey): readonly Column[] {
  const { title } = COMPONENT_WORDS[key];
  const path = `components.${key}`;
  return [
    found(`${path}.after.points`, key, "number", "points", `${title}, 0 to 10.`),
    found(`${path}.after.gap`, `${key}_gap`, "string", "", "Why there is none."),
    nullable(`${key}_before`, "number", "points", "Before thin evidence drew it to the middle.", [
      "components",
      key,
      "before",
      "points",
    ]),
  ];
}
