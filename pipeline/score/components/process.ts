import type { Space } from "../../facts/dao-facts.ts";
import { DAY_MS } from "../../facts/days.ts";
import { attentionOf } from "../method/attention.ts";
import { gap, points, type ScoreOrGap } from "../method/dao-score.ts";
import {
  INDICATORS,
  type Indicator,
  indicator,
  presentMeanOf,
  withEffectiveWeights,
} from "../method/indicators.ts";
import type { DaoMeasures, GuardrailMeasures, MemberMeasures } from "../method/measures.ts";
import { METHODOLOGY } from "../method/methodology.ts";
import { effectiveNumber, meanOver, medianOver } from "../method/statistics.ts";

/** What quorums are judged by. */
type QuorumProposal = Pick<MemberMeasures, "power" | "attention" | "quorum" | "isQuorumRejection">;

/** Power a quorum must at least ask for to mean anything, by the median S; `undefined` where no power is known. */
export function meaningfulQuorumOf(medianPower: number | undefined): number | undefined {
  return medianPower === undefined || medianPower === 0
    ? undefined
    : medianPower * METHODOLOGY.process.meaningfulQuorumShare;
}

/** The same of members of a frame. */
function meaningfulQuorum(
  members: readonly Pick<QuorumProposal, "power" | "attention">[],
): number | undefined {
  return meaningfulQuorumOf(medianOver(members, ({ power }) => power, attentionOf));
}

/** Rate at which meaningful quorums were reached, over all choices; a rejection quorum is a veto and no quorum. */
export function quorumRate(
  members: readonly QuorumProposal[],
  least: number | undefined = meaningfulQuorum(members),
): number | undefined {
  if (least === undefined) return undefined;
  const isReached = ({ quorum, isQuorumRejection, power }: QuorumProposal): number | undefined => {
    if (quorum === undefined || isQuorumRejection || quorum < least || power === undefined) return undefined;
    return power >= quorum ? 1 : 0;
  };
  return meanOver(members, isReached, attentionOf);
}

/** A space's rules as plain data. */
export function guardrailMeasures(space: Space | undefined): GuardrailMeasures {
  return {
    isProposingGated: space?.isProposingGated,
    hasFixedPeriod: space?.hasFixedPeriod,
    quorum: space?.quorum,
    guardiansCount: space?.adminsAndModeratorsCount,
    isFlagged: space?.isFlagged === true,
  };
}

/** Whether the space asks for a quorum that means something: its own setting, or else its latest proposal's. */
function asksForQuorum(
  spaceQuorum: number | undefined,
  members: readonly QuorumProposal[],
  least: number | undefined,
): boolean | undefined {
  const latest = members.findLast((member) => member.quorum !== undefined);
  // The space's own setting does not say of which kind it is; the latest proposal made under it does.
  if (latest?.isQuorumRejection) return undefined;
  const quorum = spaceQuorum ?? latest?.quorum;
  if (quorum === undefined) return undefined;
  if (quorum === 0) return false;
  return least === undefined ? undefined : quorum >= least;
}

/** Mean of the guardrails that are known, of at least two. */
export function guardrails(
  rules: GuardrailMeasures,
  members: readonly QuorumProposal[],
  least: number | undefined = meaningfulQuorum(members),
): number | undefined {
  const { guardiansMin, guardrailsMin } = METHODOLOGY.process;
  const guardians = rules.guardiansCount;
  const rails = [
    rules.isProposingGated,
    rules.hasFixedPeriod,
    asksForQuorum(rules.quorum, members, least),
    guardians === undefined ? undefined : guardians >= guardiansMin,
  ].filter((rail) => rail !== undefined);
  if (rails.length < guardrailsMin) return undefined;
  return rails.filter((rail) => rail).length / rails.length;
}

/**
 * Effective number of proposers (entities merged), by their shares of ω; `undefined` where no author is known. Who
 * proposed what stays here: a number per proposal would tell a reader which wallets are one entity.
 */
export function effectiveProposers(
  proposals: readonly { readonly author: string | undefined; readonly attention: number }[],
  headOfAuthor: (author: string) => string,
): number | undefined {
  const attentionOf = new Map<string, number>();
  for (const { author, attention } of proposals) {
    if (author === undefined) continue;
    const head = headOfAuthor(author);
    attentionOf.set(head, (attentionOf.get(head) ?? 0) + attention);
  }
  if (attentionOf.size === 0) return undefined;
  return effectiveNumber([...attentionOf.values()].sort((a, b) => a - b));
}

/** Where effective proposers lie on a logarithmic scale that few proposals shorten; `undefined` with fewer than two effective proposals of known authors. */
export function proposerPosition(
  effective: number | undefined,
  members: readonly Pick<MemberMeasures, "attention" | "hasAuthor">[],
): number | undefined {
  if (effective === undefined) return undefined;
  const known = members.filter((member) => member.hasAuthor);
  const proposals = effectiveNumber(known.map((member) => member.attention));
  if (proposals < 2) return undefined;
  return Math.log(effective) / Math.log(Math.min(METHODOLOGY.process.fullMarksProposers, proposals));
}

const RULES = METHODOLOGY.process;

/** What GPI is made of. */
type ProcessMeasures = Pick<DaoMeasures, "asOfMs" | "guardrails" | "attended" | "effectiveProposers"> & {
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
