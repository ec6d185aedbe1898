import { DAY_MS } from "../base/days.ts";
import type { Space } from "../facts/space.ts";
import type { AttendedProposal } from "./attention.ts";
import { presentMean } from "./deliberation.ts";
import type { Frame, FrameProposal } from "./frame.ts";
import { METHODOLOGY } from "./methodology.ts";
import { gap, points, type ScoreOrGap } from "./score-or-gap.ts";
import { clamp, effectiveNumber, weightedMean, weightedMedian } from "./weighted-statistics.ts";

const RULES = METHODOLOGY.process;

/** The four indicators of a DAO's process, each 0–1; `undefined` is a gap. */
export type ProcessIndicators = Readonly<Record<keyof typeof RULES.weights, number | undefined>>;

/** Power a quorum must at least ask for to mean anything; `undefined` where no power is known. */
function meaningfulQuorum(members: readonly FrameProposal[]): number | undefined {
  const known = members.flatMap(({ power, attention }) =>
    power === undefined ? [] : [{ value: power, weight: attention }],
  );
  const median = weightedMedian(known);
  return median === undefined || median === 0 ? undefined : median * RULES.meaningfulQuorumShare;
}

/** Rate at which meaningful quorums were reached, over all choices; a rejection quorum is a veto and no quorum. */
export function quorumRate(members: readonly FrameProposal[]): number | undefined {
  const least = meaningfulQuorum(members);
  if (least === undefined) return undefined;
  return weightedMean(
    members.flatMap(({ proposal, power, attention }) => {
      const { quorum, isQuorumRejection } = proposal;
      if (quorum === undefined || isQuorumRejection || quorum < least || power === undefined) return [];
      return [{ value: power >= quorum ? 1 : 0, weight: attention }];
    }),
  );
}

/** Share of the last 180 days that lies within 30 days after the end of an attended proposal. */
export function cadence(attended: readonly AttendedProposal[], asOfMs: number): number {
  const fromMs = asOfMs - RULES.cadenceWindowDays * DAY_MS;
  let covered = 0;
  let reachedMs = fromMs;
  for (const { endMs } of attended) {
    const start = Math.max(endMs, reachedMs);
    const end = Math.min(endMs + RULES.cadenceReachDays * DAY_MS, asOfMs);
    if (end > start) {
      covered += end - start;
      reachedMs = end;
    }
  }
  return covered / (asOfMs - fromMs);
}

/** Effective number of proposers on a logarithmic scale; `undefined` with fewer than two effective proposals. */
export function proposerDiversity(
  members: readonly FrameProposal[],
  headOfAuthor: (author: string) => string,
): number | undefined {
  const shares = new Map<string, number>();
  const known = members.filter((member) => member.proposal.author !== undefined);
  for (const { proposal, attention } of known) {
    const head = headOfAuthor(proposal.author ?? "");
    shares.set(head, (shares.get(head) ?? 0) + attention);
  }
  const proposals = effectiveNumber(known.map((member) => member.attention));
  if (proposals < 2) return undefined;
  const proposers = effectiveNumber([...shares.values()].sort((a, b) => a - b));
  return clamp(Math.log(proposers) / Math.log(Math.min(RULES.fullMarksProposers, proposals)));
}

/** Whether the space asks for a quorum that means something: its own setting, or else its latest proposal's. */
function asksForQuorum(space: Space | undefined, members: readonly FrameProposal[]): boolean | undefined {
  const latest = members.findLast((member) => member.proposal.quorum !== undefined)?.proposal;
  // The space's own setting does not say of which kind it is; the latest proposal made under it does.
  if (latest?.isQuorumRejection) return undefined;
  const quorum = space?.quorum ?? latest?.quorum;
  if (quorum === undefined) return undefined;
  if (quorum === 0) return false;
  const least = meaningfulQuorum(members);
  return least === undefined ? undefined : quorum >= least;
}

/** Mean of the guardrails that are known, of at least two. */
export function guardrails(space: Space | undefined, members: readonly FrameProposal[]): number | undefined {
  const guardians = space?.adminsAndModeratorsCount;
  const rails = [
    space?.isProposingGated,
    space?.hasFixedPeriod,
    asksForQuorum(space, members),
    guardians === undefined ? undefined : guardians >= RULES.guardiansMin,
  ].filter((rail) => rail !== undefined);
  if (rails.length < RULES.guardrailsMin) return undefined;
  return rails.filter((rail) => rail).length / rails.length;
}

/**
 * Governance Process Index (gpi): are there rules, and do they carry?
 *
 * Range: 0..10 points.
 * Unit: proposals for the quorum, days for the cadence, heads for the proposers, rules for the guardrails.
 * Source: the frame, attended proposals of the last 180 days, the space's own configuration.
 * Gap: less than half of the indicators' weight is known. Approval is reported, never scored: it invites rubber-stamping.
 */
export function scoreProcess(input: {
  readonly frame: Frame;
  readonly space: Space | undefined;
  readonly headOfAuthor: (author: string) => string;
}): ScoreOrGap {
  const { frame, space, headOfAuthor } = input;
  const indicators: ProcessIndicators = {
    quorum: quorumRate(frame.members),
    cadence: cadence(frame.attended, frame.asOfMs),
    proposers: proposerDiversity(frame.members, headOfAuthor),
    guardrails: guardrails(space, frame.members),
  };
  const mean = presentMean(RULES.weights, indicators, RULES.presentShareMin);
  return mean === undefined ? gap("PROCESS_UNKNOWN") : points(10 * mean);
}
