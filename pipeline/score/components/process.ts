import { DAY_MS } from "../../../snapshots/base/days.ts";
import type { Space } from "../../facts/dao-facts.ts";
import type { Proposal } from "../../facts/proposal.ts";
import type { FrameProposal } from "../frame/frame.ts";
import { exactly, type Mark, type MarkSum } from "../method/marks.ts";
import {
  type AuthorWeights,
  type GuardrailMeasures,
  type ProposalMeasures,
  weightAt,
} from "../method/measures.ts";
import { METHODOLOGY } from "../method/methodology.ts";
import { clamp } from "../method/statistics.ts";

const RULES = METHODOLOGY.process;

/**
 * Quorum: is a meaningful quorum required, and was it reached?
 *
 * Range: 0..1; no quorum gives 0, up to half reached 0, reached 1; a quorum below 1 % of the usual power earns less.
 * Unit: power on one proposal that counts for its quorum: S, or the part of it that the source gives.
 * Source: the proposal's quorum, the power that counts for it, S, and the scale of its unit.
 * Unknown: without the field, for a quorum of rejections (a veto), or without power.
 */
export function quorumMark(
  { quorum, isQuorumRejection, quorumPower }: Pick<Proposal, "quorum" | "isQuorumRejection" | "quorumPower">,
  { power, scale }: Pick<FrameProposal, "power" | "scale">,
): Mark | undefined {
  if (quorum === undefined || isQuorumRejection) return undefined;
  if (quorum === 0) return exactly(0);
  if (power === undefined || scale === undefined) return undefined;
  const meaning = clamp(quorum / (RULES.meaningfulQuorumShare * scale));
  return exactly(meaning * clamp((2 * (quorumPower ?? power)) / quorum - 1));
}

/**
 * Cadence: is something decided every month? For each moment of the last 180 days, takes the largest ω of the proposals
 * that ended in the 30 days before it; cadence is the mean of that.
 *
 * Range: 0..1.
 * Unit: days.
 * Source: the frame, fetched or not, by (end, id).
 * Unknown: never; the high end is u/180 higher, u being the days since the last complete fetch.
 */
export function cadenceOf(
  proposals: readonly Pick<ProposalMeasures, "endMs" | "attention">[],
  asOfMs: number,
): number {
  const reachMs = RULES.cadenceReachDays * DAY_MS;
  const windowMs = RULES.cadenceWindowDays * DAY_MS;
  const fromMs = asOfMs - windowMs;
  /** Proposals in reach that no later one exceeds: the first has the largest ω, and each next one counts after it. */
  let reaching: Pick<ProposalMeasures, "endMs" | "attention">[] = [];
  let reachedMs = fromMs;
  let covered = 0;
  const advance = (toMs: number): void => {
    for (const { endMs, attention } of reaching) {
      const untilMs = Math.min(endMs + reachMs, toMs);
      if (untilMs <= reachedMs) continue;
      covered += attention * (untilMs - reachedMs);
      reachedMs = untilMs;
    }
    reachedMs = Math.max(reachedMs, toMs);
  };
  for (const proposal of proposals) {
    const { endMs, attention } = proposal;
    if (endMs <= fromMs - reachMs) continue;
    advance(endMs);
    reaching = reaching.filter((other) => other.endMs + reachMs > endMs && other.attention > attention);
    reaching.push(proposal);
  }
  advance(asOfMs);
  return covered / windowMs;
}

/** Sums the weights of proposals with a known author as of a moment; `ownerOf` merges the wallets of entities. */
export function weighAuthors(
  members: readonly (Pick<FrameProposal, "endMs" | "attention"> & {
    readonly proposal: Pick<Proposal, "author">;
  })[],
  ownerOf: (author: string) => string,
  asOfMs: number,
): AuthorWeights {
  const weightOf = new Map<string, number>();
  let sum = 0;
  let ofProposals = 0;
  for (const member of members) {
    const { author } = member.proposal;
    if (author === undefined) continue;
    const weight = weightAt(member, asOfMs);
    const owner = ownerOf(author);
    sum += weight;
    ofProposals += weight * weight;
    weightOf.set(owner, (weightOf.get(owner) ?? 0) + weight);
  }
  let ofAuthors = 0;
  for (const weight of weightOf.values()) ofAuthors += weight * weight;
  return { sum, ofProposals, ofAuthors };
}

/**
 * Proposers: the chance that two proposals, drawn by weight, have different authors.
 *
 * Range: 0..1; a chance of .9, as with ten equal authors, gives 1.
 * Unit: pairs of proposals; k = (W² − Σw²)/W.
 * Source: authors of the frame's proposals; entities are merged.
 * Unknown: proposals without an author have no weight; entirely unknown with fewer than two known authors.
 */
export function proposersSum({ sum, ofProposals, ofAuthors }: AuthorWeights): MarkSum {
  const pairs = sum * sum - ofProposals;
  if (pairs <= 0) return { weight: 0, low: 0, high: 0 };
  const weight = pairs / sum;
  const marked = weight * clamp((sum * sum - ofAuthors) / pairs / RULES.fullMarksProposers);
  return { weight, low: marked, high: marked };
}

export function guardrailMeasures(space: Space | undefined): GuardrailMeasures {
  return {
    isProposingGated: space?.isProposingGated,
    hasFixedPeriod: space?.hasFixedPeriod,
    guardiansCount: space?.adminsAndModeratorsCount,
    isFlagged: space?.isFlagged === true,
  };
}

/**
 * Guardrails: one third each for gated proposing, a fixed voting period, and at least two admins or moderators.
 *
 * Range: 0..1.
 * Unit: rules of the space.
 * Source: the configuration of the space.
 * Unknown: each third that the configuration does not contain widens the interval.
 */
export function guardrailsMark(rules: GuardrailMeasures): Mark {
  const { isProposingGated, hasFixedPeriod, guardiansCount: guardians } = rules;
  const isGuarded = guardians === undefined ? undefined : guardians >= RULES.guardiansMin;
  const rails = [isProposingGated, hasFixedPeriod, isGuarded];
  const held = rails.filter((rail) => rail === true).length;
  const open = rails.filter((rail) => rail === undefined).length;
  return [held / rails.length, (held + open) / rails.length];
}
