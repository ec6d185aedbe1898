import { DAY_MS } from "../../facts/days.ts";
import type { Proposal } from "../../facts/proposal.ts";
import {
  type AttendedProposal,
  attentionTo,
  createUnitScale,
  type UnitScale,
  unitOf,
} from "../method/attention.ts";
import { ineligibleBecause } from "../method/measures.ts";
import { METHODOLOGY } from "../method/methodology.ts";
import type { CountedVotes } from "./counted-votes.ts";
import { type Exclusion, type Frame, type FrameProposal, frameOf, isHeld, powerCast } from "./frame.ts";

/** An eligible proposal, and what of it holds as long as its unit has the same scale. */
interface Candidate {
  readonly proposal: Proposal;
  readonly endMs: number;
  readonly unit: UnitScale;
  readonly ignored: Exclusion;
  power: number | undefined;
  votes: CountedVotes | undefined;
  scale: number | undefined;
  item: AttendedProposal | FrameProposal | undefined;
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
  /** Moments from which on a frame can be another, ascending. */
  readonly turnsMs: Float64Array;
}

/** When a proposal ends, and when it is too old for all that looks at the last so many days. */
function turnsOf(verdicts: readonly Verdict[]): Float64Array {
  const { windowDays, horizonDays } = METHODOLOGY.frame;
  const ends = verdicts.map(({ endMs }) => endMs).filter((endMs) => !Number.isNaN(endMs));
  const turns = ends.flatMap((endMs) => [endMs, endMs + windowDays * DAY_MS, endMs + horizonDays * DAY_MS]);
  return Float64Array.from(turns).sort();
}

/** How many of ascending moments have come. */
function countUntil(momentsMs: Float64Array, atMs: number): number {
  let low = 0;
  let high = momentsMs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((momentsMs[middle] ?? 0) <= atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The list before, where it holds the same objects. */
function asBefore<Item>(before: readonly Item[], now: readonly Item[]): readonly Item[] {
  return before.length === now.length && before.every((item, place) => item === now[place]) ? before : now;
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
  return { candidates, verdicts, turnsMs: turnsOf(verdicts) };
}

/** A window over the proposals of a DAO, given by (end, id). `votesOf` is asked for those that it reaches. */
export function createFrameWindow(
  proposals: readonly Proposal[],
  votesOf: (proposalId: string) => CountedVotes | undefined,
) {
  const { candidates, verdicts, turnsMs } = knownOf(proposals);
  const endsMs = Float64Array.from(candidates, ({ endMs }) => endMs);
  let first = 0;
  let end = 0;
  let last: { readonly turns: number; readonly frame: Frame } | undefined;

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

  const drawAt = (asOfMs: number): Frame => {
    const horizonMs = asOfMs - METHODOLOGY.frame.horizonDays * DAY_MS;
    slide(countUntil(endsMs, horizonMs), countUntil(endsMs, asOfMs));
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
  };

  return {
    /**
     * The frame as of any moment; a later one costs what has changed. A proposal whose ω is as before is the same object,
     * and a list of the same proposals is the same list: whoever made something of it need not make it again.
     */
    at(asOfMs: number): Frame {
      const turns = countUntil(turnsMs, asOfMs);
      // Between two turns only the clock moves: most days of a history.
      if (last?.turns === turns) return { ...last.frame, asOfMs };
      const drawn = drawAt(asOfMs);
      const frame =
        last === undefined
          ? drawn
          : {
              ...drawn,
              members: asBefore(last.frame.members, drawn.members),
              missing: asBefore(last.frame.missing, drawn.missing),
              attended: asBefore(last.frame.attended, drawn.attended),
              held: asBefore(last.frame.held, drawn.held),
            };
      last = { turns, frame };
      return frame;
    },
  };
}
