import { DAY_MS } from "../base/days.ts";
import type { Space } from "../facts/space.ts";
import { presentMeanOf } from "./deliberation.ts";
import type { Frame, FrameProposal } from "./frame.ts";
import { INDICATORS, type Indicator, indicator, withEffectiveWeights } from "./indicator.ts";
import type { DaoMeasures, GuardrailMeasures, MemberMeasures } from "./measures.ts";
import { METHODOLOGY } from "./methodology.ts";
import { gap, points, type ScoreOrGap } from "./score-or-gap.ts";
import { clamp, effectiveNumber, weightedMean, weightedMedian } from "./weighted-statistics.ts";

const RULES = METHODOLOGY.process;

/** What GPI looks at of a proposal. */
export type ProcessProposal = Pick<
  MemberMeasures,
  "power" | "attention" | "quorum" | "isQuorumRejection" | "proposer"
>;

/** What GPI is made of. */
export type ProcessMeasures = Pick<DaoMeasures, "asOfMs" | "guardrails" | "attended"> & {
  readonly members: readonly ProcessProposal[];
};

/** Power a quorum must at least ask for to mean anything; `undefined` where no power is known. */
function meaningfulQuorum(
  members: readonly Pick<ProcessProposal, "power" | "attention">[],
): number | undefined {
  const known = members.flatMap(({ power, attention }) =>
    power === undefined ? [] : [{ value: power, weight: attention }],
  );
  return meaningfulQuorumOf(weightedMedian(known));
}

/** The same of a median S. */
export function meaningfulQuorumOf(medianPower: number | undefined): number | undefined {
  return medianPower === undefined || medianPower === 0
    ? undefined
    : medianPower * RULES.meaningfulQuorumShare;
}

/** Rate at which meaningful quorums were reached, over all choices; a rejection quorum is a veto and no quorum. */
export function quorumRateOf(members: readonly ProcessProposal[]): number | undefined {
  const least = meaningfulQuorum(members);
  if (least === undefined) return undefined;
  return weightedMean(
    members.flatMap(({ quorum, isQuorumRejection, power, attention }) => {
      if (quorum === undefined || isQuorumRejection || quorum < least || power === undefined) return [];
      return [{ value: power >= quorum ? 1 : 0, weight: attention }];
    }),
  );
}

/** Share of the last 180 days that lies within 30 days after the end of an attended proposal. */
export function cadence(attended: readonly Pick<MemberMeasures, "endMs">[], asOfMs: number): number {
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

/** Effective proposers, and where they lie on a logarithmic scale that few proposals shorten; `undefined` with fewer than two effective proposals. */
function proposersOf(
  members: readonly { readonly proposer: unknown; readonly attention: number }[],
): { readonly effective: number; readonly position: number } | undefined {
  const shares = new Map<unknown, number>();
  const known = members.filter((member) => member.proposer !== undefined);
  for (const { proposer, attention } of known) shares.set(proposer, (shares.get(proposer) ?? 0) + attention);
  const proposals = effectiveNumber(known.map((member) => member.attention));
  if (proposals < 2) return undefined;
  const effective = effectiveNumber([...shares.values()].sort((a, b) => a - b));
  const position = Math.log(effective) / Math.log(Math.min(RULES.fullMarksProposers, proposals));
  return { effective, position };
}

/** Whether the space asks for a quorum that means something: its own setting, or else its latest proposal's. */
function asksForQuorum(
  spaceQuorum: number | undefined,
  members: readonly ProcessProposal[],
): boolean | undefined {
  const latest = members.findLast((member) => member.quorum !== undefined);
  // The space's own setting does not say of which kind it is; the latest proposal made under it does.
  if (latest?.isQuorumRejection) return undefined;
  const quorum = spaceQuorum ?? latest?.quorum;
  if (quorum === undefined) return undefined;
  if (quorum === 0) return false;
  const least = meaningfulQuorum(members);
  return least === undefined ? undefined : quorum >= least;
}

/** Mean of the guardrails that are known, of at least two. */
export function guardrailsOf(
  rules: GuardrailMeasures,
  members: readonly ProcessProposal[],
): number | undefined {
  const guardians = rules.guardiansCount;
  const rails = [
    rules.isProposingGated,
    rules.hasFixedPeriod,
    asksForQuorum(rules.quorum, members),
    guardians === undefined ? undefined : guardians >= RULES.guardiansMin,
  ].filter((rail) => rail !== undefined);
  if (rails.length < RULES.guardrailsMin) return undefined;
  return rails.filter((rail) => rail).length / rails.length;
}

/** GPI with its indicators. */
export interface Process {
  readonly score: ScoreOrGap;
  readonly indicators: readonly Indicator[];
}

/** Points (0–10) of the indicators of process; `undefined` with less than half of the weight known. */
export function processPoints(indicators: readonly Indicator[]): number | undefined {
  const mean = presentMeanOf(indicators, RULES.presentShareMin);
  return mean === undefined ? undefined : 10 * mean;
}

/**
 * Governance Process Index (gpi): are there rules, and do they carry?
 *
 * Range: 0..10 points.
 * Unit: proposals for the quorum, days for the cadence, heads for the proposers, rules for the guardrails.
 * Source: the frame, attended proposals of the last 180 days, the space's own configuration.
 * Gap: less than half of the indicators' weight is known. Approval is reported, never scored: it invites rubber-stamping.
 */
export function scoreProcessMeasures(measures: ProcessMeasures): Process {
  const { members, attended, asOfMs } = measures;
  const kinds = INDICATORS.gpi;
  const quorum = quorumRateOf(members);
  const covered = cadence(attended, asOfMs);
  const proposers = proposersOf(members);
  const guarded = guardrailsOf(measures.guardrails, members);
  const indicators = [
    indicator(kinds.quorum, quorum, quorum),
    indicator(kinds.cadence, covered, covered),
    indicator(kinds.proposers, proposers?.effective, proposers?.position),
    indicator(kinds.guardrails, guarded, guarded),
  ];
  const found = processPoints(indicators);
  return {
    score: found === undefined ? gap("PROCESS_UNKNOWN") : points(found),
    indicators: withEffectiveWeights(indicators),
  };
}

/** A space's rules as plain data. */
export function guardrailMeasures(space: Space | undefined): GuardrailMeasures {
  return {
    isProposingGated: space?.isProposingGated,
    hasFixedPeriod: space?.hasFixedPeriod,
    quorum: space?.quorum,
    guardiansCount: space?.adminsAndModeratorsCount,
  };
}

type NumberOfAuthor = (author: string | undefined) => number | undefined;

/** Numbers heads in the order in which they are first asked about. */
export function authorNumbers(headOfAuthor: (author: string) => string): NumberOfAuthor {
  const numbers = new Map<string, number>();
  return (author) => {
    if (author === undefined) return undefined;
    const head = headOfAuthor(author);
    const number = numbers.get(head) ?? numbers.size + 1;
    numbers.set(head, number);
    return number;
  };
}

function processProposals(members: readonly FrameProposal[], numberOf: NumberOfAuthor): ProcessProposal[] {
  return members.map(({ proposal, power, attention }) => ({
    power,
    attention,
    quorum: proposal.quorum,
    isQuorumRejection: proposal.isQuorumRejection,
    proposer: numberOf(proposal.author),
  }));
}

/** The quorum rate of members of a frame. */
export function quorumRate(members: readonly FrameProposal[]): number | undefined {
  return quorumRateOf(processProposals(members, () => undefined));
}

/** The marks (0–1) for proposers of members of a frame. */
export function proposerDiversity(
  members: readonly FrameProposal[],
  headOfAuthor: (author: string) => string,
): number | undefined {
  const found = proposersOf(processProposals(members, authorNumbers(headOfAuthor)));
  return found === undefined ? undefined : clamp(found.position);
}

/** The guardrails of a space and members of a frame. */
export function guardrails(space: Space | undefined, members: readonly FrameProposal[]): number | undefined {
  return guardrailsOf(
    guardrailMeasures(space),
    processProposals(members, () => undefined),
  );
}

/**
 * GPI of a frame.
 *
 * Range: 0..10 points.
 * Unit: as `scoreProcessMeasures`.
 * Source: a frame, measured here and now.
 * Gap: as `scoreProcessMeasures`.
 */
export function scoreProcess(input: {
  readonly frame: Frame;
  readonly space: Space | undefined;
  readonly headOfAuthor: (author: string) => string;
}): ScoreOrGap {
  const { frame, space, headOfAuthor } = input;
  return scoreProcessMeasures({
    asOfMs: frame.asOfMs,
    attended: frame.attended,
    guardrails: guardrailMeasures(space),
    members: processProposals(frame.members, authorNumbers(headOfAuthor)),
  }).score;
}
