import { type ChoiceBook, createChoiceBook } from "./choices.ts";
import { DAY_MS } from "./days.ts";
import { invariant, PipelineError } from "./errors.ts";
import { BALLOT_ROWS_MAX, blankVotes, finishVotes, type SetAsideVote } from "./finish-votes.ts";
import type { Proposal } from "./proposal.ts";
import { type CastVote, flagsOfCast, type ProposalVotes, VOTE_FLAGS } from "./proposal-votes.ts";
import { createVoteColumns } from "./vote-columns.ts";

/** The ballot of one proposal while votes on it come in. */
export interface OpenVotes {
  readonly proposalId: string;
  /** Place among the ballots of the box, in the order of their first votes; −1 before. */
  number: number;
  readonly choices: ChoiceBook;
  readonly startMs: number;
  readonly endMs: number;
  rows: number;
}

/** Collects the votes of one DAO, in any order. */
export type VoteCollection = ReturnType<typeof createVoteCollection>;

/** A ballot, and the votes that were set aside. */
export interface FinishedVotes {
  readonly ballot: ProposalVotes;
  readonly setAside: readonly SetAsideVote[];
}

/** An empty box. The same votes give the same ballots, in whatever order they are put. */
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
    if (ballot.rows >= BALLOT_ROWS_MAX) {
      throw new PipelineError("SOURCE_FAILED", `a ballot has more than ${BALLOT_ROWS_MAX} votes`);
    }
    if (ballot.rows === 0) {
      ballot.number = ballots.length;
      ballots.push(ballot);
    }
    ballot.rows += 1;
    const isUnreadable = ballot.choices.at(choice).unreadableBecause !== undefined;
    const told =
      flags | outsideWindow(ballot, timeS, flags) | (isUnreadable ? VOTE_FLAGS.choiceUnreadable : 0);
    // −0 and 0 are one power and must be one byte pattern.
    columns.append(ballot.number, voter, timeS, power === 0 ? 0 : power, choice, told, line);
  };
  return {
    /**
     * Puts in a vote: its numbers side by side, no object each. `choice` is a number of the ballot's own book, `flags`
     * what the vote says of itself. Throws `PipelineError` SOURCE_FAILED past `BALLOT_ROWS_MAX`.
     */
    put,
    /** The ballot of a proposal; it counts for nothing before a vote is put into it. */
    ballotOf(proposal: Proposal): OpenVotes {
      const known = byProposal.get(proposal.proposalId);
      if (known !== undefined) return known;
      const opened = openVotes(proposal);
      byProposal.set(proposal.proposalId, opened);
      return opened;
    },
    /** The id of the vote that was put last, of 0x and 64 small hex digits, as words. */
    nameLast: columns.nameLast,
    /** The same for an id of any form. */
    nameLastAsText: columns.nameLastAsText,
    /** Puts in a vote that is an object. */
    add(ballot: OpenVotes, vote: CastVote) {
      const choice = ballot.choices.numberOf(vote.choice);
      put(
        ballot,
        vote.voterId,
        vote.created?.atS ?? 0,
        vote.power ?? 0,
        choice,
        flagsOfCast(vote),
        vote.line,
      );
      if (vote.voteId !== undefined) columns.nameLastAsText(vote.voteId);
    },
    /**
     * The votes by ballot, in the order of their first votes: each voter's last vote by (created, id, line), and what was
     * set aside, by line. `numbers` are those of the voters by what was put; without it that is their number already.
     * The collection is over then.
     */
    *finished(numbers?: Uint32Array): Generator<FinishedVotes> {
      const order = rowsByVotes(columns.rows().ballots, columns.count(), ballots);
      const rowsMax = ballots.reduce((most, { rows }) => Math.max(most, rows), 0);
      const room = { keys: new Float64Array(rowsMax), kept: new Uint32Array(rowsMax) };
      let from = 0;
      for (const ballot of ballots) {
        const rows = order.subarray(from, from + ballot.rows);
        from += ballot.rows;
        yield finishVotes(ballot, rows, columns, numbers, room);
      }
      columns.release();
    },
  };
}

function openVotes(proposal: Proposal): OpenVotes {
  const { proposalId, start, end } = proposal;
  return {
    proposalId,
    number: -1,
    choices: createChoiceBook(proposal),
    startMs: start?.atMs ?? -Infinity,
    endMs: end?.atMs ?? Infinity,
    rows: 0,
  };
}

/** What is not known cannot be outside: a day counts as outside only when all of it is. */
function outsideWindow({ startMs, endMs }: OpenVotes, timeS: number, flags: number): number {
  if ((flags & (VOTE_FLAGS.timeKnown | VOTE_FLAGS.dayKnown)) === 0) return 0;
  const fromMs = timeS * 1000;
  const toMs = (flags & VOTE_FLAGS.dayKnown) === 0 ? fromMs : fromMs + DAY_MS - 1;
  return toMs < startMs || fromMs > endMs ? VOTE_FLAGS.outsideWindow : 0;
}

/** All rows, ballot by ballot, each ballot's in order of arrival. */
function rowsByVotes(ballotOfRow: Uint32Array, count: number, ballots: readonly OpenVotes[]): Uint32Array {
  const nextOf = new Uint32Array(ballots.length);
  let from = 0;
  for (const { number, rows } of ballots) {
    nextOf[number] = from;
    from += rows;
  }
  const order = new Uint32Array(count);
  for (let row = 0; row < count; row += 1) {
    // Both are inside: every row has a ballot of the box.
    const ballot = ballotOfRow[row] as number;
    const place = nextOf[ballot] as number;
    order[place] = row;
    nextOf[ballot] = place + 1;
  }
  return order;
}

/**
 * Starts the ballot of one proposal; voters have their numbers already. The same votes give the same ballot, in whatever
 * order they are added.
 */
export function createVotesBuilder(proposal: Proposal) {
  const box = createVoteCollection();
  const ballot = box.ballotOf(proposal);
  return {
    add: (vote: CastVote) => box.add(ballot, vote),
    /** The ballot of each voter's last vote by (created, id, line), and what was set aside, by line. */
    finish(): FinishedVotes {
      const [finished] = box.finished();
      return finished ?? { ballot: { ...blankVotes(proposal.proposalId, 0), choices: [] }, setAside: [] };
    },
  };
}
