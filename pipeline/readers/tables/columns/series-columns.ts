import { type Column, column, nullable } from "./column.ts";
import { COMPONENT_COLUMNS } from "./dao-columns.ts";

/** One row a day of the index, and one for the index as of the version. */
export const GOVERNANCE_INDEX_COLUMNS: readonly Column[] = [
  column("point", "string", "", "day: as of the end of a day; current: as of the version."),
  nullable("date", "date", "", "The day; null for the current point."),
  column("composite", "number", "points", "Decentralized Governance Index, 0 to 10."),
  ...COMPONENT_COLUMNS,
  nullable("dao_count", "integer", "DAOs", "DAOs in the index; published for the current point only."),
  nullable("calculated_at", "timestamp", "", "The moment of the current point; null for a day."),
];

/** One row a DAO and day with enough data; a day without is not there. */
export const HISTORY_COLUMNS: readonly Column[] = [
  column("space_id", "string", "", "The DAO."),
  column("date", "date", "", "The day, as of whose end it is scored."),
  column("methodology_version", "string", "", "The method; points of two methods are not comparable."),
  column("gvs", "number", "points", "Governance Vitality Score, 0 to 10."),
  ...COMPONENT_COLUMNS,
  nullable("risk_score", "number", "points", "Risk, 0 to 100; null where it is not assessed."),
  column("data_completeness", "number", "%", "How much of what the source says exists was seen."),
  column(
    "attention_sum",
    "number",
    "proposals",
    "Weight of the proposals in the frame, added up; not rounded.",
  ),
];
