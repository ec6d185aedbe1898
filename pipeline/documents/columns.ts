import type { Concentration } from "../../snapshots/format/concentration.ts";
import { COMPONENT_KEYS } from "../../snapshots/format/value-sets.ts";
import { invariant } from "../facts/errors.ts";
import { COMPONENT_TEXTS } from "../score/method/indicators.ts";
import { type Measure, PROPOSAL_MEASURES, RISK_MEASURES } from "./measures.ts";

/** The type of a column; `date` is a UTC day, `timestamp` a UTC moment in milliseconds, both as ISO 8601. */
export type ColumnType = "string" | "integer" | "number" | "boolean" | "date" | "timestamp";

/** One value of a row; `null` is "not known" or "not measured", never zero. */
export type Cell = string | number | boolean | null;

/** The values of a row, in the order of its columns. */
export type Row = readonly Cell[];

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** Unit of a value (`points`, `%`, `days`); empty for values without one. */
  readonly unit: string;
  readonly description: string;
  readonly isNullable: boolean;
}

const LINE = /^\s*(\w+) +(string|integer|number|boolean|date|timestamp)(\??) +(\S+) +(\S.*)$/;

/** Columns, one a line: its name, type (with `?` if it may be null), unit (`-` for none), and what it is. */
export function columnsOf(lines: string): readonly Column[] {
  return lines
    .trim()
    .split("\n")
    .map((line) => {
      const [, name = "", type, mark, unit = "", description = ""] = LINE.exec(line) ?? [];
      invariant(type !== undefined, `no column: ${line}`);
      return {
        name,
        type: type as ColumnType,
        unit: unit === "-" ? "" : unit,
        description,
        isNullable: mark === "?",
      };
    });
}

export function measureColumns(measures: readonly Measure<string, never>[]): readonly Column[] {
  return measures.map(({ name, type, unit, description }) => {
    return { name, type, unit, description, isNullable: true };
  });
}

/** The leading columns of a dataset with rows of several versions. */
export const VERSION_COLUMNS = columnsOf(`
  version   string     -  Name of the row's version.
  sequence  integer    -  Sequence of the version: one higher with each publication.
  as_of     timestamp  -  The moment of the version.
`);

const COMPONENT_COLUMNS = COMPONENT_KEYS.flatMap((key) =>
  columnsOf(`${key} number points ${COMPONENT_TEXTS[key].title}, 0 to 10.`),
);

const FACTORS = measureColumns(RISK_MEASURES).filter(({ name }) => name !== "proposals_per_month");

const INTERVAL_COLUMNS = ["gvs", ...COMPONENT_KEYS, "risk"].flatMap((key) =>
  columnsOf(`
    ${key}_low   number?  points  Low end of its interval.
    ${key}_high  number?  points  High end of its interval.
  `),
);

const MEDIAN = "a median over ballots.";

/** How concentrated cast power is: each figure with its interval. */
export const CONCENTRATION_COLUMNS = columnsOf(`
  nakamoto         number?  voters  Nakamoto number: the fewest voters that hold more than half; ${MEDIAN}
  nakamoto_low     number?  voters  Low end of its interval.
  nakamoto_high    number?  voters  High end of its interval; null if it has none.
  hhi_points       number?  points  Herfindahl-Hirschman index of cast power, up to 10,000; ${MEDIAN}
  hhi_points_low   number?  points  Low end of its interval.
  hhi_points_high  number?  points  High end of its interval; null if it has none.
  gini             number?  share   Gini coefficient of cast power, 0 to 1; ${MEDIAN}
  gini_low         number?  share   Low end of its interval.
  gini_high        number?  share   High end of its interval; null if it has none.
`);

/** The cells of `CONCENTRATION_COLUMNS`. */
export function concentrationCells(concentration: Concentration | null | undefined): object {
  const cells = Object.entries(concentration ?? {}).flatMap(([name, { low, point, high }]) => [
    [name, point],
    [`${name}_low`, low],
    [`${name}_high`, high],
  ]);
  return Object.fromEntries(cells);
}

export const TITLE_COLUMNS = columnsOf(`
  title  string?  -  Title: cleaned, at most 200 characters, accounts replaced by […].
  link   string?  -  Page of the proposal on its platform.
`);

export const LINK_COLUMNS = columnsOf(`
  website   string?  -  Website, as given by its space.
  forum     string?  -  Forum, as given by its space.
  platform  string?  -  Page on the platform where it votes.
`);

export const DAO_COLUMNS: readonly Column[] = [
  ...columnsOf(`
    rank            integer  place   Rank; 1 has the highest gvs.
    space_id        string   -       The DAO.
    name            string   -       Its name.
    category        string   -       Purpose: defi, infrastructure, public_goods, social.
    gvs             number   points  Governance Vitality Score, 0 to 10.
    gvs_confidence  string   -       high with at least 20 eligible proposals, of which those of the last 730 days count only with attention; otherwise low.
  `),
  ...COMPONENT_COLUMNS,
  ...columnsOf(`
    delta_24h          number     points  Change of the gvs in the last 24 hours.
    last_calculated    timestamp  -       The moment as of which the score was calculated.
    data_completeness  number     %       Share of the data reported by the source that was fetched.
    risk_score         number?    points  Risk, 0 to 100; null if it is not assessed.
    risk_level         string?    -       low, moderate, high, critical.
    risk_trend         string?    -       improving: the risk falls; stable; declining: the risk rises.
  `),
  ...FACTORS,
  ...INTERVAL_COLUMNS,
  ...columnsOf(`
    known_share    number?   share  Share of the score that is known.
    rank_best      integer?  place  Best rank that the intervals of all DAOs allow.
    rank_worst     integer?  place  Worst rank that the intervals allow.
    presence_low   number?   share  How active the DAO is now: multiplies all components.
    presence_high  number?   share  The same if proposals were missed since the last fetch.
    not_known      string?   -      Unknown indicators, separated by spaces.
  `),
  ...CONCENTRATION_COLUMNS,
  ...LINK_COLUMNS,
];

const IN_EVERY_ROW = new Set(["space_id", "name", "category", "last_calculated"]);

/** One row per tracked DAO: those of `DAO_COLUMNS`, empty for a DAO without a score where only one has a value. */
export const TRACKED_COLUMNS: readonly Column[] = [
  ...DAO_COLUMNS.map((given) => (IN_EVERY_ROW.has(given.name) ? given : { ...given, isNullable: true })),
  ...columnsOf(`
    unscored         string?  -  Why it has no score, as a code; null for a scored DAO.
    unscored_reason  string?  -  The same in words.
  `),
];

export const INDICATOR_COLUMNS = columnsOf(`
  space_id   string  -          The DAO.
  component  string  -          hpr, dei, pdi, gpi.
  id         string  -          The indicator.
  low        number  mark       Low end of its mark over the frame, 0 to 1.
  high       number  mark       High end of its mark.
  weight     number  proposals  Weight of the proposals on which it is known.
  points     number  points     Its part of the component's low end.
`);

export const ENTITY_COLUMNS = columnsOf(`
  entity_id               string      -          The entity.
  label                   string      -          Its name.
  space_id                string      -          The DAO.
  name                    string      -          The DAO's name.
  voting_power_share_pct  number?     %          Its share of cast power; null if none of the DAO's is known.
  proposals_voted         integer     proposals  Proposals on which it voted.
  proposals_known         integer     proposals  Proposals of which it is known whether it voted.
  proposals_unknown       integer     proposals  Proposals of which it is not known.
  participation_pct       number?     %          Share of the known proposals on which it voted, by weight.
  participation_low_pct   number?     %          Low end of its interval.
  participation_high_pct  number?     %          High end of its interval.
  first_vote_at           timestamp?  -          Its first vote; null if it only holds delegated power.
  last_vote_at            timestamp?  -          Its last vote; null likewise.
  delegate_rank           integer?    place      Its rank among the delegates; null if it is none.
`);

export const PROPOSAL_COLUMNS: readonly Column[] = [
  ...columnsOf(`
    space_id  string  -  The DAO.
    id        string  -  Id of the proposal at its source.
  `),
  ...TITLE_COLUMNS,
  ...columnsOf(`
    created_at    timestamp?  -  When it was created.
    start_at      timestamp?  -  When voting begins.
    end_at        timestamp?  -  When voting ends.
    state         string?     -  pending, active, closed, cancelled.
    scores_state  string?     -  final, pending, invalid: the state of the source's count.
    is_flagged    boolean     -  Whether its source flagged it.
    is_deleted    boolean     -  Whether its source deleted it.
    unit          integer     -  Proposals of a DAO with the same number have the same unit of voting power.
    place         string      -  MEMBER of the frame, or the reason why it is not.
  `),
  ...measureColumns(PROPOSAL_MEASURES),
];

export const DELEGATE_COLUMNS = columnsOf(`
  space_id          string   -        The DAO.
  rank              integer  place    Rank by delegated power; 1 has most.
  address           string   -        The delegate's wallet, in lower case.
  ens               string?  -        ENS name that resolves to the wallet and back; null if there is none.
  display_name      string   -        The name, or the shortened address.
  votes_human       number   tokens   Voting power in whole tokens, as the nearest double.
  votes_share_pct   number   %        Share of all delegated power.
  delegators_count  integer  wallets  Wallets that delegate to it.
  weight_tier       string   -        T1, T2 or T3, heaviest first.
`);

export const DELEGATE_DAY_COLUMNS = columnsOf(`
  date         date       -          The day of the listing, and its file's name beside this file.
  block        integer?   -          The last block included, for logs; null for a list.
  as_of        timestamp  -          The moment of the listing.
  source       string     -          list: as published by somebody; logs: computed from the token's events.
  delegates    integer    delegates  Delegates with power, including those not listed.
  total_votes  number     tokens     Their power in whole tokens, as the nearest double.
`);

export const GOVERNANCE_INDEX_COLUMNS: readonly Column[] = [
  ...columnsOf(`
    point      string  -       day: at the end of a day; current: at the version's moment.
    date       date?   -       The day; null for the current point.
    composite  number  points  Decentralized Governance Index, 0 to 10.
  `),
  ...COMPONENT_COLUMNS,
  ...columnsOf(`
    composite_low   number?     points  Low end of the index; null where unknown.
    composite_high  number?     points  High end of the index; null where unknown.
    dao_count       integer?    DAOs    DAOs in the index; published for the current point only.
    calculated_at   timestamp?  -       The moment of the current point; null for a day.
  `),
];

export const HISTORY_COLUMNS: readonly Column[] = [
  ...columnsOf(`
    space_id             string  -       The DAO.
    date                 date    -       The day, scored at its end.
    methodology_version  string  -       The method; points of different methods are not comparable.
    gvs                  number  points  Governance Vitality Score, 0 to 10.
  `),
  ...COMPONENT_COLUMNS,
  ...columnsOf(`
    risk_score         number?  points  Risk, 0 to 100; null if it is not assessed.
    data_completeness  number   %       Share of the data reported by the source that was fetched.
    index_weight       number   share   Weight of the DAO in the index; not rounded.
  `),
];
