import type { Concentration } from "../../snapshots/format/concentration.ts";
import { MARK_IDS } from "../../snapshots/format/proposal-line.ts";
import { COMPONENT_KEYS } from "../../snapshots/format/value-sets.ts";
import { invariant } from "../facts/errors.ts";
import { COMPONENT_TEXTS, indicatorTexts } from "../score/method/indicators.ts";

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

export const COMPONENT_COLUMNS = COMPONENT_KEYS.flatMap((key) =>
  columnsOf(`${key} number points ${COMPONENT_TEXTS[key].title}, 0 to 10.`),
);

/** The factors of a risk as in evidence, with the rate from which the velocity follows. */
export const RISK_COLUMNS = columnsOf(`
  governance_capture_risk  string?   -          low, moderate, high, critical.
  whale_control_pct        number?   %          Weighted mean of the joint share of the four largest voters.
  active_voter_count       integer?  voters     Voters with at least a millionth of the power of a known ballot of the last 90 days; not used in any score; empty if no vote of that time is known.
  delegate_centralization  string?   -          low, moderate, high, critical, unknown.
  proposal_velocity        string?   -          dormant, low, moderate, high, very_high.
  proposals_per_month      number?   proposals  The rate from which the velocity follows.
  checkpoint_voting_pct    number?   %          Capped power that voted within a minute of its vote on an earlier proposal; empty if no time is known.
`);

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
  ...RISK_COLUMNS.filter(({ name }) => name !== "proposals_per_month"),
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

const MARK_COLUMNS = MARK_IDS.flatMap((id) =>
  columnsOf(`
    ${id}_low   number?  mark  Low end of the mark: ${indicatorTexts(id).asks}.
    ${id}_high  number?  mark  High end of the mark: ${indicatorTexts(id).asks}.
  `),
);

const WHATEVER = "that it may be, whatever votes are unknown.";

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
  ...columnsOf(`
    declared_votes  integer?  votes  Votes that the source declares.
    declared_power  number?   power  Power that the source declares.
    power           number?   power  Power cast (S): the power that the source declares, or else the sum of all fetched votes.
    attention       number?   share  How much of the usual power it drew, times the continuity of its voting strategies (ω).
    weight          number?   share  Its attention, fading to 0 over two years: its weight in every mean (w).
    votes           integer?  votes  Fetched votes.
  `),
  ...MARK_COLUMNS,
  ...columnsOf(`
    loyalty_attention     number?   proposals  Sum of the attention of the earlier proposals that loyalty compares; at most 10.
    top_share             number?   share      Share of the largest voter.
    merged_top_share      number?   share      Share of the largest voter after voters that vote alike are merged.
    whale_share           number?   share      Joint share of the four largest voters.
    majority_voters       integer?  voters     The smallest number of voters that hold more than half together.
    majority_voters_low   integer?  voters     The least ${WHATEVER}
    majority_voters_high  integer?  voters     The most ${WHATEVER}
    hhi_points            number?   points     Sum of the squared shares of the voters, 0 to 10,000; reported, never scored.
    hhi_points_low        number?   points     The least ${WHATEVER}
    hhi_points_high       number?   points     The most ${WHATEVER}
    gini                  number?   share      Inequality among the voters; reported, never scored.
    gini_low              number?   share      The least ${WHATEVER}
    gini_high             number?   share      The most ${WHATEVER}
    quorum                number?   power      Power that the proposal requires.
    quorum_power          number?   power      Power that counts for the quorum; empty if all power cast counts.
    fetched_share         number?   share      The part of the ballot's power that was fetched.
    fields_share          number?   share      The known part of nine fields: author, created, start, end, type, choices, discussion, scores_total, votes.
  `),
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
