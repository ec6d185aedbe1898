import { DAY_MS } from "../base/days.ts";
import { invariant } from "../base/invariant.ts";
import { type Ballot, VOTE_FLAGS } from "./ballot.ts";
import { createChoiceBook } from "./choice-book.ts";
import type { Proposal } from "./proposal.ts";
import { createVoteColumns, type VoteRow } from "./vote-columns.ts";

/** One vote as its source gives it, its numbers checked: power finite and not negative, a time within 32 bits. */
export interface CastVote {
  readonly voterId: number;
  /** With precision "day", `atS` is the start of the day. */
  readonly created: { readonly atS: number; readonly precision: "second" | "day" } | undefined;
  /** As the voter sent it. */
  readonly choice: unknown;
  readonly power: number | undefined;
  /** `undefined` where the source does not tell. */
  readonly isReasonGiven: boolean | undefined;
  readonly isFinal: boolean;
  readonly voteId: string | undefined;
  /** Where it stood in its source, from 1. */
  readonly line: number;
}

/** A vote that was dropped (a duplicate) or that stays in the ballot and is measured by nothing. */
export interface SetAsideVote {
  readonly line: number;
  readonly code: "DUPLICATE_VOTE" | "VOTE_OUTSIDE_WINDOW" | "CHOICE_UNREADABLE";
  readonly message: string;
}

/** Collects the votes on one proposal, in any order. */
export interface BallotBuilder {
  add(vote: CastVote): void;
  /** The ballot of each voter's last vote by (created, id, line), and what was set aside, by line. */
  finish(): { readonly ballot: Ballot; readonly setAside: readonly SetAsideVote[] };
}

/** Starts the ballot of one proposal. The same votes give the same ballot, in whatever order they are added. */
export function createBallotBuilder(proposal: Proposal): BallotBuilder {
  const columns = createVoteColumns();
  const book = createChoiceBook(proposal);
  const isOutside = outsideWindowOf(proposal);
  return {
    add(vote) {
      const { power, created } = vote;
      invariant(
        power === undefined || (power >= 0 && power < Infinity),
        "a power is finite and not negative",
      );
      const choiceIndex = book.numberOf(vote.choice);
      const isUnreadable = book.at(choiceIndex).unreadableBecause !== undefined;
      columns.append({
        voterId: vote.voterId,
        timeS: created?.atS ?? 0,
        // −0 and 0 are one power and must be one byte pattern.
        power: power === undefined || power === 0 ? 0 : power,
        choiceIndex,
        flags: flagsOf(vote) | (isUnreadable ? VOTE_FLAGS.choiceUnreadable : 0) | isOutside(created),
        line: vote.line,
        voteId: vote.voteId,
      });
    },
    finish() {
      const { kept, repeated } = lastVotes(columns.placesByVoter(), columns.read);
      const setAside: SetAsideVote[] = repeated.map((line) => ({
        line,
        code: "DUPLICATE_VOTE",
        message: "another vote of the same voter on this proposal is counted",
      }));
      const ballot = emptyBallot(proposal.proposalId, kept.length);
      const { choices, placeOf } = book.inOrder(kept.map((row) => row.choiceIndex));
      for (const [place, row] of kept.entries()) {
        ballot.voterIds[place] = row.voterId;
        ballot.powers[place] = row.power;
        ballot.timesS[place] = row.timeS;
        ballot.flags[place] = row.flags;
        ballot.choiceIndexes[place] = placeOf.get(row.choiceIndex) ?? 0;
        setAside.push(...reasonsOf(row, book.at(row.choiceIndex).unreadableBecause));
      }
      setAside.sort((a, b) => a.line - b.line);
      return { ballot: { ...ballot, choices }, setAside };
    },
  };
}

function flagsOf({ power, created, isReasonGiven, isFinal }: CastVote): number {
  return (
    (power === undefined ? 0 : VOTE_FLAGS.powerKnown) |
    (created?.precision === "second" ? VOTE_FLAGS.timeKnown : 0) |
    (created?.precision === "day" ? VOTE_FLAGS.dayKnown : 0) |
    (isReasonGiven === undefined ? 0 : VOTE_FLAGS.reasonKnown) |
    (isReasonGiven === true ? VOTE_FLAGS.reasonGiven : 0) |
    (isFinal ? VOTE_FLAGS.final : 0)
  );
}

/** What is not known cannot be outside: a day counts as outside only when all of it is. */
function outsideWindowOf({ start, end }: Proposal): (created: CastVote["created"]) => number {
  const startMs = start?.atMs ?? -Infinity;
  const endMs = end?.atMs ?? Infinity;
  return (created) => {
    if (created === undefined) return 0;
    const fromMs = created.atS * 1000;
    const toMs = created.precision === "day" ? fromMs + DAY_MS - 1 : fromMs;
    return toMs < startMs || fromMs > endMs ? VOTE_FLAGS.outsideWindow : 0;
  };
}

/** One row for each voter, by voter; and the lines of the others. */
function lastVotes(
  places: Uint32Array,
  read: (place: number) => VoteRow,
): { readonly kept: VoteRow[]; readonly repeated: number[] } {
  const kept: VoteRow[] = [];
  const repeated: number[] = [];
  for (const place of places) {
    const row = read(place);
    const rival = kept.at(-1);
    if (rival?.voterId !== row.voterId) {
      kept.push(row);
      continue;
    }
    const isLater = compareRows(rival, row) < 0;
    repeated.push((isLater ? rival : row).line);
    if (isLater) kept[kept.length - 1] = row;
  }
  return { kept, repeated };
}

function compareRows(a: VoteRow, b: VoteRow): number {
  const [idA, idB] = [a.voteId ?? "", b.voteId ?? ""];
  return a.timeS - b.timeS || (idA < idB ? -1 : idA > idB ? 1 : 0) || a.line - b.line;
}

function emptyBallot(proposalId: string, count: number): Omit<Ballot, "choices"> {
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

function reasonsOf(row: VoteRow, unreadableBecause: string | undefined): SetAsideVote[] {
  const { line, flags } = row;
  const reasons: SetAsideVote[] = [];
  if ((flags & VOTE_FLAGS.outsideWindow) !== 0) {
    const message = "cast before the vote began or after it ended";
    reasons.push({ line, code: "VOTE_OUTSIDE_WINDOW", message });
  }
  if (unreadableBecause !== undefined) {
    reasons.push({
      line,
      code: "CHOICE_UNREADABLE",
      message: `the choice cannot be counted: ${unreadableBecause}`,
    });
  }
  return reasons;
}
