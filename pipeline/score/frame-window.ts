import { DAY_MS } from "../base/days.ts";
import type { Proposal } from "../facts/proposal.ts";
import { type AttendedProposal, attentionTo, unitOf } from "./attention.ts";
import type { BallotVotes } from "./ballot-votes.ts";
import { ineligibleBecause } from "./eligibility.ts";
import { type Exclusion, type Frame, type FrameProposal, frameOf, isHeld, powerCast } from "./frame.ts";
import { METHODOLOGY } from "./methodology.ts";
import { createUnitScale, type UnitScale } from "./unit-scale.ts";

/** The frames of one DAO, one moment after another. */
export interface FrameWindow {
  /** The frame as of any moment; a later one costs what has changed. A proposal whose ω is as before is the same object. */
  at(asOfMs: number): Frame;
}

/** An eligible proposal, and what of it holds as long as its unit has the same scale. */
interface Candidate {
  readonly proposal: Proposal;
  readonly endMs: number;
  readonly unit: UnitScale;
  readonly ignored: Exclusion;
  power: number | undefined;
  votes: BallotVotes | undefined;
  scale: number | undefined;
  item: AttendedProposal | FrameProposal | undefined;
}

/** First place whose end is after a moment. */
function firstAfter(candidates: readonly { readonly endMs: number }[], atMs: number): number {
  let low = 0;
  let high = candidates.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((candidates[middle]?.endMs ?? 0) <= atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What of a proposal never changes: why it is left out while it has not ended, and afterwards. */
interface Verdict {
  readonly endMs: number;
  readonly before: Exclusion | undefined;
  readonly after: Exclusion | undefined;
  /** What it is called beyond the horizon. */
  readonly tooOld: Exclusion;
}

interface Known {
  readonly candidates: readonly Candidate[];
  readonly verdicts: readonly Verdict[];
}

function knownOf(proposals: readonly Proposal[]): Known {
  const units = new Map<string, UnitScale>();
  const candidates: Candidate[] = [];
  const verdicts = proposals.map((proposal): Verdict => {
    const { proposalId } = proposal;
    const endMs = proposal.end?.atMs ?? Number.NaN;
    const verdict = (asOfMs: number): Exclusion | undefined => {
      const reason = ineligibleBecause(proposal, asOfMs);
      return reason === undefined ? undefined : { proposalId, reason };
    };
    const after = verdict(Infinity);
    const before = verdict(-Infinity);
    const tooOld = { proposalId, reason: "TOO_OLD" } as const;
    if (after !== undefined) return { endMs, before, after, tooOld };
    const unit = units.get(unitOf(proposal)) ?? createUnitScale();
    units.set(unitOf(proposal), unit);
    candidates.push({
      proposal,
      endMs,
      unit,
      ignored: { proposalId, reason: "IGNORED" },
      power: undefined,
      votes: undefined,
      scale: undefined,
      item: undefined,
    });
    return { endMs, before, after, tooOld };
  });
  return { candidates, verdicts };
}

/** A window over the proposals of a DAO, given by (end, id). `votesOf` is asked for those that it reaches. */
export function createFrameWindow(
  proposals: readonly Proposal[],
  votesOf: (proposalId: string) => BallotVotes | undefined,
): FrameWindow {
  const { candidates, verdicts } = knownOf(proposals);
  let first = 0;
  let end = 0;

  const enter = (candidate: Candidate): void => {
    candidate.votes = votesOf(candidate.proposal.proposalId);
    candidate.power = powerCast(candidate.proposal, candidate.votes);
    candidate.item = undefined;
    if (candidate.power !== undefined) candidate.unit.add(candidate.power);
  };
  const leave = ({ power, unit }: Candidate): void => {
    if (power !== undefined) unit.remove(power);
  };
  const slide = (nextFirst: number, nextEnd: number): void => {
    const isBehind = nextFirst < first || nextEnd < end || nextFirst >= end;
    const stays = isBehind ? { first: nextFirst, end: nextFirst } : { first: nextFirst, end };
    candidates.slice(first, isBehind ? end : stays.first).forEach(leave);
    candidates.slice(stays.end, nextEnd).forEach(enter);
    first = nextFirst;
    end = nextEnd;
  };

  const itemOf = (candidate: Candidate): AttendedProposal | FrameProposal => {
    const scale = candidate.unit.scale();
    if (candidate.item !== undefined && candidate.scale === scale) return candidate.item;
    const { proposal, endMs, power, votes } = candidate;
    const attention = attentionTo(power, scale);
    const isSame = candidate.item?.attention === attention;
    const item = { proposal, endMs, power, attention };
    if (!isSame) candidate.item = isHeld(votes) ? { ...item, votes } : item;
    candidate.scale = scale;
    return candidate.item ?? item;
  };

  /** Why proposals are not attended, in their order; those of no attention last. */
  const leftOut = (asOfMs: number, horizonMs: number): Exclusion[] => {
    const excluded: Exclusion[] = [];
    for (const { endMs, before, after, tooOld } of verdicts) {
      const verdict = endMs > asOfMs ? before : after;
      if (verdict !== undefined) excluded.push(verdict);
      else if (endMs <= horizonMs) excluded.push(tooOld);
    }
    return excluded;
  };

  return {
    at(asOfMs) {
      const horizonMs = asOfMs - METHODOLOGY.frame.horizonDays * DAY_MS;
      slide(firstAfter(candidates, horizonMs), firstAfter(candidates, asOfMs));
      const excluded = leftOut(asOfMs, horizonMs);
      const attended: AttendedProposal[] = [];
      const held: FrameProposal[] = [];
      for (const candidate of candidates.slice(first, end)) {
        const item = itemOf(candidate);
        if (item.attention === 0) excluded.push(candidate.ignored);
        else attended.push(item);
        if (item.attention > 0 && "votes" in item) held.push(item);
      }
      return frameOf({ asOfMs, attended, held, olderCount: first, excluded });
    },
  };
}
