import { type Column, column, nullable } from "../../tables/columns/column.ts";

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

const COMPONENTS = {
  hpr: "Human Participation Rate",
  dei: "Decentralization Index",
  pdi: "Proposal Deliberation Index",
  gpi: "Governance Process Index",
};

const PARTS = ["votes", "final", "reconciled", "fields", "freshness"] as const;

function componentColumns(key: string, name: string): readonly Column[] {
  return [
    nullable(key, "number", "points", `${name}, 0 to 10.`, ["components", key, "after", "points"]),
    nullable(`${key}_gap`, "string", "", "Why there is none.", ["components", key, "after", "gap"]),
    nullable(`${key}_before`, "number", "points", "Before thin evidence drew it to the middle.", [
      "components",
      key,
      "before",
      "points",
    ]),
  ];
}

const risk = (name: string, type: Column["type"], unit: string, description: string): Column =>
  nullable(name, type, unit, description, ["risk", name]);

const frame = (name: string, type: Column["type"], unit: string, description: string): Column =>
  nullable(name, type, unit, description, ["frame", name]);

const whole = (name: string, type: Column["type"], unit: string, description: string): Column =>
  nullable(name, type, unit, description, ["measures", name]);

/** One row a DAO: its scores as of the version, not rounded, and what stands directly behind them. */
export const SCORES_COLUMNS: readonly Column[] = [
  column("space_id", "string", "", "The DAO."),
  column("as_of_ms", "integer", "ms", "The moment that it is of, since 1970 in UTC."),
  column("methodology_version", "string", "", "The method; points of two methods are not comparable."),
  nullable("gvs", "number", "points", "Governance Vitality Score, 0 to 10.", ["gvs", "points"]),
  nullable("gvs_gap", "string", "", "Why there is none.", ["gvs", "gap"]),
  nullable("gvs_confidence", "string", "", "high, low."),
  ...Object.entries(COMPONENTS).flatMap(([key, name]) => componentColumns(key, name)),
  nullable("risk_score", "number", "points", "Risk, 0 to 100.", ["risk", "score"]),
  nullable("risk_gap", "string", "", "Why there is none.", ["risk", "gap"]),
  nullable("risk_base", "number", "points", "Risk before its floors.", ["risk", "base"]),
  nullable("risk_dominance_floor", "number", "points", "No less where the strongest hold so much.", [
    "risk",
    "dominance_floor",
  ]),
  nullable("risk_smallness_floor", "number", "points", "No less where so few are active.", [
    "risk",
    "smallness_floor",
  ]),
  risk("governance_capture_risk", "string", "", "low, moderate, high, critical."),
  risk("whale_control_pct", "number", "%", "Median joint share of the four strongest heads."),
  risk("active_voter_count", "integer", "heads", "Heads of at least half weight that voted lately."),
  risk("delegate_centralization", "string", "", "low, moderate, high, critical, unknown."),
  risk("proposal_velocity", "string", "", "dormant, low, moderate, high, very_high."),
  risk("proposals_per_month", "number", "proposals", "What the velocity is cut from."),
  risk("checkpoint_voting_pct", "number", "%", "Batch votes of timed votes."),
  nullable("risk_level", "string", "", "low, moderate, high, critical; of scored DAOs.", [
    "assessment",
    "risk_level",
  ]),
  nullable("risk_trend", "string", "", "improving, stable, declining; of scored DAOs.", [
    "assessment",
    "trend",
  ]),
  nullable("data_completeness_pct", "number", "%", "How much of what the source says exists was seen.", [
    "completeness",
    "pct",
  ]),
  ...PARTS.map((id) =>
    nullable(`completeness_${id}`, "number", "share", "One part of it.", ["completenessParts", id]),
  ),
  frame("known", "integer", "proposals", "Known proposals."),
  frame("members", "integer", "proposals", "Those in the frame."),
  frame("missing", "integer", "proposals", "Those that belong into it and whose ballot is missing."),
  frame("attended", "integer", "proposals", "Eligible ones of the horizon that drew attention."),
  frame("eligible", "integer", "proposals", "Eligible ones."),
  frame("attention_sum", "number", "proposals", "Weight of the frame, added up."),
  frame("effective_proposals", "number", "proposals", "How many of equal weight they are worth."),
  frame("evidence_share", "number", "share", "How far the evidence carries."),
  frame("heads_mean", "number", "heads", "Heads by weight, coordinated wallets joined."),
  frame("unclustered_heads_mean", "number", "heads", "The same before that."),
  whole("freshness", "number", "share", "How fresh the facts are."),
  whole("expected_heads", "number", "heads", "Heads that a proposal can expect."),
  whole("is_coordination_assessed", "boolean", "", "Whether there was enough to look for coordination."),
  whole("clusters", "integer", "clusters", "Likely coordinated wallets."),
  whole("clustered_wallets", "integer", "wallets", "Wallets in them."),
  whole("active_voters", "integer", "heads", "Active heads."),
  whole("effective_proposers", "number", "persons", "By shares of attention, entities merged."),
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
  nullable("freeze_completeness_pct", "number", "%", "The same.", [
    "measures",
    "index_freeze",
    "completeness_pct",
  ]),
  nullable("is_index_member", "boolean", "", "Whether it is in the index.", ["index", "is_member"]),
  nullable("gini_median", "number", "share", "Reported, never scored.", ["diagnostics", "gini"]),
  nullable("hhi_points_median", "number", "points", "Reported, never scored.", ["diagnostics", "hhi_points"]),
  nullable("entropy_bits_median", "number", "bits", "Reported, never scored.", [
    "diagnostics",
    "entropy_bits",
  ]),
  nullable("banzhaf_top_median", "number", "share", "Reported, never scored.", [
    "diagnostics",
    "banzhaf_top",
  ]),
  nullable("banzhaf_proposals", "integer", "proposals", "Over so many.", [
    "diagnostics",
    "banzhaf_proposals",
  ]),
  nullable("rank", "integer", "place", "Place in the ranking of scored DAOs.", ["summary", "rank"]),
  nullable(
    "delta_24h",
    "number",
    "points",
    "Change of the gvs in the 24 hours before, rounded as published.",
    ["summary", "delta_24h"],
  ),
];
