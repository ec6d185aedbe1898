import { MEASURE_COLUMNS } from "../../../../snapshots/format/proposal-line.ts";
import { COMPONENT_KEYS } from "../../../../snapshots/format/value-sets.ts";
import {
  CONCENTRATION_COLUMNS,
  type Column,
  columnsOf,
  LINK_COLUMNS,
  PROPOSAL_COLUMNS,
  RISK_COLUMNS,
  TITLE_COLUMNS,
} from "../../../documents/columns.ts";
import { COMPONENT_TEXTS } from "../../../score/method/indicators.ts";

const momentColumns = (name: string, what: string) =>
  columnsOf(`
    ${name}_at_ms      integer?  ms  ${what}, since 1970 in UTC; for a day its first moment, or for the end its last.
    ${name}_precision  string?   -   second, or day if the time of day is unknown.
  `);

const PROPOSAL_FACTS: readonly Column[] = [
  ...columnsOf(`
    space_id     string  -  The DAO.
    proposal_id  string  -  Id of the proposal at its source.
  `),
  ...TITLE_COLUMNS,
  ...columnsOf(`
    author_id         string?  -  The author's pseudonym; the same as a voter's.
    author_person_id  string?  -  The author's person id, as in voters.
  `),
  ...momentColumns("created", "When it was created"),
  ...momentColumns("start", "When voting begins"),
  ...momentColumns("end", "When voting ends"),
  ...columnsOf(`
    voting_type          string?   -        basic, single-choice, approval, ranked-choice, copeland, weighted, quadratic, fractional, unknown.
    choices_count        integer?  choices  Number of choices.
    discussion           string?   -        The author's link to the discussion, with ffff… for any address in it; empty if the author gave none.
    quorum               number?   power    Power that the proposal requires.
    is_quorum_rejection  boolean   -        Whether its quorum counts votes against (a veto).
    quorum_power         number?   power    Power that counts for its quorum; null if all power cast counts.
    state                string?   -        pending, active, closed, cancelled.
    scores_state         string?   -        final, pending, invalid: the state of the source's count; null counts as final.
    scores_total         number?   power    Power cast, as reported by the source.
    votes_count          integer?  votes    Number of voters, as reported by the source.
    strategies_sha256    string?   -        Hash of its voting strategies' canonical text; equal hashes mean the same unit of power; null if it has no own strategies.
    is_shutter           boolean   -        Whether votes were encrypted until the end.
    is_flagged           boolean   -        Whether its source flagged it.
    is_deleted           boolean   -        Whether its source deleted it.
    ballot_votes_count   integer?  votes    Its rows in ballots; null if its ballot was not fetched.
  `),
];

/** Whether a column of the published line is not already among the facts above. */
const isMeasured = ({ name }: Column): boolean =>
  ["unit", "place"].includes(name) ||
  MEASURE_COLUMNS.some((measure) => measure === name && !name.startsWith("declared_"));

/** The facts of a proposal, and the measures in the published line: the results to compare with when computing them again. */
export const KNOWN_PROPOSAL_COLUMNS: readonly Column[] = [
  ...PROPOSAL_FACTS,
  ...PROPOSAL_COLUMNS.filter(isMeasured).map((column) => ({ ...column, name: `measured_${column.name}` })),
];

export const SPACE_COLUMNS: readonly Column[] = [
  ...columnsOf(`
    space_id  string  -  The DAO.
    name      string  -  Name in the registry.
    category  string  -  Purpose: defi, infrastructure, public_goods, social.
  `),
  ...LINK_COLUMNS,
  ...columnsOf(`
    as_of_ms                     integer   ms        The moment of the version, since 1970 in UTC.
    is_fetched                   boolean   -         Whether it was ever fetched completely; otherwise it has no other facts.
    is_archive                   boolean   -         Whether its facts are an archive of closed proposals, which does not age.
    last_complete_fetch_ms       integer?  ms        When it was last fetched completely.
    source_ids                   string    -         Sources of complete fetches, separated by commas.
    is_proposing_gated           boolean?  -         Whether proposing is restricted.
    has_fixed_period             boolean?  -         Whether the space fixes the voting period.
    quorum                       number?   power     Quorum of the space; 0 means none.
    admins_and_moderators_count  integer?  accounts  Accounts that may hide other accounts' proposals.
    is_flagged                   boolean?  -         Whether its platform flagged it as abuse or spam; if so, it is not scored.
    token_decimals               integer?  digits    Decimals of the token in its registry entry.
    is_self_by_default           boolean?  -         Whether holders of that token who delegated to nobody keep their own power.
  `),
];

export const BALLOT_COLUMNS = columnsOf(`
  space_id              string    -      The DAO.
  proposal_id           string    -      Id of the proposal at its source.
  voter_id              string    -      The voter's pseudonym.
  power                 number?   power  Voting power; null if unknown.
  cast_at_ms            integer?  ms     When it was cast, since 1970 in UTC, to the second; if only the day is known, its start.
  cast_precision        string?   -      second, day; null if the time is unknown.
  choice_number         integer   -      Votes on a proposal with the same number have the same choice.
  choice_kind           string    -      single, list, weights, unreadable.
  choice                string?   -      The choice as canonical JSON: 2, [1,3] (an approval in ascending order, a ranking in its own order), {"1":0.5,"3":2} (weights by option, without zeros).
  is_reason_given       boolean?  -      Whether a reason was given; null if the source does not report it.
  is_final              boolean   -      Whether its power is final.
  is_outside_window     boolean   -      Whether it was cast before the start or after the end: kept, never measured.
  is_choice_unreadable  boolean   -      Whether the choice is out of range, of an unknown form or was never decrypted: kept, never measured.
`);

export const VOTER_COLUMNS = columnsOf(`
  voter_id     string   -  The voter's pseudonym, 32 hex digits.
  person_id    string   -  A pseudonym shared by all wallets of an entity in the registry; any other wallet has its own.
  is_labelled  boolean  -  Whether the registry knows the owner; only other voters are merged if they vote alike.
`);

export const DELEGATE_LIST_COLUMNS = columnsOf(`
  space_id          string   -        The DAO.
  date              date     -        The day of the list.
  as_of_ms          integer  ms       The moment of the list, since 1970 in UTC.
  is_complete       boolean  -        Whether the list is complete; from an incomplete one no total, share or tier is derived.
  decimals          integer  digits   Decimals of the token: whole tokens are votes / 10^decimals.
  fetched_at_ms     integer  ms       When it was fetched, since 1970 in UTC.
  account_id        string   -        The delegate, under another pseudonym than as a voter.
  votes             string   -        In the token's smallest unit, in decimal digits.
  delegators_count  integer  wallets  Wallets that delegate to it.
`);

export const DELEGATION_EVENT_COLUMNS = columnsOf(`
  space_id       string    -   The DAO.
  block_number   integer   -   The block.
  log_index      integer   -   Index of the log in the block.
  block_time_ms  integer?  ms  Time of the block, since 1970 in UTC.
  kind           string    -   delegate-changed, votes-changed, transfer.
  delegator_id   string?   -   For delegate-changed: the delegator, under another pseudonym than as a voter.
  delegate_id    string?   -   For votes-changed: the delegate, under another pseudonym than as a voter.
  from_id        string?   -   For delegate-changed the previous delegate, for transfer the sender; null for the zero address (nobody).
  to_id          string?   -   For delegate-changed the new delegate, for transfer the receiver; null for the zero address (nobody).
  before_votes   string?   -   For votes-changed: votes before it, in the token's smallest unit, in decimal digits.
  after_votes    string?   -   The same after it.
  amount         string?   -   For transfer: the amount in the token's smallest unit, in decimal digits; 1 for an ERC-721 token.
`);

const intervalColumns = (name: string, title: string) =>
  columnsOf(`
    ${name}       number  points  ${title}
    ${name}_low   number  points  Low end of its interval.
    ${name}_high  number  points  High end of its interval.
  `);

export const SCORES_COLUMNS: readonly Column[] = [
  ...columnsOf(`
    space_id             string   -   The DAO.
    as_of_ms             integer  ms  The moment of the scores, since 1970 in UTC.
    methodology_version  string   -   The method; points of different methods are not comparable.
    unscored             string?  -   Why there is only an interval and no score; null for a scored DAO.
  `),
  ...intervalColumns("gvs", "Governance Vitality Score, 0 to 10."),
  ...columnsOf(`
    known_share     number  share  Share of the score that is known.
    gvs_confidence  string  -      high: at least 20 proposals; low: fewer.
    presence_low    number  share  How active the DAO is now: multiplies all components.
    presence_high   number  share  The same if proposals were missed since the last fetch.
  `),
  ...COMPONENT_KEYS.flatMap((key) => intervalColumns(key, `${COMPONENT_TEXTS[key].title}, 0 to 10.`)),
  ...columnsOf(`
    risk_score            number?  points  Risk, 0 to 100; published for scored DAOs.
    risk_low              number?  points  Low end of its interval.
    risk_high             number?  points  High end of its interval.
    risk_base             number?  points  Risk before its floor.
    risk_dominance_floor  number?  points  Minimum if one voter decides alone.
  `),
  ...RISK_COLUMNS,
  ...columnsOf(`
    risk_level             string?   -          low, moderate, high, critical; for scored DAOs.
    risk_trend             string?   -          improving: the risk falls; stable; declining: the risk rises; for scored DAOs.
    data_completeness_pct  number?   %          Share of the data reported by the source that was fetched.
    known                  integer?  proposals  Known proposals.
    members                integer?  proposals  Proposals in the frame.
    eligible               integer?  proposals  Eligible proposals.
    frame_weight           number?   proposals  Total weight of the frame.
  `),
  ...CONCENTRATION_COLUMNS,
  ...columnsOf(`
    fetched_at_ms          integer?  ms         Until when its votes are known, since 1970 in UTC: the last complete fetch, or the end of an archive's last day with votes.
    author_weight          number    proposals  Weight of the proposals with a known author.
    author_weight_squares  number    -          Sum of their squared weights.
    author_sum_squares     number    -          Sum over authors of the squared weight of their proposals.
    active_voters          integer?  voters     Active voters; no score uses them.
    delegation_hhi_points  number?   points     Concentration of delegated power, 0 to 10,000.
    delegation_as_of_ms    integer?  ms         The moment of the delegation data, since 1970 in UTC.
    index_weight           number    share      Weight of the DAO in the index.
    rank                   integer?  place      Rank among scored DAOs.
    rank_best              integer?  place      Best rank that the intervals of all DAOs allow.
    rank_worst             integer?  place      Worst rank that the intervals allow.
    delta_24h              number?   points     Change of the gvs in the last 24 hours, rounded as published.
  `),
];
