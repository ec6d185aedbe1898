import { DAY_MS } from "../../snapshots/base/days.ts";
import { type ChoiceTable, createChoiceTable } from "./choices.ts";
import { invariant, sourceFailed } from "./errors.ts";
import type { Proposal } from "./proposal.ts";
import { type CastVote, flagsOfCast, type ProposalVotes, VOTE_FLAGS } from "./proposal-votes.ts";
import { createVoteColumns, type VoteColumns } from "./vote-columns.ts";

/** The most rows a ballot may have; up to here, a voter number and a row index fit into one exact double. */
const BALLOT_ROWS_MAX = 2 ** 21;

/** The ballot of one proposal while its votes are being collected. */
export interface OpenVotes {
  readonly proposalId: string;
  /** Index among the ballots of the collection, in the order of their first votes; −1 before the first vote. */
  number: number;
  readonly choices: ChoiceTable;
  readonly startMs: number;
  readonly endMs: number;
  rows: number;
}

/** A vote that was dropped (a duplicate), or that stays in the ballot but enters no measure. */
interface SetAsideVote {
  readonly line: number;
  readonly code: "DUPLICATE_VOTE" | "VOTE_OUTSIDE_WINDOW" | "CHOICE_UNREADABLE";
  readonly message: string;
}

export interface FinishedVotes {
  readonly ballot: ProposalVotes;
  readonly setAside: readonly SetAsideVote[];
}

/** Creates an empty collection. The same votes give the same ballots, in whatever order they are added. */
export function createVoteCollection() {
  const columns = createVoteColumns();
  const ballots: OpenVotes[] = [];
  const byProposal = new Map<string, OpenVotes>();

  const put = (
    ballot: OpenVotes,
    voter: number,
    timeS: number,
    power: number,
    choice: number,
    flags: number,
    line: number,
  ) => {
    invariant(power >= 0 && power < Infinity, "a power is finite and not negative");
    if (ballot.rows >= BALLOT_ROWS_MAX) throw sourceFailed(`a ballot has more than ${BALLOT_ROWS_MAX} votes`);
    if (ballot.rows === 0) {
      ballot.number = ballots.length;
      ballots.push(ballot);
    }
    ballot.rows += 1;
    const isUnreadable = ballot.choices.unreadableBecause(choice) !== undefined;
    const allFlags =
      flags | outsideWindow(ballot, timeS, flags) | (isUnreadable ? VOTE_FLAGS.choiceUnreadable : 0);
    // −0 and 0 are the same power and must have the same bytes.
    columns.append(ballot.number, voter, timeS, power === 0 ? 0 : power, choice, allFlags, line);
  };
  return {
    /**
     * Adds a vote given as numbers, without an object per vote. `choice` is a number from `ballot.choices`; `flags`
     * are the vote's own flags (`flagsOfCast`). Throws `SOURCE_FAILED` above `BALLOT_ROWS_MAX` rows.
     */
    put,
    /** The ballot of a proposal. A ballot without votes does not appear in `finished`. */
    ballotOf(proposal: Proposal): OpenVotes {
      const { proposalId, start, end } = proposal;
      const ballot = byProposal.get(proposalId) ?? {
        proposalId,
        number: -1,
        choices: createChoiceTable(proposal),
        startMs: start?.atMs ?? -Infinity,
        endMs: end?.atMs ?? Infinity,
        rows: 0,
      };
      byProposal.set(proposalId, ballot);
      return ballot;
    },
    /** Sets the id of the vote added last: 0x and 64 lower-case hex digits as 32-bit words, or another form as text. */
    setLastId: columns.setLastId,
    setLastIdText: columns.setLastIdText,
    add(ballot: OpenVotes, vote: CastVote) {
      const { voterId, created, power = 0, voteId, line } = vote;
      const choice = ballot.choices.numberOf(vote.choice);
      put(ballot, voterId, created?.atS ?? 0, power, choice, flagsOfCast(vote), line);
      if (voteId !== undefined) columns.setLastIdText(voteId);
    },
    /**
     * Yields the ballots in the order of their first votes: each voter's last vote by (created, id, line), and the votes
     * set aside, by line. `numbers` maps the `voter` values that were added to voter numbers; without it, they are voter
     * numbers already. Ends the collection.
     */
    *finished(numbers?: Uint32Array): Generator<FinishedVotes> {
      const order = rowsByVotes(columns.rows().ballots, columns.count(), ballots);
      let from = 0;
      for (const ballot of ballots) {
        const rows = order.subarray(from, from + ballot.rows);
        from += ballot.rows;
        yield finishVotes(ballot, rows, columns, numbers);
      }
      columns.release();
    },
  };
}

/** Collects the ballot of a proposal, whose voters have numbers. The order in which votes are added does not matter. */
export function createVotesBuilder(proposal: Proposal) {
  const collection = createVoteCollection();
  const ballot = collection.ballotOf(proposal);
  return {
    add: (vote: CastVote) => collection.add(ballot, vote),
    /** As `finished`, but also without votes. */
    finish(): FinishedVotes {
      const [finished] = collection.finished();
      return finished ?? { ballot: { ...blankVotes(proposal.proposalId, 0), choices: [] }, setAside: [] };
    },
  };
}

/** An unknown time is never outside. A time known to the day is outside only if the whole day is. */
function outsideWindow({ startMs, endMs }: OpenVotes, timeS: number, flags: number): number {
  if ((flags & (VOTE_FLAGS.timeKnown | VOTE_FLAGS.dayKnown)) === 0) return 0;
  const fromMs = timeS * 1000;
  const toMs = (flags & VOTE_FLAGS.dayKnown) === 0 ? fromMs : fromMs + DAY_MS - 1;
  return toMs < startMs || fromMs > endMs ? VOTE_FLAGS.outsideWindow : 0;
}

/** All row numbers, grouped by ballot, in order of arrival within each ballot. */
function rowsByVotes(ballotOfRow: Uint32Array, count: number, ballots: readonly OpenVotes[]): Uint32Array {
  const nextOf = new Uint32Array(ballots.length);
  let from = 0;
  for (const { number, rows } of ballots) {
    nextOf[number] = from;
    from += rows;
  }
  const order = new Uint32Array(count);
  for (let row = 0; row < count; row += 1) {
    // Both indexes exist: every row belongs to a ballot of the collection.
    const ballot = ballotOfRow[row] as number;
    const index = nextOf[ballot] as number;
    order[index] = row;
    nextOf[ballot] = index + 1;
  }
  return order;
}

/**
 * Keeps one row per voter, the last by (created, id, line), sorted by voter number. `rows` are the rows of this ballot
 * in order of arrival, at most `BALLOT_ROWS_MAX`; `numbers` maps the voter value of a row to a voter number.
 */
function finishVotes(
  { proposalId, choices: table }: OpenVotes,
  rows: Uint32Array,
  columns: VoteColumns,
  numbers: Uint32Array | undefined,
): FinishedVotes {
  // Only rows, voters and choices of this collection occur below, so every index exists.
  const { voters, timesS, powers, choices, flags, lines } = columns.rows();
  const voterOf = (row: number): number => {
    const voter = voters[row] as number;
    return numbers === undefined ? voter : (numbers[voter] as number);
  };
  const setAside: SetAsideVote[] = [];
  // Voter number and index in one double: a native sort, far faster than a comparator.
  const keys = new Float64Array(rows.length);
  for (let index = 0; index < rows.length; index += 1) {
    keys[index] = voterOf(rows[index] as number) * BALLOT_ROWS_MAX + index;
  }
  const kept = lastRows(keys.sort(), rows, columns, setAside);
  const cast = new Set<number>();
  for (const row of kept) cast.add(choices[row] as number);
  const inOrder = table.inOrder(cast);
  const ballot: ProposalVotes = { ...blankVotes(proposalId, kept.length), choices: inOrder.choices };
  for (let index = 0; index < kept.length; index += 1) {
    const row = kept[index] as number;
    const choice = choices[row] as number;
    ballot.voterIds[index] = voterOf(row);
    ballot.powers[index] = powers[row] as number;
    ballot.timesS[index] = timesS[row] as number;
    ballot.choiceIndexes[index] = inOrder.indexOf[choice] as number;
    ballot.flags[index] = flags[row] as number;
    const line = lines[row] as number;
    if (((flags[row] as number) & VOTE_FLAGS.outsideWindow) !== 0) {
      const message = "cast before the vote began or after it ended";
      setAside.push({ line, code: "VOTE_OUTSIDE_WINDOW", message });
    }
    const unreadableBecause = table.unreadableBecause(choice);
    if (unreadableBecause !== undefined) {
      const message = `the choice cannot be counted: ${unreadableBecause}`;
      setAside.push({ line, code: "CHOICE_UNREADABLE", message });
    }
  }
  setAside.sort((a, b) => a.line - b.line);
  return { ballot, setAside };
}

/** A ballot of `count` votes, all zero. */
function blankVotes(proposalId: string, count: number): Omit<ProposalVotes, "choices"> {
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

/** The row that counts for each voter; the other rows are set aside. */
function lastRows(
  keys: Float64Array,
  rows: Uint32Array,
  columns: VoteColumns,
  setAside: SetAsideVote[],
): Uint32Array {
  const { timesS, lines } = columns.rows();
  const kept = new Uint32Array(rows.length);
  const isAfter = (a: number, b: number): boolean => {
    const byTime = (timesS[a] as number) - (timesS[b] as number);
    if (byTime !== 0) return byTime > 0;
    const [idA, idB] = [columns.idOf(a), columns.idOf(b)];
    return idA === idB ? (lines[a] as number) > (lines[b] as number) : idA > idB;
  };
  let count = 0;
  let voterBefore = -1;
  for (const key of keys) {
    const voter = Math.floor(key / BALLOT_ROWS_MAX);
    const row = rows[key - voter * BALLOT_ROWS_MAX] as number;
    if (voter !== voterBefore) {
      kept[count] = row;
      count += 1;
      voterBefore = voter;
      continue;
    }
    const counted = kept[count - 1] as number;
    const isLater = isAfter(row, counted);
    if (isLater) kept[count - 1] = row;
    const line = lines[isLater ? counted : row] as number;
    const message = "another vote of the same voter on this proposal is counted";
    setAside.push({ line, code: "DUPLICATE_VOTE", message });
  }
  return kept.subarray(0, count);
}
