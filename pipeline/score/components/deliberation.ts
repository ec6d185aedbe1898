import type { MarkId } from "../../../snapshots/format/proposal-line.ts";
import { DAY_MS, dayStartMs } from "../../facts/days.ts";
import type { Proposal } from "../../facts/proposal.ts";
import { type Choice, type ProposalVotes, VOTE_FLAGS } from "../../facts/proposal-votes.ts";
import { parseUrl } from "../../facts/upstream-text.ts";
import type { BallotVotes } from "../frame/ballot.ts";
import { BATCH } from "../frame/batch-voting.ts";
import { exactly, type Mark } from "../method/marks.ts";
import { METHODOLOGY } from "../method/methodology.ts";
import { clamp, onGrid, sortedSum } from "../method/statistics.ts";

const RULES = METHODOLOGY.deliberation;

/** The part of one vote's power that goes to each option, or `undefined` where the choice does not say. */
function allocation(choice: Choice): readonly (readonly [option: number, part: number])[] | undefined {
  if (choice.kind === "single") return [[choice.option, 1]];
  if (choice.kind !== "weights") return undefined;
  const sum = choice.weights.reduce((total, [, weight]) => total + weight, 0);
  // Weights of nothing allocate nothing; dividing by them would make NaN of the whole ballot.
  if (!(sum > 0)) return [];
  return choice.weights.map(([option, weight]) => [option, weight / sum]);
}

/** Whether shares of options can be told: single choices by power, weights by allocated share; orders and approvals cannot. */
function isAllocated({ votingType }: Proposal, { choices }: ProposalVotes, isChosen: Uint8Array): boolean {
  switch (votingType) {
    case "basic":
    case "single-choice":
    case "weighted":
    case "quadratic":
      return true;
    case undefined:
      return choices.every((choice, index) => isChosen[index] === 0 || choice.kind === "single");
    default:
      return false;
  }
}

/** Share (0–1) of the power that went to the top choice; `undefined` where it cannot be told. */
export function topChoiceShare(
  proposal: Proposal,
  votes: ProposalVotes,
  { rows, shares }: BallotVotes,
): number | undefined {
  const shareOfChoice = new Float64Array(votes.choices.length);
  const isChosen = new Uint8Array(votes.choices.length);
  // Once for every vote; a ballot's choices hold each that was voted for. On a grid: so it hangs on no order of arrival.
  for (let at = 0; at < rows.length; at += 1) {
    const index = votes.choiceIndexes[rows[at] as number] as number;
    shareOfChoice[index] = (shareOfChoice[index] as number) + onGrid(shares[at] as number);
    isChosen[index] = 1;
  }
  if (rows.length === 0 || !isAllocated(proposal, votes, isChosen)) return undefined;
  const sharesOfOption = new Map<number, number[]>();
  for (const [index, share] of shareOfChoice.entries()) {
    if (isChosen[index] === 0) continue;
    const parts = allocation(votes.choices[index] ?? { kind: "unreadable" });
    if (parts === undefined) return undefined;
    for (const [option, part] of parts) {
      const known = sharesOfOption.get(option);
      if (known === undefined) sharesOfOption.set(option, [share * part]);
      else known.push(share * part);
    }
  }
  const sums = Float64Array.from([...sharesOfOption.values()].map(sortedSum)).sort();
  const total = sortedSum(sums);
  return total > 0 ? (sums.at(-1) ?? 0) / total : undefined;
}

function discussionMark(discussion: string | undefined): Mark | undefined {
  if (discussion === undefined) return undefined;
  const protocol = parseUrl(discussion)?.protocol;
  return exactly(protocol === "http:" || protocol === "https:" ? 1 : 0);
}

/** Days a vote was open; whole days where a source knows only days. */
export function votingPeriodDays({ start, end }: Proposal): number | undefined {
  if (start === undefined || end === undefined) return undefined;
  if (start.precision === "second" && end.precision === "second") return (end.atMs - start.atMs) / DAY_MS;
  return (dayStartMs(end.atMs) - dayStartMs(start.atMs)) / DAY_MS;
}

function reviewDelayDays({ created, start }: Proposal): number | undefined {
  if (created?.precision !== "second" || start?.precision !== "second") return undefined;
  return (start.atMs - created.atMs) / DAY_MS;
}

const { reasonKnown, reasonGiven } = VOTE_FLAGS;

/**
 * The capped power of votes with a reason, and that of votes cast in a batch, each with what is not known beside it.
 * A voter's part of the capped power is divided among its wallets by power.
 */
function cappedPower(votes: ProposalVotes, { ballot, rows, shares, places }: BallotVotes, batch: Uint8Array) {
  const reasons = { found: 0, unknown: 0 };
  const batches = { found: 0, unknown: 0, isAnyKnown: false };
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at] as number;
    const flag = votes.flags[row] as number;
    const voterShare = ballot.shares[places[at] as number] as number;
    const capped = ballot.capped[places[at] as number] as number;
    const own = onGrid((capped * (shares[at] as number)) / voterShare);
    if ((flag & reasonKnown) === 0) reasons.unknown += own;
    else if ((flag & reasonGiven) !== 0) reasons.found += own;
    const judged = batch[row] as number;
    if (judged === BATCH.unknown) batches.unknown += own;
    else batches.isAnyKnown = true;
    if (judged === BATCH.batch) batches.found += own;
  }
  return { reasons, batches };
}

/**
 * The marks of one proposal's own words and dates: a link to a discussion, days to vote, days to read before it.
 *
 * Range: 0..1 each; a valid http(s) link 1; a day 0, a week 1; two days of delay 1.
 * Unit: one proposal.
 * Source: the proposal. Whole days where a source knows only days.
 * Unknown: no such field; for the delay also times that are known only to the day.
 */
export function proposalMarks(
  proposal: Proposal,
): Pick<Record<MarkId, Mark | undefined>, "discussion" | "period" | "delay"> {
  const days = votingPeriodDays(proposal);
  const delay = reviewDelayDays(proposal);
  return {
    discussion: discussionMark(proposal.discussion),
    period:
      days === undefined ? undefined : exactly(clamp((days - RULES.periodFromDays) / RULES.periodSpanDays)),
    delay: delay === undefined ? undefined : exactly(clamp(delay / RULES.fullMarksDelayDays)),
  };
}

/**
 * The marks of how a ballot was cast: against the winner, with reasons, one vote at a time.
 *
 * Range: 0..1 each; a quarter of the power against the winner 1; a tenth of the capped power with a reason 1; no vote
 * within a minute of the wallet's vote on an earlier eligible proposal 1.
 * Unit: power of one ballot for the winner, capped power for the others.
 * Source: valid votes of known power; `batch` by row.
 * Unknown: no power on the ballot; of contested also approval, ranked and Copeland votes; of rationale also shutter
 * votes. Votes that do not tell their reason or their time are bounds.
 */
export function castMarks(
  proposal: Proposal,
  votes: ProposalVotes,
  cast: BallotVotes,
  batch: Uint8Array,
): Pick<Record<MarkId, Mark | undefined>, "contested" | "rationale" | "not_batch"> {
  const top = topChoiceShare(proposal, votes, cast);
  const { reasons, batches } = cappedPower(votes, cast, batch);
  const rationale = (share: number): number => clamp(share / RULES.fullMarksRationale);
  const apart = 1 - batches.found;
  return {
    contested: top === undefined ? undefined : exactly(clamp((1 - top) / RULES.fullMarksDissent)),
    rationale: proposal.isShutter
      ? undefined
      : [rationale(reasons.found), rationale(reasons.found + reasons.unknown)],
    // Where no time is known it is all open, whatever the sum rounds to.
    not_batch: [batches.isAnyKnown ? clamp(apart - batches.unknown) : 0, clamp(apart)],
  };
}
