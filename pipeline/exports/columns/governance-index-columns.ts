import { type Column, column, nullable } from "../column.ts";
import { COMPONENT_COLUMNS } from "./score-columns.ts";

/** One row a day of the index, and one for the index as of the version. */
export const GOVERNANCE_INDEX_COLUMNS: readonly Column[] = [
  column("point", "string", "", "day: as of the end of a day; current: as of the version."),
  nullable("date", "date", "", "The day; null for the current point."),
  column("composite", "number", "points", "Decentralized Governance Index, 0 to 10."),
  ...COMPONENT_COLUMNS,
  nullable("dao_count", "integer", "DAOs", "DAOs in the index; published for the current point only."),
  nullable("calculated_at", "timestamp", "", "The moment of the current point; null for a day."),
];
