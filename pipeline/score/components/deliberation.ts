import { DAY_MS, dayStartMs } from "../../facts/days.ts";
import type { Proposal } from "../../facts/proposal.ts";
import type { Choice } from "../../facts/proposal-votes.ts";
import { parseUrl } from "../../facts/upstream-text.ts";
import type { CountedVotes } from "../frame/counted-votes.ts";
import { placesByTime } from "../frame/timed-votes.ts";
import { gap, points, type ScoreOrGap } from "../method/dao-score.ts";
import {
  INDICATORS,
  type Indicator,
  indicator,
  meanRows,
  presentMeanOf,
  withEffectiveWeights,
} from "../method/indicators.ts";
import type { MemberMeasures } from "../method/measures.ts";
import { METHODOLOGY } from "../method/methodology.ts";
import { clamp, halfOf, remember, sortedSum, weightedMean } from "../method/statistics.ts";

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
function isAllocated(proposal: Proposal, votes: CountedVotes): boolean {
  switch (proposal.votingType) {
    case "basic":
    case "single-choice":
    case "weighted":
    case "quadratic":
      return true;
    case undefined:
      return Array.from(votes.choiceIndexes).every((index) => votes.choices[index]?.kind === "single");
    default:
      return false;
  }
}

/** Share (0–1) of the power that went to the top choice; `undefined` where it cannot be told. */
export function topChoiceShare(proposal: Proposal, votes: CountedVotes): number | undefined {
  if (votes.shares === undefined || votes.voters.length === 0 || !isAllocated(proposal, votes))
    return undefined;
  // By choice first: votes come in ascending power, so these sums hang on no order of arrival; then by option, sorted.
  const { choiceIndexes, shares } = votes;
  const shareOfChoice = new Float64Array(votes.choices.length);
  const isChosen = new Uint8Array(votes.choices.length);
  // Once for every vote; a ballot's choices hold each that was voted for.
  for (let place = 0; place < choiceIndexes.length; place += 1) {
    const index = choiceIndexes[place] as number;
    shareOfChoice[index] = (shareOfChoice[index] as number) + (shares[place] as number);
    isChosen[index] = 1;
  }
  const sharesOfOption = new Map<number, number[]>();
  for (const [index, share] of shareOfChoice.entries()) {
    if (isChosen[index] === 0) continue;
    const parts = allocation(votes.choices[index] ?? { kind: "unreadable" });
    if (parts === undefined) return undefined;
    for (const [option, part] of parts) {
      const shares = sharesOfOption.get(option);
      if (shares === undefined) sharesOfOption.set(option, [share * part]);
      else shares.push(share * part);
    }
  }
  const sums = Float64Array.from([...sharesOfOption.values()].map(sortedSum)).sort();
  const total = sortedSum(sums);
  return total > 0 ? (sums.at(-1) ?? 0) / total : undefined;
}

/** What is looked at of one proposal, before it is mapped to marks. */
type DeliberationMeasures = Pick<
  MemberMeasures,
  | "hasDiscussionLink"
  | "votingPeriodDays"
  | "reviewDelayDays"
  | "topChoiceShare"
  | "rationaleShare"
  | "elapsedAtHalfPower"
>;
function isDiscussionLink(discussion: string | undefined): boolean | undefined {
  if (discussion === undefined) return undefined;
  const protocol = parseUrl(discussion)?.protocol;
  return protocol === "http:" || protocol === "https:";
}

/** Days a vote was open; whole days where a source knows only days. */
function votingPeriodDays({ start, end }: Proposal): number | undefined {
  if (start === undefined || end === undefined) return undefined;
  if (start.precision === "second" && end.precision === "second") return (end.atMs - start.atMs) / DAY_MS;
  return (dayStartMs(end.atMs) - dayStartMs(start.atMs)) / DAY_MS;
}

function reviewDelayDays({ created, start }: Proposal): number | undefined {
  if (created?.precision !== "second" || start?.precision !== "second") return undefined;
  return (start.atMs - created.atMs) / DAY_MS;
}

/** The second in which half of the power was in: the weighted median of times, in columns since it is over every vote. */
function medianTimeS(votes: CountedVotes, shares: Float64Array): number | undefined {
  const places = placesByTime(votes);
  let total = 0;
  for (let at = 0; at < places.length; at += 1) total += shares[places[at] as number] as number;
  const half = halfOf(total);
  let reached = 0;
  for (let at = 0; at < places.length; at += 1) {
    const place = places[at] as number;
    reached += shares[place] as number;
    if (reached >= half) return votes.timesS[place];
  }
  return undefined;
}

/** Elapsed part of the vote when half of the final power was in, of the votes whose time is known. */
function halfPowerTime({ start, end }: Proposal, votes: CountedVotes): number | undefined {
  const { shares } = votes;
  if (shares === undefined || start?.precision !== "second" || end?.precision !== "second") return undefined;
  if (end.atMs <= start.atMs) return undefined;
  const halfInS = medianTimeS(votes, shares);
  if (halfInS === undefined) return undefined;
  return clamp((halfInS * 1000 - start.atMs) / (end.atMs - start.atMs));
}

function rationaleShare(proposal: Proposal, votes: CountedVotes): number | undefined {
  if (proposal.isShutter || votes.reasonsCount === undefined || votes.voters.length === 0) return undefined;
  return votes.reasonsCount / votes.voters.length;
}

/** What one proposal, with its ballot or without, tells about deliberation; nothing of it changes once it is closed. */
export function measureDeliberation(
  proposal: Proposal,
  votes: CountedVotes | undefined,
): DeliberationMeasures {
  return {
    hasDiscussionLink: isDiscussionLink(proposal.discussion),
    votingPeriodDays: votingPeriodDays(proposal),
    reviewDelayDays: reviewDelayDays(proposal),
    topChoiceShare: votes && topChoiceShare(proposal, votes),
    rationaleShare: votes && rationaleShare(proposal, votes),
    elapsedAtHalfPower: votes && halfPowerTime(proposal, votes),
  };
}

const RULES = METHODOLOGY.deliberation;

type BatchMeasures = Pick<MemberMeasures, "overlappingVotes" | "batchVotes">;

const mapped = (value: number | undefined, map: (known: number) => number): number | undefined =>
  value === undefined ? undefined : map(value);

/** The rows of one proposal: what was measured, and where it lies between its goalposts. */
export function deliberationRows(measures: DeliberationMeasures & BatchMeasures): readonly Indicator[] {
  const kinds = INDICATORS.pdi;
  const { hasDiscussionLink, votingPeriodDays: days, reviewDelayDays: delay } = measures;
  const { topChoiceShare: top, rationaleShare: reasons, elapsedAtHalfPower: elapsed } = measures;
  const { overlappingVotes, batchVotes } = measures;
  const linked = mapped(
    hasDiscussionLink === undefined ? undefined : Number(hasDiscussionLink),
    (one) => one,
  );
  const apart = overlappingVotes === 0 ? undefined : 1 - batchVotes / overlappingVotes;
  return [
    indicator(kinds.discussion, linked, linked),
    indicator(
      kinds.votingPeriod,
      days,
      mapped(days, (known) => (known - RULES.votingPeriodFromDays) / RULES.votingPeriodSpanDays),
    ),
    indicator(
      kinds.reviewDelay,
      delay,
      mapped(delay, (known) => known / RULES.fullMarksReviewDays),
    ),
    indicator(
      kinds.contestedness,
      top,
      mapped(top, (known) => (1 - known) / RULES.fullMarksDissentShare),
    ),
    indicator(
      kinds.rationale,
      reasons,
      mapped(reasons, (known) => known / RULES.fullMarksRationaleShare),
    ),
    indicator(
      kinds.halfPowerTime,
      elapsed,
      mapped(elapsed, (known) => 4 * known * (1 - known)),
    ),
    indicator(kinds.notBatch, apart, apart),
  ];
}

/** A member that is in hundreds of daily frames is the same object in most of them. */
const judged = remember((measures: DeliberationMeasures & BatchMeasures) => {
  const rows = deliberationRows(measures);
  return { value: presentMeanOf(rows, RULES.presentShareMin), rows: withEffectiveWeights(rows) };
});

/** PDI with what each indicator contributed. */
export interface Deliberation {
  readonly score: ScoreOrGap;
  readonly indicators: readonly Indicator[];
}

/** Mean (0–1) of one proposal; `undefined` with less than half of the weight known. */
export function deliberationValue(measures: DeliberationMeasures & BatchMeasures): number | undefined {
  return presentMeanOf(deliberationRows(measures), RULES.presentShareMin);
}

/**
 * Proposal Deliberation Index (pdi): is there time, reason and room to disagree?
 *
 * Range: 0..10 points.
 * Unit: proposals; a mean over the frame, each weighted by ω.
 * Source: proposals and counted votes of the frame; batch voting against earlier open proposals.
 * Gap: no proposal has half of the indicators' weight. Single gaps drop out and the rest is renormalised.
 */
export function scoreDeliberation(
  members: readonly (DeliberationMeasures & BatchMeasures & Pick<MemberMeasures, "attention">)[],
): Deliberation {
  const measured = members.flatMap((member) => {
    const { value, rows } = judged(member);
    return value === undefined ? [] : [{ value, weight: member.attention, rows }];
  });
  const mean = weightedMean(measured);
  return {
    score: mean === undefined ? gap("DELIBERATION_UNKNOWN") : points(10 * mean),
    indicators: meanRows(measured),
  };
}
