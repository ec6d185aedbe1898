import { DAY_MS } from "../../../snapshots/base/days.ts";
import type { MarkId } from "../../../snapshots/format/proposal-line.ts";
import { dayStartMs } from "../../facts/days.ts";
import type { Proposal } from "../../facts/proposal.ts";
import { type Choice, type ProposalVotes, VOTE_FLAGS } from "../../facts/proposal-votes.ts";
import { parseUrl } from "../../facts/upstream-text.ts";
import { abstentionOption, sharesOfOptions } from "../frame/allotment.ts";
import type { BallotVotes } from "../frame/ballot.ts";
import { BATCH } from "../frame/batch-voting.ts";
import { exactly, type Mark } from "../method/marks.ts";
import { METHODOLOGY } from "../method/methodology.ts";
import { clamp, onGrid, sortedSum } from "../method/statistics.ts";

const RULES = METHODOLOGY.deliberation;

/** Whether choices determine the share of each option: single choices and weights do, rankings and approvals do not. */
function isAllotted({ votingType }: Proposal, { choices }: ProposalVotes, isChosen: Uint8Array): boolean {
  switch (votingType) {
    case "basic":
    case "single-choice":
    case "weighted":
    case "quadratic":
    case "fractional":
      return true;
    case undefined:
      return choices.every((choice, index) => isChosen[index] === 0 || choice.kind === "single");
    default:
      return false;
  }
}

/**
 * Share (0–1) of the power that went to other options than the leading one, abstention being neither; `undefined` if the
 * choices do not determine it. Abstentions count in the whole, so that a little dissent beside many of them stays little.
 */
function oppositionShare(
  proposal: Proposal,
  votes: ProposalVotes,
  { rows, chosen }: BallotVotes,
): number | undefined {
  const { choices } = votes;
  const { isChosen } = chosen;
  if (rows.length === 0 || !isAllotted(proposal, votes, isChosen)) return undefined;
  const isKnown = ({ kind }: Choice): boolean => kind === "single" || kind === "weights";
  if (!choices.every((choice, index) => isChosen[index] === 0 || isKnown(choice))) return undefined;
  const shares = sharesOfOptions(choices, chosen);
  const abstained = abstentionOption(proposal.votingType);
  const total = sortedSum([...shares.values()]);
  const sides = [...shares].filter(([option]) => option !== abstained).map(([, share]) => share);
  sides.sort((a, b) => a - b).pop();
  return total > 0 ? sortedSum(sides) / total : undefined;
}

function discussionMark(discussion: string | undefined): Mark | undefined {
  if (discussion === undefined) return undefined;
  const protocol = parseUrl(discussion)?.protocol;
  return exactly(protocol === "http:" || protocol === "https:" ? 1 : 0);
}

/** Days for which a vote was open; whole days if the source knows only days. */
function votingPeriodDays({ start, end }: Proposal): number | undefined {
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
 * The capped power of votes with a reason and of votes cast in a batch, each with the power for which it is unknown.
 * A voter's capped power is divided among its wallets by power.
 */
function cappedPower(votes: ProposalVotes, { ballot, rows, shares, places }: BallotVotes, batch: Uint8Array) {
  const reasons = { found: 0, unknown: 0 };
  const batches = { found: 0, unknown: 0, isAnyKnown: false };
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] as number;
    const flag = votes.flags[row] as number;
    const voterShare = ballot.shares[places[index] as number] as number;
    const capped = ballot.capped[places[index] as number] as number;
    const counted = onGrid((capped * (shares[index] as number)) / voterShare);
    if ((flag & reasonKnown) === 0) reasons.unknown += counted;
    else if ((flag & reasonGiven) !== 0) reasons.found += counted;
    const judged = batch[row] as number;
    if (judged === BATCH.unknown) batches.unknown += counted;
    else batches.isAnyKnown = true;
    if (judged === BATCH.batch) batches.found += counted;
  }
  return { reasons, batches };
}

/**
 * The marks of a proposal's own text and dates: a link to a discussion, days to vote, days between creation and start.
 *
 * Range: 0..1 each; a valid http(s) link gives 1; a vote of one day 0, of a week 1; a delay of two days 1.
 * Unit: one proposal.
 * Source: the proposal; whole days if the source knows only days.
 * Unknown: without the field; the delay also if a time is known only to the day.
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
 * The marks of how a ballot was cast: against the winner, with reasons, not in batches.
 *
 * Range: 0..1 each; a quarter of the power against the winner gives 1, abstentions being against nobody; a tenth of the
 * capped power with a reason 1; no vote within a minute of the wallet's vote on an earlier eligible proposal 1.
 * Unit: power of one ballot for the winner, capped power for the others.
 * Source: valid votes of known power; `batch` holds a value of `BATCH` per row.
 * Unknown: without power on the ballot; contested also for approval, ranked and Copeland votes; rationale also for
 * shutter votes. Votes whose reason or time is unknown widen the interval.
 */
export function castMarks(
  proposal: Proposal,
  votes: ProposalVotes,
  cast: BallotVotes,
  batch: Uint8Array,
): Pick<Record<MarkId, Mark | undefined>, "contested" | "rationale" | "not_batch"> {
  const opposition = oppositionShare(proposal, votes, cast);
  const { reasons, batches } = cappedPower(votes, cast, batch);
  const rationale = (share: number): number => clamp(share / RULES.fullMarksRationale);
  const apart = 1 - batches.found;
  return {
    contested: opposition === undefined ? undefined : exactly(clamp(opposition / RULES.fullMarksDissent)),
    rationale: proposal.isShutter
      ? undefined
      : [rationale(reasons.found), rationale(reasons.found + reasons.unknown)],
    // Without any known time the mark is exactly [0, 1], independent of rounding in the sum.
    not_batch: [batches.isAnyKnown ? clamp(apart - batches.unknown) : 0, clamp(apart)],
  };
}
