import { type Column, column } from "../column.ts";

/** The four component scores, as every document that has them spells them. */
export const COMPONENT_COLUMNS: readonly Column[] = [
  column("hpr", "number", "points", "Human Participation Rate, 0 to 10.", ["components", "hpr"]),
  column("dei", "number", "points", "Decentralization Index, 0 to 10.", ["components", "dei"]),
  column("pdi", "number", "points", "Proposal Deliberation Index, 0 to 10.", ["components", "pdi"]),
  column("gpi", "number", "points", "Governance Process Index, 0 to 10.", ["components", "gpi"]),
];
