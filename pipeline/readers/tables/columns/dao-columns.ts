import { type Column, column, nullable } from "./column.ts";

/** The four component scores, as every document that has them spells them. */
export const COMPONENT_COLUMNS: readonly Column[] = [
  column("hpr", "number", "points", "Human Participation Rate, 0 to 10.", ["components", "hpr"]),
  column("dei", "number", "points", "Decentralization Index, 0 to 10.", ["components", "dei"]),
  column("pdi", "number", "points", "Proposal Deliberation Index, 0 to 10.", ["components", "pdi"]),
  column("gpi", "number", "points", "Governance Process Index, 0 to 10.", ["components", "gpi"]),
];

const RISK = "risk";
const FACTORS = [RISK, "factors"] as const;

const factor = (name: string, type: Column["type"], unit: string, description: string): Column =>
  nullable(name, type, unit, description, [...FACTORS, name]);

/** One row a scored DAO: its line of the ranking, its completeness and its risk assessment. */
export const DAO_COLUMNS: readonly Column[] = [
  column("rank", "integer", "place", "Place in the ranking; 1 has the highest gvs."),
  column("space_id", "string", "", "The DAO."),
  column("name", "string", "", "Its name."),
  column("category", "string", "", "What it is for: defi, infrastructure, public_goods, social."),
  column("gvs", "number", "points", "Governance Vitality Score, 0 to 10."),
  column(
    "gvs_confidence",
    "string",
    "",
    "high with at least 20 eligible proposals in all time, those of the last 730 days only with attention; else low.",
  ),
  ...COMPONENT_COLUMNS,
  column("delta_24h", "number", "points", "Change of the gvs in the 24 hours before."),
  column("last_calculated", "timestamp", "", "The moment that the score is of."),
  column("data_completeness", "number", "%", "How much of what the source says exists was seen.", [
    "detail",
    "data_completeness",
  ]),
  nullable("risk_score", "number", "points", "Risk, 0 to 100; null where it is not assessed.", [
    RISK,
    "risk_score",
  ]),
  nullable("risk_level", "string", "", "low, moderate, high, critical.", [RISK, "risk_level"]),
  nullable("risk_trend", "string", "", "improving, stable, declining.", [RISK, "trend"]),
  factor("governance_capture_risk", "string", "", "low, moderate, high, critical."),
  factor("whale_control_pct", "number", "%", "Median joint share of the four strongest heads."),
  factor(
    "active_voter_count",
    "integer",
    "heads",
    "Heads of at least half weight that voted in the last 90 days.",
  ),
  factor("delegate_centralization", "string", "", "low, moderate, high, critical, unknown."),
  factor("proposal_velocity", "string", "", "dormant, low, moderate, high, very_high."),
  factor(
    "checkpoint_voting_pct",
    "number",
    "%",
    "Batch votes of timed votes, both summed over the frame by attention; 0 also where no time is known.",
  ),
];
