import type { ChoiceBook } from "./choices.ts";
import { type ProposalVotes, VOTE_FLAGS } from "./proposal-votes.ts";
import type { VoteColumns, VoteRows } from "./vote-columns.ts";

/** A vote that was dropped (a duplicate) or that stays in the ballot and is measured by nothing. */
export interface SetAsideVote {
  readonly line: number;
  readonly code: "DUPLICATE_VOTE" | "VOTE_OUTSIDE_WINDOW" | "CHOICE_UNREADABLE";
  readonly message: string;
}

/** Room to sort the rows of a ballot in, as long as the longest: one for all ballots of a DAO. */
export interface SortingRoom {
  readonly keys: Float64Array;
  readonly kept: Uint32Array;
}

/** The most rows one ballot may have: a place and a voter number then still fit into one exact double. */
export const BALLOT_ROWS_MAX = 2 ** 21;

const SET_ASIDE = VOTE_FLAGS.outsideWindow | VOTE_FLAGS.choiceUnreadable;

/**
 * One row for each voter, by voter number: the last by (created, id, line). `rows` are those of this ballot in order
 * of arrival, at most `BALLOT_ROWS_MAX`; `numbers` the voters' own, by what the rows hold for them.
 */
export function finishVotes(
  { proposalId, choices: book }: { readonly proposalId: string; readonly choices: ChoiceBook },
  rows: Uint32Array,
  columns: VoteColumns,
  numbers: Uint32Array | undefined,
  room: SortingRoom,
): { readonly ballot: ProposalVotes; readonly setAside: readonly SetAsideVote[] } {
  const all = columns.rows();
  const setAside: SetAsideVote[] = [];
  const keys = keysByVoter(rows, all.voters, numbers, room.keys.subarray(0, rows.length));
  const kept = lastRows(keys, rows, columns, setAside, room.kept);
  const count = kept.length;
  const { choices, indexOf } = book.inOrder(distinctChoices(kept, all, book.count()));
  const ballot: ProposalVotes = { ...blankVotes(proposalId, count), choices };
  for (let place = 0; place < count; place += 1) {
    // Rows and choices of this ballot alone: all of them are inside their columns.
    const row = kept[place] as number;
    const voter = all.voters[row] as number;
    const flags = all.flags[row] as number;
    ballot.voterIds[place] = numbers === undefined ? voter : (numbers[voter] as number);
    ballot.powers[place] = all.powers[row] as number;
    ballot.timesS[place] = all.timesS[row] as number;
    ballot.choiceIndexes[place] = indexOf[all.choices[row] as number] as number;
    ballot.flags[place] = flags;
    if ((flags & SET_ASIDE) !== 0) setAside.push(...reasonsOf(row, all, book));
  }
  setAside.sort((a, b) => a.line - b.line);
  return { ballot, setAside };
}

/** A ballot of so many places and nothing in them. */
export function blankVotes(proposalId: string, count: number): Omit<ProposalVotes, "choices"> {
  return {
    proposalId,
    count,
    voterIds: new Uint32Array(count),
    powers: new Float64Array(count),
    timesS: new Uint32Array(count),
    choiceIndexes: new Uint32Array(count),
    flags: new Uint8Array(count),
  };
}

/** Voter numbers and places in one exact double each, sorted: natively, many times faster than by a comparing function. */
function keysByVoter(
  rows: Uint32Array,
  voters: Uint32Array,
  numbers: Uint32Array | undefined,
  keys: Float64Array,
): Float64Array {
  for (let place = 0; place < rows.length; place += 1) {
    const voter = voters[rows[place] as number] as number;
    keys[place] = (numbers === undefined ? voter : (numbers[voter] as number)) * BALLOT_ROWS_MAX + place;
  }
  return keys.sort();
}

/** The row that counts of each voter; the others are set aside. */
function lastRows(
  keys: Float64Array,
  rows: Uint32Array,
  columns: VoteColumns,
  setAside: SetAsideVote[],
  kept: Uint32Array,
): Uint32Array {
  let count = 0;
  let voterBefore = -1;
  for (let place = 0; place < keys.length; place += 1) {
    const key = keys[place] as number;
    const voter = Math.floor(key / BALLOT_ROWS_MAX);
    const row = rows[key - voter * BALLOT_ROWS_MAX] as number;
    if (voter !== voterBefore) {
      kept[count] = row;
      count += 1;
      voterBefore = voter;
      continue;
    }
    const rival = kept[count - 1] as number;
    const isLater = compareRows(columns, rival, row) < 0;
    if (isLater) kept[count - 1] = row;
    const line = columns.rows().lines[isLater ? rival : row] as number;
    const message = "another vote of the same voter on this proposal is counted";
    setAside.push({ line, code: "DUPLICATE_VOTE", message });
  }
  return kept.subarray(0, count);
}

function compareRows(columns: VoteColumns, a: number, b: number): number {
  const { timesS, lines } = columns.rows();
  const byTime = (timesS[a] as number) - (timesS[b] as number);
  if (byTime !== 0) return byTime;
  const [idA, idB] = [columns.idOf(a), columns.idOf(b)];
  return (idA < idB ? -1 : idA > idB ? 1 : 0) || (lines[a] as number) - (lines[b] as number);
}

function distinctChoices(kept: Uint32Array, all: VoteRows, choicesCount: number): readonly number[] {
  const isThere = new Uint8Array(choicesCount);
  const distinct: number[] = [];
  for (let place = 0; place < kept.length; place += 1) {
    const choice = all.choices[kept[place] as number] as number;
    if (isThere[choice] === 1) continue;
    isThere[choice] = 1;
    distinct.push(choice);
  }
  return distinct;
}

function reasonsOf(row: number, { lines, flags, choices }: VoteRows, book: ChoiceBook): SetAsideVote[] {
  const line = lines[row] as number;
  const reasons: SetAsideVote[] = [];
  if (((flags[row] as number) & VOTE_FLAGS.outsideWindow) !== 0) {
    const message = "cast before the vote began or after it ended";
    reasons.push({ line, code: "VOTE_OUTSIDE_WINDOW", message });
  }
  const { unreadableBecause } = book.at(choices[row] as number);
  if (unreadableBecause !== undefined) {
    const message = `the choice cannot be counted: ${unreadableBecause}`;
    reasons.push({ line, code: "CHOICE_UNREADABLE", message });
  }
  return reasons;
}
