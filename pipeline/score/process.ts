import { DAY_MS } from "../base/days.ts";
import { guardrails } from "./guardrails.ts";
import { INDICATORS, type Indicator, indicator, withEffectiveWeights } from "./indicator.ts";
import type { DaoMeasures, MemberMeasures } from "./measures.ts";
import { METHODOLOGY } from "./methodology.ts";
import { presentMeanOf } from "./present-mean.ts";
import { proposerPosition } from "./proposers.ts";
import { meaningfulQuorum, type QuorumProposal, quorumRate } from "./quorum-rate.ts";
import { gap, points, type ScoreOrGap } from "./score-or-gap.ts";

const RULES = METHODOLOGY.process;

/** What GPI is made of. */
export type ProcessMeasures = Pick<
  DaoMeasures,
  "asOfMs" | "guardrails" | "attended" | "effectiveProposers"
> & {
  readonly members: readonly (QuorumProposal & Pick<MemberMeasures, "hasAuthor">)[];
};

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

/** GPI with its indicators. */
export interface Process {
  readonly score: ScoreOrGap;
  readonly indicators: readonly Indicator[];
}

/** Points (0–10) of the indicators of process; `undefined` with less than half of the weight known. */
export function processPoints(
  indicators: readonly Pick<Indicator, "weight" | "value">[],
): number | undefined {
  const mean = presentMeanOf(indicators, RULES.presentShareMin);
  return mean === undefined ? undefined : 10 * mean;
}

/** What of GPI stays as it is while a frame does. */
export interface LastingProcess {
  readonly quorum: Indicator;
  readonly proposers: Indicator;
  readonly guardrails: Indicator;
}

/** The indicators of process but for the cadence, of a frame. */
export function processOfFrame(measures: Omit<ProcessMeasures, "asOfMs" | "attended">): LastingProcess {
  const { members } = measures;
  const kinds = INDICATORS.gpi;
  const least = meaningfulQuorum(members);
  const quorum = quorumRate(members, least);
  const diversity = proposerPosition(measures.effectiveProposers, members);
  const proposers = diversity === undefined ? undefined : measures.effectiveProposers;
  const guarded = guardrails(measures.guardrails, members, least);
  return {
    quorum: indicator(kinds.quorum, quorum, quorum),
    proposers: indicator(kinds.proposers, proposers, diversity),
    guardrails: indicator(kinds.guardrails, guarded, guarded),
  };
}

/**
 * Governance Process Index (gpi): are there rules, and do they carry?
 *
 * Range: 0..10 points.
 * Unit: proposals for the quorum, days for the cadence, heads for the proposers, rules for the guardrails.
 * Source: the frame, attended proposals of the last 180 days, the space's own configuration.
 * Gap: less than half of the indicators' weight is known. Approval is reported, never scored: it invites rubber-stamping.
 */
export function scoreProcess(
  measures: ProcessMeasures,
  lasting: LastingProcess = processOfFrame(measures),
): Process {
  const covered = cadence(measures.attended, measures.asOfMs);
  const indicators = [
    lasting.quorum,
    indicator(INDICATORS.gpi.cadence, covered, covered),
    lasting.proposers,
    lasting.guardrails,
  ];
  const found = processPoints(indicators);
  return {
    score: found === undefined ? gap("PROCESS_UNKNOWN") : points(found),
    indicators: withEffectiveWeights(indicators),
  };
}
