import { DAY_MS } from "../../../snapshots/base/days.ts";
import type { Proposal } from "../../facts/proposal.ts";
import { type EligibilityFacts, type ExclusionReason, ineligibleBecause } from "../method/measures.ts";
import { METHODOLOGY } from "../method/methodology.ts";
import { clamp, countUpTo, weightedMedian } from "../method/statistics.ts";

/** The fields of a proposal that decide whether it is in the frame. */
type FramedFacts = EligibilityFacts & Pick<Proposal, "proposalId" | "strategiesKey">;

export interface FrameProposal<Facts extends FramedFacts = Proposal> extends Attention {
  readonly proposal: Facts;
  readonly endMs: number;
  /** S: power cast; `undefined` if unknown. */
  readonly power: number | undefined;
}

/** The proposals by which a DAO is scored as of one moment: eligible, of the last 730 days, with ω > 0. By (end, id). */
interface Frame<Facts extends FramedFacts = Proposal> {
  readonly members: readonly FrameProposal<Facts>[];
  /** Number of eligible proposals of all time; those of the last 730 days count only with ω > 0. */
  readonly eligibleCount: number;
  readonly excluded: ReadonlyMap<string, ExclusionReason>;
  readonly continuities: Continuities;
}

/** The continuity of units by their key, if it is below 1. */
export type Continuities = ReadonlyMap<string, number>;

/** Proposals with the same key have the same voting strategies; so have all of which none are known. */
export function unitKeyOf({ strategiesKey = "" }: Pick<Proposal, "strategiesKey">): string {
  return strategiesKey;
}

/** How long a proposal stays in a frame after its end. */
export const HORIZON_MS = METHODOLOGY.frame.horizonDays * DAY_MS;

/**
 * Determines the frame as of `asOfMs`. `proposals` must be sorted by (end, id); `powerOf` returns S, `continuitiesOf` the
 * continuity of the units of attended proposals.
 */
export function selectFrame<Facts extends FramedFacts>(
  proposals: readonly Facts[],
  powerOf: (proposal: Facts) => number | undefined,
  continuitiesOf: (attended: readonly FrameProposal<Facts>[]) => Continuities,
  asOfMs: number,
): Frame<Facts> {
  const excluded = new Map<string, ExclusionReason>();
  const recent: Facts[] = [];
  let olderCount = 0;
  for (const proposal of proposals) {
    const { proposalId, end } = proposal;
    const reason = ineligibleBecause(proposal, asOfMs);
    if (reason !== undefined) excluded.set(proposalId, reason);
    else if ((end?.atMs ?? 0) > asOfMs - HORIZON_MS) recent.push(proposal);
    else {
      olderCount += 1;
      excluded.set(proposalId, "TOO_OLD");
    }
  }
  const cast = recent.map((proposal) => ({
    proposal,
    endMs: proposal.end?.atMs ?? 0,
    strategiesKey: proposal.strategiesKey,
    power: powerOf(proposal),
  }));
  const attentions = attend(cast);
  const attended = cast.flatMap(({ proposal, endMs, power }, index): FrameProposal<Facts>[] => {
    const { attention, scale } = attentions[index] as Attention;
    if (attention > 0) return [{ proposal, endMs, power, attention, scale }];
    excluded.set(proposal.proposalId, "IGNORED");
    return [];
  });
  const continuities = continuitiesOf(attended);
  const members = attended.flatMap((item): FrameProposal<Facts>[] => {
    const continuity = continuities.get(unitKeyOf(item.proposal));
    if (continuity === undefined) return [item];
    if (continuity > 0) return [{ ...item, attention: item.attention * continuity }];
    excluded.set(item.proposal.proposalId, "OTHER_VOTERS");
    return [];
  });
  return { members, eligibleCount: olderCount + members.length, excluded, continuities };
}

/**
 * Determines the frames of one DAO for consecutive moments. Returns the same object until a proposal ends or becomes
 * too old, so that callers can reuse what they derived from it.
 */
export function createFrameWindow(
  proposals: readonly Proposal[],
  powerOf: (proposal: Proposal) => number | undefined,
  continuitiesOf: (attended: readonly FrameProposal[]) => Continuities,
): (asOfMs: number) => Frame {
  const turnsMs = Float64Array.from(
    proposals.flatMap(({ end }) => (end === undefined ? [] : [end.atMs, end.atMs + HORIZON_MS])),
  ).sort();
  let last: { readonly turns: number; readonly frame: Frame } | undefined;
  return (asOfMs) => {
    const turns = countUpTo(turnsMs, asOfMs);
    if (last?.turns !== turns)
      last = { turns, frame: selectFrame(proposals, powerOf, continuitiesOf, asOfMs) };
    return last.frame;
  };
}

/** An eligible proposal of the last 730 days, and the power cast on it. */
type CastProposal = Pick<Proposal, "strategiesKey"> & Pick<FrameProposal, "power">;

/** The attention that a proposal gets, and the scale on which its power is measured. */
interface Attention {
  /** ω, 0–1; in a frame multiplied by the continuity of its unit. */
  readonly attention: number;
  /** The power usually cast in its unit; `undefined` if nobody ever cast any. */
  readonly scale: number | undefined;
}

/** S: the total that the source declares; else 0 if it declares 0 votes and none were fetched; else the fetched power. */
export function powerCast(
  proposal: Pick<Proposal, "scoresTotal" | "votesCount">,
  fetchedPower: number | undefined,
  isFetched: boolean,
): number | undefined {
  if (proposal.scoresTotal !== undefined) return proposal.scoresTotal;
  return proposal.votesCount === 0 && !isFetched ? 0 : fetchedPower;
}

/** The power-weighted median of a unit's largest S: S of the proposal in which the median unit of power was cast. */
function scaleOf(powers: number[]): number | undefined {
  const largest = powers.sort((a, b) => b - a).slice(0, METHODOLOGY.frame.scaleProposals);
  return weightedMedian(largest.map((power) => ({ value: power, weight: power })));
}

function attentionTo(power: number | undefined, scale: number | undefined): number {
  const { attentionFloor: floor } = METHODOLOGY.frame;
  if (power === undefined) return 1;
  // Without a scale, the power is known to be 0, because nobody ever cast any in the unit.
  return scale === undefined ? 0 : clamp((power / scale - floor) / (1 - floor));
}

function unitScales(proposals: readonly CastProposal[]): ReadonlyMap<string, number | undefined> {
  const powersByUnit = new Map<string, number[]>();
  for (const { strategiesKey, power } of proposals) {
    if (power === undefined || power === 0) continue;
    const unit = unitKeyOf({ strategiesKey });
    const powers = powersByUnit.get(unit);
    if (powers === undefined) powersByUnit.set(unit, [power]);
    else powers.push(power);
  }
  return new Map([...powersByUnit].map(([unit, powers]) => [unit, scaleOf(powers)]));
}

/**
 * Attention ω of each proposal: how much of the power usually cast in this DAO was cast on it. Proposals that outsiders
 * create at no cost draw no power and get none.
 *
 * Range: 0..1; up to a quarter of the unit's scale gives 0; the scale or more gives 1.
 * Unit: proposals; those with the same strategies share a scale.
 * Source: `scores_total`, or else the sum of the ballot.
 * Unknown: a proposal of unknown power gets 1.
 */
function attend(proposals: readonly CastProposal[]): Attention[] {
  const scales = unitScales(proposals);
  return proposals.map(({ strategiesKey, power }) => {
    const scale = scales.get(unitKeyOf({ strategiesKey }));
    return { attention: attentionTo(power, scale), scale };
  });
}
