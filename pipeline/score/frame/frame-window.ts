import { DAY_MS } from "../../facts/days.ts";
import type { Proposal } from "../../facts/proposal.ts";
import { type EligibilityFacts, type Exclusion, ineligibleBecause } from "../method/measures.ts";
import { METHODOLOGY } from "../method/methodology.ts";
import { type Attention, attend } from "./attention.ts";

/** What of a proposal decides whether it is in the frame. */
export type FramedFacts = EligibilityFacts & Pick<Proposal, "proposalId" | "strategiesKey">;

/** A proposal of the frame. */
export interface FrameProposal<Facts extends FramedFacts = Proposal> extends Attention {
  readonly proposal: Facts;
  readonly endMs: number;
  /** S: power cast; `undefined` where unknown. */
  readonly power: number | undefined;
}

/** The proposals that a DAO is judged by as of one moment: eligible, of the last 730 days, with ω > 0. By (end, id). */
export interface Frame<Facts extends FramedFacts = Proposal> {
  readonly members: readonly FrameProposal<Facts>[];
  /** Eligible proposals in all time, those of the last 730 days only with ω > 0. */
  readonly eligibleCount: number;
  readonly excluded: readonly Exclusion[];
}

const HORIZON_MS = METHODOLOGY.frame.horizonDays * DAY_MS;

/** Draws the frame as of `asOfMs`. `proposals` by (end, id); `powerOf` gives S. */
export function drawFrame<Facts extends FramedFacts>(
  proposals: readonly Facts[],
  powerOf: (proposal: Facts) => number | undefined,
  asOfMs: number,
): Frame<Facts> {
  const excluded: Exclusion[] = [];
  const recent: Facts[] = [];
  let olderCount = 0;
  for (const proposal of proposals) {
    const { proposalId, end } = proposal;
    const reason = ineligibleBecause(proposal, asOfMs);
    if (reason !== undefined) excluded.push({ proposalId, reason });
    else if ((end?.atMs ?? 0) > asOfMs - HORIZON_MS) recent.push(proposal);
    else {
      olderCount += 1;
      excluded.push({ proposalId, reason: "TOO_OLD" });
    }
  }
  const cast = recent.map((proposal) => ({
    proposal,
    endMs: proposal.end?.atMs ?? 0,
    strategiesKey: proposal.strategiesKey,
    power: powerOf(proposal),
  }));
  const attentions = attend(cast);
  const members = cast.flatMap(({ proposal, endMs, power }, place): FrameProposal<Facts>[] => {
    const { attention, scale } = attentions[place] as Attention;
    if (attention > 0) return [{ proposal, endMs, power, attention, scale }];
    excluded.push({ proposalId: proposal.proposalId, reason: "IGNORED" });
    return [];
  });
  return { members, eligibleCount: olderCount + members.length, excluded };
}

/**
 * The frames of one DAO, one moment after another: the same object until a proposal ends or becomes too old, so that
 * whoever made something of it need not make it again.
 */
export function createFrameWindow(
  proposals: readonly Proposal[],
  powerOf: (proposal: Proposal) => number | undefined,
): (asOfMs: number) => Frame {
  const turnsMs = Float64Array.from(
    proposals.flatMap(({ end }) => (end === undefined ? [] : [end.atMs, end.atMs + HORIZON_MS])),
  ).sort();
  let last: { readonly turns: number; readonly frame: Frame } | undefined;
  return (asOfMs) => {
    let low = 0;
    let high = turnsMs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((turnsMs[middle] ?? 0) <= asOfMs) low = middle + 1;
      else high = middle;
    }
    if (last?.turns !== low) last = { turns: low, frame: drawFrame(proposals, powerOf, asOfMs) };
    return last.frame;
  };
}
