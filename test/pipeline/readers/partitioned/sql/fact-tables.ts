import type { DaoFacts } from "../../../../../pipeline/facts/dao-facts.ts";
import { type Choice, VOTE_FLAGS } from "../../../../../pipeline/facts/proposal-votes.ts";
import { DAY } from "../../../score/sample-facts.ts";

type Cell = string | number | null;
/** The columns of the tables that `load.sql` makes of an export, as far as scores look at them. */
const COLUMNS = {
  version: { as_of_ms: "BIGINT" },
  setting: { history_days: "INTEGER" },
  moment: {
    moment_no: "INTEGER",
    at_ms: "BIGINT",
    is_past_day: "INTEGER",
    is_current: "INTEGER",
    is_day_before: "INTEGER",
    is_history_day: "INTEGER",
  },
  space: {
    space_id: "VARCHAR",
    category: "VARCHAR",
    is_flagged: "INTEGER",
    is_archive: "INTEGER",
    last_complete_fetch_ms: "BIGINT",
    is_gated: "INTEGER",
    has_fixed_period: "INTEGER",
    guardians: "INTEGER",
  },
  voter: { voter_no: "INTEGER", person_id: "VARCHAR", entity_no: "INTEGER", is_labelled: "INTEGER" },
  proposal: {
    proposal_no: "INTEGER",
    space_id: "VARCHAR",
    proposal_id: "VARCHAR",
    author_person_id: "VARCHAR",
    created_ms: "BIGINT",
    created_precision: "VARCHAR",
    start_ms: "BIGINT",
    start_precision: "VARCHAR",
    end_ms: "BIGINT",
    end_precision: "VARCHAR",
    voting_type: "VARCHAR",
    choices_count: "INTEGER",
    discussion: "VARCHAR",
    quorum: "DOUBLE",
    is_quorum_rejection: "INTEGER",
    state: "VARCHAR",
    scores_state: "VARCHAR",
    scores_total: "DOUBLE",
    votes_count: "INTEGER",
    strategies_key: "VARCHAR",
    is_shutter: "INTEGER",
    is_flagged: "INTEGER",
    is_deleted: "INTEGER",
    is_ballot_fetched: "INTEGER",
  },
  choice: { choice_no: "INTEGER", choice_kind: "VARCHAR", choice_text: "VARCHAR" },
  vote: {
    proposal_no: "INTEGER",
    voter_no: "INTEGER",
    entity_no: "INTEGER",
    voted_ms: "BIGINT",
    choice_no: "INTEGER",
    power: "DOUBLE",
    has_reason: "INTEGER",
    is_outside_window: "INTEGER",
    is_unreadable: "INTEGER",
  },
} as const;
type Table = keyof typeof COLUMNS;
type Rows = Readonly<Record<Table, readonly (readonly Cell[])[]>>;

const yesNo = (value: boolean | undefined): Cell => (value === undefined ? null : Number(value));

function textOf(choice: Choice): string {
  if (choice.kind === "single") return String(choice.option);
  if (choice.kind === "weights") return JSON.stringify(Object.fromEntries(choice.weights));
  return JSON.stringify(choice);
}

/** The facts of one DAO as the rows of those tables. */
function rowsOf(facts: DaoFacts, momentsMs: readonly number[]): Rows {
  const choices = new Map<string, { readonly no: number; readonly choice: Choice }>();
  const choiceNo = (choice: Choice): number => {
    const known = choices.get(textOf(choice)) ?? { no: choices.size + 1, choice };
    choices.set(textOf(choice), known);
    return known.no;
  };
  const entityNos = new Map<string, number>();
  const entityNo = (voter: number): number => {
    const entity = facts.entityIdOfVoter.get(voter);
    if (entity === undefined) return voter;
    const no = entityNos.get(entity) ?? voter;
    entityNos.set(entity, no);
    return no;
  };
  const voters = new Map<number, readonly Cell[]>();
  const votes: (readonly Cell[])[] = [];
  facts.proposals.forEach(({ proposalId }, at) => {
    const ballot = facts.ballots.get(proposalId);
    ballot?.voterIds.forEach((voter, row) => {
      const flag = ballot.flags[row] ?? 0;
      const has = (mask: number): boolean => (flag & mask) !== 0;
      voters.set(voter, [
        voter,
        facts.entityIdOfVoter.get(voter) ?? `voter ${voter}`,
        entityNo(voter),
        Number(facts.entityIdOfVoter.has(voter)),
      ]);
      votes.push([
        at + 1,
        voter,
        entityNo(voter),
        has(VOTE_FLAGS.timeKnown) ? (ballot.timesS[row] ?? 0) * 1000 : null,
        choiceNo(ballot.choices[ballot.choiceIndexes[row] ?? 0] ?? { kind: "unreadable" }),
        has(VOTE_FLAGS.powerKnown) ? (ballot.powers[row] ?? 0) : null,
        has(VOTE_FLAGS.reasonKnown) ? Number(has(VOTE_FLAGS.reasonGiven)) : null,
        Number(has(VOTE_FLAGS.outsideWindow)),
        Number(has(VOTE_FLAGS.choiceUnreadable)),
      ]);
    });
  });
  const { spaceId } = facts.dao;
  const { space } = facts;
  return {
    version: [[momentsMs.at(-1) ?? 0]],
    setting: [[1]],
    moment: momentsMs.map((atMs, at) => {
      const isCurrent = Number(at === momentsMs.length - 1);
      return [at + 1, atMs, 1 - isCurrent, isCurrent, 0, 1 - isCurrent];
    }),
    space: [
      [
        spaceId,
        facts.dao.category,
        Number(space?.isFlagged ?? false),
        Number(facts.isArchive),
        facts.lastCompleteFetchMs ?? null,
        yesNo(space?.isProposingGated),
        yesNo(space?.hasFixedPeriod),
        space?.adminsAndModeratorsCount ?? null,
      ],
    ],
    voter: [...voters.values()],
    proposal: facts.proposals.map((proposal, at) => [
      at + 1,
      spaceId,
      proposal.proposalId,
      proposal.author ?? null,
      ...[proposal.created, proposal.start, proposal.end].flatMap((moment) => [
        moment?.atMs ?? null,
        moment?.precision ?? null,
      ]),
      proposal.votingType ?? null,
      proposal.choicesCount ?? null,
      proposal.discussion ?? null,
      proposal.quorum ?? null,
      Number(proposal.isQuorumRejection),
      proposal.state ?? null,
      proposal.scoresState ?? null,
      proposal.scoresTotal ?? null,
      proposal.votesCount ?? null,
      proposal.strategiesKey ?? null,
      Number(proposal.isShutter),
      Number(proposal.isFlagged),
      Number(proposal.isDeleted),
      Number(facts.ballots.has(proposal.proposalId)),
    ]),
    choice: [...choices.values()].map(({ no, choice }) => [no, choice.kind, textOf(choice)]),
    vote: votes,
  };
}

const written = (cell: Cell): string =>
  cell === null ? "NULL" : typeof cell === "string" ? `'${cell.replaceAll("'", "''")}'` : String(cell);
const ROWS_AT_ONCE = 1000;

/** Statements that make and fill the tables; `columnOf` says a column's type in the words of an engine, `tail` what ends its table. */
export function fillTables(
  facts: DaoFacts,
  momentsMs: readonly number[],
  columnOf: (type: string) => string = (type) => type,
  tail = "",
): readonly string[] {
  const rows = rowsOf(facts, momentsMs);
  return (Object.keys(COLUMNS) as Table[]).flatMap((table) => {
    const columns = Object.entries(COLUMNS[table]).map(([name, type]) => `${name} ${columnOf(type)}`);
    const parts = Array.from({ length: Math.ceil(rows[table].length / ROWS_AT_ONCE) }, (_, part) =>
      rows[table].slice(part * ROWS_AT_ONCE, (part + 1) * ROWS_AT_ONCE),
    );
    return [
      `CREATE OR REPLACE TABLE ${table} (${columns.join(", ")})${tail}`,
      ...parts.map(
        (part) =>
          `INSERT INTO ${table} VALUES ${part.map((row) => `(${row.map(written).join(", ")})`).join(", ")}`,
      ),
    ];
  });
}

/** The files that score, in their order, after the facts and the moments are there. */
export const SCORING_FILES = [
  "choices.sql",
  "votes.sql",
  "discussion-links.sql",
  "frames.sql",
  "alike.sql",
  "distributions.sql",
  "loyalty.sql",
  "batches.sql",
  "deliberation.sql",
  "marks.sql",
  "components.sql",
  "risk.sql",
  "completeness.sql",
  "daily-points.sql",
  "ranks.sql",
  "governance-index.sql",
  "persons.sql",
  "results.sql",
] as const;

/** Moments as of which the tests compare: two days apart, and half a year later, when nobody votes any more. */
export function momentsAround(atMs: number): readonly number[] {
  return [atMs - 2 * DAY, atMs, atMs + 150 * DAY];
}
