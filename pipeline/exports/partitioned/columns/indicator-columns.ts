import { type Column, column, nullable } from "../../column.ts";

/** One row an indicator of each component of a DAO, not rounded. */
export const INDICATOR_COLUMNS: readonly Column[] = [
  column("space_id", "string", "", "The DAO."),
  column("component", "string", "", "hpr, dei, pdi, gpi."),
  column("id", "string", "", "The indicator."),
  column("role", "string", "", "part, factor."),
  column("unit", "string", "", "What it counts."),
  nullable("raw", "number", "", "What was measured; null is a gap."),
  nullable("position", "number", "", "Where it lies between its goalposts; not limited to them."),
  nullable("value", "number", "share", "The mark, 0 to 1."),
  column("weight", "number", "", "Its weight."),
  column("effective_weight", "number", "", "What is left of the weights once gaps have dropped out."),
];
