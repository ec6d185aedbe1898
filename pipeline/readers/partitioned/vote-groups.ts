import type { ProposalLine } from "../../../snapshots/format/proposal-line.ts";
import { PipelineError } from "../../facts/errors.ts";
import type { Moment, Proposal } from "../../facts/proposal.ts";
import { type Choice, type ProposalVotes, VOTE_FLAGS } from "../../facts/proposal-votes.ts";
import { sumOfPowers } from "../../score/frame/counted-votes.ts";
import type { ColumnGroup, ColumnValues } from "../tables/encode.ts";
import type { NamedVoters } from "./named-voters.ts";

/** What a version says of a fetched ballot. */
export interface HeldVotes {
  readonly votes: number;
  /** `undefined` where the power of one is unknown, or the sum is no finite number. */
  readonly power: number | undefined;
}

/** The votes of a ballot and their power, added up as the published line has it, to the last bit. */
export function heldVotes(ballot: ProposalVotes): HeldVotes {
  const { count, flags } = ballot;
  let isPowerKnown = count > 0;
  for (let row = 0; row < count && isPowerKnown; row += 1) {
    isPowerKnown = ((flags[row] as number) & VOTE_FLAGS.powerKnown) !== 0;
  }
  const power = isPowerKnown ? sumOfPowers(ballot) : Number.NaN;
  return { votes: count, power: Number.isFinite(power) ? power : undefined };
}

const isAlike = (said: unknown, known: unknown): boolean => (said ?? undefined) === known;
const isOf = (said: string | null, known: Moment | undefined): boolean =>
  isAlike(said === null ? null : Date.parse(said), known?.atMs);

/** Which fact of a proposal the version saw otherwise, or nothing. */
function differenceOf(
  line: ProposalLine | undefined,
  proposal: Proposal,
  held: HeldVotes | undefined,
): string | undefined {
  if (line === undefined) return "the version does not know it";
  const facts: readonly (readonly [string, boolean])[] = [
    ["created", isOf(line.created_at, proposal.created)],
    ["start", isOf(line.start_at, proposal.start)],
    ["end", isOf(line.end_at, proposal.end)],
    ["state", isAlike(line.state, proposal.state)],
    ["scores_state", isAlike(line.scores_state, proposal.scoresState)],
    ["flagged", line.is_flagged === proposal.isFlagged],
    ["deleted", line.is_deleted === proposal.isDeleted],
    ["votes_count", isAlike(line.declared_votes, proposal.votesCount)],
    ["scores_total", isAlike(line.declared_power, proposal.scoresTotal)],
    ["votes of its ballot", isAlike(line.fetched_votes, held?.votes)],
    ["power of its ballot", isAlike(line.fetched_power, held?.power)],
  ];
  return facts.find(([, isSame]) => !isSame)?.[0];
}

/**
 * Makes sure that a version was made of these very facts: scores beside votes that they do not come from would make every
 * computation on them wrong without a word. Throws `PipelineError` SNAPSHOT_STALE.
 */
export function assertBelonging(
  version: string,
  spaceId: string,
  proposals: readonly Proposal[],
  lines: ReadonlyMap<string, ProposalLine>,
  held: ReadonlyMap<string, HeldVotes>,
): void {
  const refuse = (what: string): never => {
    throw new PipelineError(
      "SNAPSHOT_STALE",
      `version ${version} was not made of what the home holds of ${spaceId}: ${what}`,
      { hint: "`govdata publish` makes a version of what the home holds now; export that one." },
    );
  };
  if (lines.size !== proposals.length) {
    refuse(`it knows ${lines.size} proposals, the home ${proposals.length}`);
  }
  for (const proposal of proposals) {
    const { proposalId } = proposal;
    const difference = differenceOf(lines.get(proposalId), proposal, held.get(proposalId));
    if (difference !== undefined) refuse(`proposal ${proposalId} differs (${difference})`);
  }
}

/** Rows of one row group: what is held in memory at a time, and what a reader can skip at once. */
const GROUP_ROWS = 2 ** 16;

const { powerKnown, timeKnown, dayKnown, reasonGiven, reasonKnown, final, outsideWindow, choiceUnreadable } =
  VOTE_FLAGS;

/** A choice in its one spelling; nothing of one that nobody can read. */
export function choiceText(choice: Choice): string | null {
  switch (choice.kind) {
    case "single":
      return String(choice.option);
    case "list":
      return JSON.stringify(choice.options);
    case "weights":
      // Whole numbers as keys stand in ascending order by themselves.
      return JSON.stringify(Object.fromEntries(choice.weights));
    case "unreadable":
      return null;
  }
}

/** Columns of one group, filled from the front. */
function createColumns() {
  const texts = () => new Array<string | null>(GROUP_ROWS).fill(null);
  return {
    space_id: texts(),
    proposal_id: texts(),
    voter_id: texts(),
    power: new Float64Array(GROUP_ROWS),
    cast_at_ms: new BigInt64Array(GROUP_ROWS),
    cast_precision: texts(),
    choice_number: new BigInt64Array(GROUP_ROWS),
    choice_kind: texts(),
    choice: texts(),
    is_reason_given: new Array<boolean | null>(GROUP_ROWS).fill(null),
    is_final: new Array<boolean>(GROUP_ROWS).fill(false),
    is_outside_window: new Array<boolean>(GROUP_ROWS).fill(false),
    is_choice_unreadable: new Array<boolean>(GROUP_ROWS).fill(false),
  };
}
type Columns = ReturnType<typeof createColumns>;

/** The first rows of a column; a number that is not known becomes null, of which a typed array has none. */
function firstOf<Value>(
  values: ArrayLike<Value> & { subarray(from: number, to: number): ColumnValues },
  rows: number,
  isKnown: (row: number) => boolean,
): ColumnValues {
  for (let row = 0; row < rows; row += 1) {
    if (isKnown(row)) continue;
    return Array.from({ length: rows }, (_, at) => (isKnown(at) ? values[at] : null));
  }
  return values.subarray(0, rows);
}

function groupOf(columns: Columns, flags: Uint8Array, rows: number): ColumnGroup {
  const { power, cast_at_ms, choice_number, ...others } = columns;
  const whole = rows === GROUP_ROWS;
  const cut = Object.entries(others).map(([name, values]) => [name, whole ? values : values.slice(0, rows)]);
  const has = (mask: number) => (row: number) => ((flags[row] as number) & mask) !== 0;
  return {
    rows,
    values: {
      ...(Object.fromEntries(cut) as Record<string, ColumnValues>),
      power: firstOf(power, rows, has(powerKnown)),
      cast_at_ms: firstOf(cast_at_ms, rows, has(timeKnown | dayKnown)),
      choice_number: choice_number.subarray(0, rows),
    },
  };
}

/** The rows of a ballot in the order of their voters' pseudonyms: one by address would tell who they are. */
function rowsByRank(
  { count, voterIds }: ProposalVotes,
  rankOf: (voterNumber: number) => number,
): Float64Array {
  // Rank and row in one number, because numbers alone are sorted fast; both are below 2^26.
  const keys = Float64Array.from(voterIds, (voterNumber, row) => rankOf(voterNumber) * count + row);
  return keys.sort().map((key) => key % count);
}

/**
 * A function that gives the votes of one DAO as the columns of `ballots`, straight from its ballots' own. All groups of all
 * DAOs lie in the same memory: each is overwritten by the next.
 */
export function createVotesGroups({
  voterIdOf,
  rankOf,
}: Pick<NamedVoters, "voterIdOf" | "rankOf">): (
  spaceId: string,
  ballots: Iterable<ProposalVotes>,
) => Generator<ColumnGroup> {
  const columns = createColumns();
  const flags = new Uint8Array(GROUP_ROWS);

  const put = (
    at: number,
    spaceId: string,
    ballot: ProposalVotes,
    row: number,
    text: string | null,
  ): void => {
    // Every row of a ballot is in all of its columns, and its choice among its choices.
    const flag = ballot.flags[row] as number;
    const choice = ballot.choiceIndexes[row] as number;
    flags[at] = flag;
    columns.space_id[at] = spaceId;
    columns.proposal_id[at] = ballot.proposalId;
    columns.voter_id[at] = voterIdOf(ballot.voterIds[row] as number);
    columns.power[at] = ballot.powers[row] as number;
    columns.cast_at_ms[at] = BigInt((ballot.timesS[row] as number) * 1000);
    columns.cast_precision[at] = (flag & timeKnown) !== 0 ? "second" : (flag & dayKnown) !== 0 ? "day" : null;
    columns.choice_number[at] = BigInt(choice);
    columns.choice_kind[at] = ballot.choices[choice]?.kind ?? null;
    columns.choice[at] = text;
    columns.is_reason_given[at] = (flag & reasonKnown) === 0 ? null : (flag & reasonGiven) !== 0;
    columns.is_final[at] = (flag & final) !== 0;
    columns.is_outside_window[at] = (flag & outsideWindow) !== 0;
    columns.is_choice_unreadable[at] = (flag & choiceUnreadable) !== 0;
  };
  return function* (spaceId, ballots) {
    let rows = 0;
    for (const ballot of ballots) {
      const texts = ballot.choices.map(choiceText);
      for (const row of rowsByRank(ballot, rankOf)) {
        put(rows, spaceId, ballot, row, texts[ballot.choiceIndexes[row] as number] ?? null);
        rows += 1;
        if (rows < GROUP_ROWS) continue;
        yield groupOf(columns, flags, rows);
        rows = 0;
      }
    }
    if (rows > 0) yield groupOf(columns, flags, rows);
  };
}
