import type { Space } from "../../../pipeline/facts/dao-facts.ts";
import type { Proposal } from "../../../pipeline/facts/proposal.ts";
import type { PlainMember } from "./plain-score.ts";
import { plainMean, plainMedian, unit } from "./plain-statistics.ts";

const DAY = 86_400_000;
type Indicator = readonly [weight: number, value: number | undefined];

/** Weighted mean of the indicators known, if they are half of the weight. */
function ofKnown(indicators: readonly Indicator[]): number | undefined {
  const known = indicators.flatMap(([weight, value]) => (value === undefined ? [] : [{ weight, value }]));
  const weight = known.reduce((sum, item) => sum + item.weight, 0);
  return weight >= 0.5 - 1e-9 ? plainMean(known) : undefined;
}

function contestedness({ proposal, votes }: PlainMember): number | undefined {
  const { votingType } = proposal;
  const isReadable =
    votingType === undefined
      ? votes.every((vote) => vote.choice.kind === "single")
      : ["basic", "single-choice", "weighted", "quadratic"].includes(votingType);
  if (!isReadable || votes.length === 0) return undefined;
  const options = new Map<number, number>();
  for (const { choice, share } of votes) {
    if (share === undefined || choice.kind === "list" || choice.kind === "unreadable") return undefined;
    const parts: readonly (readonly [number, number])[] =
      choice.kind === "single" ? [[choice.option, 1]] : choice.weights;
    const sum = parts.reduce((total, [, weight]) => total + weight, 0);
    for (const [option, weight] of parts)
      if (sum > 0) options.set(option, (options.get(option) ?? 0) + (share * weight) / sum);
  }
  const sums = [...options.values()];
  const total = sums.reduce((a, b) => a + b, 0);
  return total > 0 ? unit((1 - Math.max(...sums) / total) / 0.25) : undefined;
}

function halfPower({ proposal, votes }: PlainMember): number | undefined {
  const { start, end } = proposal;
  if (start?.precision !== "second" || end?.precision !== "second" || end.atMs <= start.atMs)
    return undefined;
  const timed = votes.flatMap(({ timeS, share }) =>
    timeS === undefined || share === undefined ? [] : [{ value: timeS, weight: share }],
  );
  const half = plainMedian(timed);
  if (half === undefined) return undefined;
  const f = unit((half * 1000 - start.atMs) / (end.atMs - start.atMs));
  return 4 * f * (1 - f);
}

function notBatch(member: PlainMember, earlier: readonly PlainMember[]): number | undefined {
  let overlapping = 0;
  let together = 0;
  for (const { voter, timeS } of member.votes) {
    if (timeS === undefined) continue;
    const open = earlier.filter(
      ({ proposal, end }) =>
        proposal.start !== undefined && proposal.start.atMs <= timeS * 1000 && timeS * 1000 <= end,
    );
    if (open.length === 0) continue;
    overlapping += 1;
    const own = open.flatMap((other) => other.votes.filter((vote) => vote.voter === voter));
    if (own.some((vote) => vote.timeS !== undefined && Math.abs(vote.timeS - timeS) <= 60)) together += 1;
  }
  return overlapping === 0 ? undefined : 1 - together / overlapping;
}

function period({ start, end }: Proposal): number | undefined {
  if (start === undefined || end === undefined) return undefined;
  const day = (atMs: number): number => Math.floor(atMs / DAY);
  const days =
    start.precision === "day" || end.precision === "day"
      ? day(end.atMs) - day(start.atMs)
      : (end.atMs - start.atMs) / DAY;
  return unit((days - 1) / 6);
}

/** PDI before thin evidence (methodology §4). */
export function plainDeliberation(
  frame: readonly PlainMember[],
  attended: readonly PlainMember[],
): number | undefined {
  const held = attended.filter((member) => member.isHeld);
  const measured = frame.flatMap((member) => {
    const { proposal, votes } = member;
    const { discussion, created, start } = proposal;
    const isExact = created?.precision === "second" && start?.precision === "second";
    const reasons = votes.filter((vote) => vote.reason === true).length;
    const isSilent =
      proposal.isShutter || votes.length === 0 || votes.some((vote) => vote.reason === undefined);
    const value = ofKnown([
      [0.2, discussion === undefined ? undefined : /^https?:\/\/\S+$/.test(discussion) ? 1 : 0],
      [0.2, period(proposal)],
      [0.1, isExact ? unit((start.atMs - created.atMs) / DAY / 2) : undefined],
      [0.15, contestedness(member)],
      [0.1, isSilent ? undefined : unit(reasons / votes.length / 0.1)],
      [0.1, halfPower(member)],
      [0.15, notBatch(member, held.slice(0, held.indexOf(member)))],
    ]);
    return value === undefined ? [] : [{ value, weight: member.weight }];
  });
  const mean = plainMean(measured);
  return mean === undefined ? undefined : 10 * mean;
}

function effective(weights: readonly number[]): number {
  return weights.reduce((a, b) => a + b, 0) ** 2 / weights.reduce((a, b) => a + b * b, 0);
}

function cadence(attended: readonly PlainMember[], t: number): number {
  // By the minute marks between which nothing changes: ends, and ends + 30 days.
  const marks = [t - 180 * DAY, t];
  for (const { end } of attended) marks.push(end, end + 30 * DAY);
  const inside = [...new Set(marks)].filter((at) => at >= t - 180 * DAY && at <= t).sort((a, b) => a - b);
  let covered = 0;
  inside.slice(1).forEach((to, index) => {
    const from = inside[index] ?? to;
    if (attended.some(({ end }) => end <= from && to <= end + 30 * DAY)) covered += to - from;
  });
  return covered / (180 * DAY);
}

/** GPI before thin evidence (methodology §5); every author a head. */
export function plainProcess(
  space: Space | undefined,
  frame: readonly PlainMember[],
  attended: readonly PlainMember[],
  t: number,
): number | undefined {
  const median = plainMedian(
    frame.flatMap(({ power, weight }) => (power === undefined ? [] : [{ value: power, weight }])),
  );
  const least = median === undefined || median === 0 ? Number.NaN : median / 100;
  const quorum = plainMean(
    frame.flatMap(({ proposal, power, weight }) =>
      proposal.quorum === undefined ||
      proposal.isQuorumRejection ||
      power === undefined ||
      !(proposal.quorum >= least)
        ? []
        : [{ value: power >= proposal.quorum ? 1 : 0, weight }],
    ),
  );
  const signed = frame.filter((member) => member.proposal.author !== undefined);
  const n = signed.length === 0 ? 0 : effective(signed.map((member) => member.weight));
  const byAuthor = [...new Set(signed.map((member) => member.proposal.author))].map((author) =>
    signed
      .filter((member) => member.proposal.author === author)
      .reduce((sum, member) => sum + member.weight, 0),
  );
  const proposers = n < 2 ? undefined : unit(Math.log(effective(byAuthor)) / Math.log(Math.min(10, n)));
  const latest = frame.filter((member) => member.proposal.quorum !== undefined).at(-1)?.proposal;
  const asked = latest?.isQuorumRejection ? undefined : (space?.quorum ?? latest?.quorum);
  const asksForQuorum =
    asked === undefined ? undefined : asked === 0 ? false : Number.isNaN(least) ? undefined : asked >= least;
  const admins = space?.adminsAndModeratorsCount;
  const rails = [
    space?.isProposingGated,
    space?.hasFixedPeriod,
    asksForQuorum,
    admins === undefined ? undefined : admins >= 2,
  ].filter((rail) => rail !== undefined);
  const guard = rails.length < 2 ? undefined : rails.filter((rail) => rail).length / rails.length;
  const mean = ofKnown([
    [0.3, quorum],
    [0.25, cadence(attended, t)],
    [0.25, proposers],
    [0.2, guard],
  ]);
  return mean === undefined ? undefined : 10 * mean;
}
