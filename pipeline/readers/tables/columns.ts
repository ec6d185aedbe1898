import { COMPONENT_KEYS } from "../../../snapshots/format/value-sets.ts";
import { COMPONENT_TEXTS } from "../../documents/component-texts.ts";
import { type Measure, PROPOSAL_MEASURES, RISK_MEASURES } from "../../documents/measures.ts";

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
  /** Path of the value in a record. */
  readonly path: readonly string[];
}

/** A column with a value in every row; its path defaults to its name. */
export function column(
  name: string,
  type: ColumnType,
  unit: string,
  description: string,
  path: readonly string[] = [name],
): Column {
  return { name, type, unit, description, isNullable: false, path };
}

/** A column that may be null. */
export function nullable(...given: Parameters<typeof column>): Column {
  return { ...column(...given), isNullable: true };
}

/** A text column without nulls. */
export const text = (name: string, description: string): Column => column(name, "string", "", description);

/** A text column that may be null; its path defaults to its name. */
export const textOrNull = (name: string, description: string, path?: readonly string[]): Column =>
  nullable(name, "string", "", description, path);

/** A boolean column without nulls. */
export const flag = (name: string, description: string): Column => column(name, "boolean", "", description);

/** A boolean column that may be null. */
export const flagOrNull = (name: string, description: string): Column =>
  nullable(name, "boolean", "", description);

/** The first column of nearly every table. */
export const SPACE_ID = text("space_id", "The DAO.");

/** Columns of measures: nullable, each under its name at the end of a path. */
export function measureColumns(
  measures: readonly Measure<string, never>[],
  path: readonly string[] = [],
): Column[] {
  return measures.map(({ name, type, unit, description }) =>
    nullable(name, type, unit, description, [...path, name]),
  );
}

/** The leading columns of a dataset with rows of several versions. */
export const VERSION_COLUMNS = [
  text("version", "Name of the version that the row is from."),
  column("sequence", "integer", "", "Its sequence: rises by one with each publication."),
  column("as_of", "timestamp", "", "The moment that it is of."),
] as const;

/** The four component scores, spelled as in every document. */
const COMPONENT_COLUMNS = COMPONENT_KEYS.map((key) =>
  column(key, "number", "points", `${COMPONENT_TEXTS[key].title}, 0 to 10.`, ["components", key]),
);

const FACTORS = measureColumns(RISK_MEASURES, ["risk", "factors"]).filter(
  ({ name }) => name !== "proposals_per_month",
);

/** The interval of each score, as in the API's `meta`. */
const INTERVAL_COLUMNS = (["gvs", ...COMPONENT_KEYS, "risk"] as const).flatMap((key) =>
  (["low", "high"] as const).map((end, at) =>
    nullable(`${key}_${end}`, "number", "points", `${end === "low" ? "Low" : "High"} end of its interval.`, [
      "certainty",
      "interval",
      key,
      String(at),
    ]),
  ),
);

/** A proposal's title and link. */
export const TITLE_COLUMNS: readonly Column[] = [
  textOrNull("title", "Its title: cleaned, at most 200 characters, accounts made […]."),
  textOrNull("link", "Where it stands on its platform."),
];

/** The DAO's own pages. */
export const LINK_COLUMNS: readonly Column[] = [
  textOrNull("website", "Its site, as its space names it.", ["links", "website"]),
  textOrNull("forum", "Its forum, as its space names it.", ["links", "forum"]),
  textOrNull("platform", "Its page on the platform on which it votes.", ["links", "platform"]),
];

/** One row per scored DAO: its rank, completeness and risk assessment. */
export const DAO_COLUMNS: readonly Column[] = [
  column("rank", "integer", "place", "Place in the ranking; 1 has the highest gvs."),
  SPACE_ID,
  text("name", "Its name."),
  text("category", "What it is for: defi, infrastructure, public_goods, social."),
  column("gvs", "number", "points", "Governance Vitality Score, 0 to 10."),
  text(
    "gvs_confidence",
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
    "risk",
    "risk_score",
  ]),
  textOrNull("risk_level", "low, moderate, high, critical.", ["risk", "risk_level"]),
  textOrNull("risk_trend", "improving, stable, declining.", ["risk", "trend"]),
  ...FACTORS,
  ...INTERVAL_COLUMNS,
  nullable("known_share", "number", "share", "How much of the score is known.", ["certainty", "known_share"]),
  nullable("rank_best", "integer", "place", "Best rank that the intervals of all DAOs allow.", [
    "certainty",
    "rank_range",
    "0",
  ]),
  nullable("rank_worst", "integer", "place", "Worst rank that they allow.", ["certainty", "rank_range", "1"]),
  nullable("presence_low", "number", "share", "Whether it votes at all, now: multiplies all components.", [
    "certainty",
    "presence",
    "0",
  ]),
  nullable("presence_high", "number", "share", "The same, had proposals been missed since the last fetch.", [
    "certainty",
    "presence",
    "1",
  ]),
  textOrNull("not_known", "Indicators of which nothing is known, with spaces between.", ["notKnown"]),
  ...LINK_COLUMNS,
];

/** One row per known proposal of every tracked DAO, in the frame or not, with its measures. */
export const PROPOSAL_COLUMNS: readonly Column[] = [
  SPACE_ID,
  text("id", "The proposal, as its source names it."),
  ...TITLE_COLUMNS,
  nullable("created_at", "timestamp", "", "When it was made."),
  nullable("start_at", "timestamp", "", "When voting begins."),
  nullable("end_at", "timestamp", "", "When voting ends."),
  textOrNull("state", "pending, active, closed, cancelled."),
  textOrNull("scores_state", "final, pending, invalid: how far its source has counted."),
  flag("is_flagged", "Whether its source flagged it."),
  flag("is_deleted", "Whether its source deleted it."),
  column("unit", "integer", "", "Proposals of a DAO with one number have one scale of voting power."),
  text("place", "MEMBER of the frame, or why it is not in it."),
  ...measureColumns(PROPOSAL_MEASURES),
];

/** One row per delegate of a DAO with a listing: the whole ranking, not only the listed rows. */
export const DELEGATE_COLUMNS: readonly Column[] = [
  SPACE_ID,
  column("rank", "integer", "place", "Place by delegated power; 1 has most."),
  text("address", "The delegate's wallet, in lower case."),
  textOrNull("ens", "The name that leads to the wallet and back; null where there is none."),
  text("display_name", "The name, or else the shortened address."),
  column("votes_human", "number", "tokens", "Voting power in whole tokens, the nearest double."),
  column("votes_share_pct", "number", "%", "Share of all delegated power."),
  column("delegators_count", "integer", "wallets", "Wallets that delegate to it."),
  text("weight_tier", "T1, T2 or T3, heaviest first."),
];

/** One row per dated listing of a DAO. */
export const DELEGATE_DAY_COLUMNS: readonly Column[] = [
  column("date", "date", "", "The day of the listing, which lies beside this file under that name."),
  nullable("block", "integer", "", "Of logs: the last block whose events are in; null for a list."),
  column("as_of", "timestamp", "", "The moment that it is of."),
  text("source", "list: as somebody published it; logs: made of the token's events."),
  column("delegates", "integer", "delegates", "Delegates with power, those beyond the listing too."),
  column("total_votes", "number", "tokens", "Their power in whole tokens, the nearest double."),
];

/** One row per day of the index, and one for the current index. */
export const GOVERNANCE_INDEX_COLUMNS: readonly Column[] = [
  text("point", "day: as of the end of a day; current: as of the version."),
  nullable("date", "date", "", "The day; null for the current point."),
  column("composite", "number", "points", "Decentralized Governance Index, 0 to 10."),
  ...COMPONENT_COLUMNS,
  nullable("dao_count", "integer", "DAOs", "DAOs in the index; published for the current point only."),
  nullable("calculated_at", "timestamp", "", "The moment of the current point; null for a day."),
];

/** One row per DAO and day with enough data; other days have no row. */
export const HISTORY_COLUMNS: readonly Column[] = [
  SPACE_ID,
  column("date", "date", "", "The day, as of whose end it is scored."),
  text("methodology_version", "The method; points of two methods are not comparable."),
  column("gvs", "number", "points", "Governance Vitality Score, 0 to 10."),
  ...COMPONENT_COLUMNS,
  nullable("risk_score", "number", "points", "Risk, 0 to 100; null where it is not assessed."),
  column("data_completeness", "number", "%", "How much of what the source says exists was seen."),
  column("index_weight", "number", "share", "How much the DAO counts in the index; not rounded."),
];
