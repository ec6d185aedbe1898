import type { Concentration } from "../../snapshots/format/concentration.ts";
import { COMPONENT_KEYS } from "../../snapshots/format/value-sets.ts";
import { COMPONENT_TEXTS } from "../score/method/indicators.ts";
import { type Measure, PROPOSAL_MEASURES, RISK_MEASURES } from "./measures.ts";

/** The type of a column; `date` is a UTC day, `timestamp` a UTC moment in milliseconds, both as ISO 8601. */
export type ColumnType = "string" | "integer" | "number" | "boolean" | "date" | "timestamp";

/** One value of a row; `null` is "not known" or "not measured", never zero. */
export type Cell = string | number | boolean | null;

/** The values of a row, in the order of its columns. */
export type Row = readonly Cell[];

/** A column of a dataset, with all that its header, schema and data dictionary contain. */
export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** Unit of a value (`points`, `%`, `days`); empty for values without one. */
  readonly unit: string;
  readonly description: string;
  readonly isNullable: boolean;
}

/** A column with a value in every row. */
export function column(name: string, type: ColumnType, unit: string, description: string): Column {
  return { name, type, unit, description, isNullable: false };
}

/** A column that may be null. */
export function nullable(...given: Parameters<typeof column>): Column {
  return { ...column(...given), isNullable: true };
}

/** A text column without nulls. */
export const text = (name: string, description: string): Column => column(name, "string", "", description);

/** A text column that may be null. */
export const textOrNull = (name: string, description: string): Column =>
  nullable(name, "string", "", description);

/** A boolean column without nulls. */
export const flag = (name: string, description: string): Column => column(name, "boolean", "", description);

/** A boolean column that may be null. */
export const flagOrNull = (name: string, description: string): Column =>
  nullable(name, "boolean", "", description);

/** The first column of nearly every table. */
export const SPACE_ID = text("space_id", "The DAO.");

/** Nullable columns of measures. */
export function measureColumns(measures: readonly Measure<string, never>[]): Column[] {
  return measures.map(({ name, type, unit, description }) => nullable(name, type, unit, description));
}

/** The leading columns of a dataset with rows of several versions. */
export const VERSION_COLUMNS = [
  text("version", "Name of the row's version."),
  column("sequence", "integer", "", "Sequence of the version: one higher with each publication."),
  column("as_of", "timestamp", "", "The moment of the version."),
] as const;

const COMPONENT_COLUMNS = COMPONENT_KEYS.map((key) =>
  column(key, "number", "points", `${COMPONENT_TEXTS[key].title}, 0 to 10.`),
);

const FACTORS = measureColumns(RISK_MEASURES).filter(({ name }) => name !== "proposals_per_month");

/** The interval of each score, as in the API's `meta`. */
const INTERVAL_COLUMNS = ["gvs", ...COMPONENT_KEYS, "risk"].flatMap((key) => [
  nullable(`${key}_low`, "number", "points", "Low end of its interval."),
  nullable(`${key}_high`, "number", "points", "High end of its interval."),
]);

/** How concentrated cast power is: each figure with its interval. */
export const CONCENTRATION_COLUMNS: readonly Column[] = (
  [
    [
      "nakamoto",
      "voters",
      "Nakamoto number: the fewest voters that hold more than half; a median over ballots.",
    ],
    [
      "hhi_points",
      "points",
      "Herfindahl-Hirschman index of cast power, up to 10,000; a median over ballots.",
    ],
    ["gini", "share", "Gini coefficient of cast power, 0 to 1; a median over ballots."],
  ] as const
).flatMap(([name, unit, description]) => [
  nullable(name, "number", unit, description),
  nullable(`${name}_low`, "number", unit, "Low end of its interval."),
  nullable(`${name}_high`, "number", unit, "High end of its interval; null if it has none."),
]);

/** The cells of `CONCENTRATION_COLUMNS`. */
export function concentrationCells(concentration: Concentration | null | undefined): object {
  const cells = Object.entries(concentration ?? {}).flatMap(([name, { low, point, high }]) => [
    [name, point],
    [`${name}_low`, low],
    [`${name}_high`, high],
  ]);
  return Object.fromEntries(cells);
}

export const TITLE_COLUMNS: readonly Column[] = [
  textOrNull("title", "Title: cleaned, at most 200 characters, accounts replaced by […]."),
  textOrNull("link", "Page of the proposal on its platform."),
];

/** The DAO's own pages. */
export const LINK_COLUMNS: readonly Column[] = [
  textOrNull("website", "Website, as given by its space."),
  textOrNull("forum", "Forum, as given by its space."),
  textOrNull("platform", "Page on the platform where it votes."),
];

/** One row per scored DAO: its rank, completeness and risk assessment. */
export const DAO_COLUMNS: readonly Column[] = [
  column("rank", "integer", "place", "Rank; 1 has the highest gvs."),
  SPACE_ID,
  text("name", "Its name."),
  text("category", "Purpose: defi, infrastructure, public_goods, social."),
  column("gvs", "number", "points", "Governance Vitality Score, 0 to 10."),
  text(
    "gvs_confidence",
    "high with at least 20 eligible proposals, of which those of the last 730 days count only with attention; otherwise low.",
  ),
  ...COMPONENT_COLUMNS,
  column("delta_24h", "number", "points", "Change of the gvs in the last 24 hours."),
  column("last_calculated", "timestamp", "", "The moment as of which the score was calculated."),
  column("data_completeness", "number", "%", "Share of the data reported by the source that was fetched."),
  nullable("risk_score", "number", "points", "Risk, 0 to 100; null if it is not assessed."),
  textOrNull("risk_level", "low, moderate, high, critical."),
  textOrNull("risk_trend", "improving: the risk falls; stable; declining: the risk rises."),
  ...FACTORS,
  ...INTERVAL_COLUMNS,
  nullable("known_share", "number", "share", "Share of the score that is known."),
  nullable("rank_best", "integer", "place", "Best rank that the intervals of all DAOs allow."),
  nullable("rank_worst", "integer", "place", "Worst rank that the intervals allow."),
  nullable("presence_low", "number", "share", "How active the DAO is now: multiplies all components."),
  nullable("presence_high", "number", "share", "The same if proposals were missed since the last fetch."),
  textOrNull("not_known", "Unknown indicators, separated by spaces."),
  ...CONCENTRATION_COLUMNS,
  ...LINK_COLUMNS,
];

const IN_EVERY_ROW = new Set(["space_id", "name", "category", "last_calculated"]);

/** One row per tracked DAO: those of `DAO_COLUMNS`, empty for a DAO without a score where only one has a value. */
export const TRACKED_COLUMNS: readonly Column[] = [
  ...DAO_COLUMNS.map((given) => (IN_EVERY_ROW.has(given.name) ? given : { ...given, isNullable: true })),
  textOrNull("unscored", "Why it has no score, as a code; null for a scored DAO."),
  textOrNull("unscored_reason", "The same in words."),
];

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

/** One row per entity and DAO in which it takes part. */
export const ENTITY_COLUMNS: readonly Column[] = [
  text("entity_id", "The entity."),
  text("label", "Its name."),
  SPACE_ID,
  text("name", "The DAO's name."),
  nullable(
    "voting_power_share_pct",
    "number",
    "%",
    "Its share of cast power; null if none of the DAO's is known.",
  ),
  column("proposals_voted", "integer", "proposals", "Proposals on which it voted."),
  column("proposals_known", "integer", "proposals", "Proposals of which it is known whether it voted."),
  column("proposals_unknown", "integer", "proposals", "Proposals of which it is not known."),
  nullable("participation_pct", "number", "%", "Share of the known proposals on which it voted, by weight."),
  nullable("participation_low_pct", "number", "%", "Low end of its interval."),
  nullable("participation_high_pct", "number", "%", "High end of its interval."),
  nullable("first_vote_at", "timestamp", "", "Its first vote; null if it only holds delegated power."),
  nullable("last_vote_at", "timestamp", "", "Its last vote; null likewise."),
  nullable("delegate_rank", "integer", "place", "Its rank among the delegates; null if it is none."),
];

/** One row per known proposal of every tracked DAO, in the frame or not, with its measures. */
export const PROPOSAL_COLUMNS: readonly Column[] = [
  SPACE_ID,
  text("id", "Id of the proposal at its source."),
  ...TITLE_COLUMNS,
  nullable("created_at", "timestamp", "", "When it was created."),
  nullable("start_at", "timestamp", "", "When voting begins."),
  nullable("end_at", "timestamp", "", "When voting ends."),
  textOrNull("state", "pending, active, closed, cancelled."),
  textOrNull("scores_state", "final, pending, invalid: the state of the source's count."),
  flag("is_flagged", "Whether its source flagged it."),
  flag("is_deleted", "Whether its source deleted it."),
  column(
    "unit",
    "integer",
    "",
    "Proposals of a DAO with the same number have the same unit of voting power.",
  ),
  text("place", "MEMBER of the frame, or the reason why it is not."),
  ...measureColumns(PROPOSAL_MEASURES),
];

/** One row per delegate of a DAO with a listing: the whole ranking, not only the listed rows. */
export const DELEGATE_COLUMNS: readonly Column[] = [
  SPACE_ID,
  column("rank", "integer", "place", "Rank by delegated power; 1 has most."),
  text("address", "The delegate's wallet, in lower case."),
  textOrNull("ens", "ENS name that resolves to the wallet and back; null if there is none."),
  text("display_name", "The name, or the shortened address."),
  column("votes_human", "number", "tokens", "Voting power in whole tokens, as the nearest double."),
  column("votes_share_pct", "number", "%", "Share of all delegated power."),
  column("delegators_count", "integer", "wallets", "Wallets that delegate to it."),
  text("weight_tier", "T1, T2 or T3, heaviest first."),
];

/** One row per dated listing of a DAO. */
export const DELEGATE_DAY_COLUMNS: readonly Column[] = [
  column("date", "date", "", "The day of the listing, and its file's name beside this file."),
  nullable("block", "integer", "", "The last block included, for logs; null for a list."),
  column("as_of", "timestamp", "", "The moment of the listing."),
  text("source", "list: as published by somebody; logs: computed from the token's events."),
  column("delegates", "integer", "delegates", "Delegates with power, including those not listed."),
  column("total_votes", "number", "tokens", "Their power in whole tokens, as the nearest double."),
];

/** One row per day of the index, and one for the current index. */
export const GOVERNANCE_INDEX_COLUMNS: readonly Column[] = [
  text("point", "day: at the end of a day; current: at the version's moment."),
  nullable("date", "date", "", "The day; null for the current point."),
  column("composite", "number", "points", "Decentralized Governance Index, 0 to 10."),
  ...COMPONENT_COLUMNS,
  nullable("composite_low", "number", "points", "Low end of the index; null where unknown."),
  nullable("composite_high", "number", "points", "High end of the index; null where unknown."),
  nullable("dao_count", "integer", "DAOs", "DAOs in the index; published for the current point only."),
  nullable("calculated_at", "timestamp", "", "The moment of the current point; null for a day."),
];

/** One row per DAO and day with enough data; other days have no row. */
export const HISTORY_COLUMNS: readonly Column[] = [
  SPACE_ID,
  column("date", "date", "", "The day, scored at its end."),
  text("methodology_version", "The method; points of different methods are not comparable."),
  column("gvs", "number", "points", "Governance Vitality Score, 0 to 10."),
  ...COMPONENT_COLUMNS,
  nullable("risk_score", "number", "points", "Risk, 0 to 100; null if it is not assessed."),
  column("data_completeness", "number", "%", "Share of the data reported by the source that was fetched."),
  column("index_weight", "number", "share", "Weight of the DAO in the index; not rounded."),
];
