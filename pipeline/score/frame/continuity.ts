import type { Proposal } from "../../facts/proposal.ts";
import { METHODOLOGY } from "../method/methodology.ts";
import { clamp, sortedSum } from "../method/statistics.ts";
import type { Ballot } from "./ballot.ts";
import { type Continuities, type FrameProposal, unitKeyOf } from "./frame.ts";

const RULES = METHODOLOGY.continuity;

/** A ballot of the frame with power, its place among all proposals by (end, id), and how much it counts. */
interface CountedBallot {
  readonly at: number;
  readonly unit: string;
  readonly ballot: Ballot;
  readonly weight: number;
}

/** What the continuity of one unit is computed from. */
interface Change {
  readonly earlier: readonly CountedBallot[];
  readonly own: readonly CountedBallot[];
}

/** The ballots in this order until their weights reach 10, the last with the part that is still missing. */
function firstOf(ballots: Iterable<CountedBallot>): readonly CountedBallot[] {
  const counted: CountedBallot[] = [];
  let missing = RULES.attention;
  for (const ballot of ballots) {
    if (missing <= 0) break;
    const weight = Math.min(ballot.weight, missing);
    missing -= weight;
    if (weight > 0) counted.push({ ...ballot, weight });
  }
  return counted;
}

const wholeOf = (ballots: readonly CountedBallot[]): number =>
  ballots.reduce((sum, { weight }) => sum + weight, 0);

/** How surely (0–1) a unit can be judged by earlier ballots of such a sum of weights. */
const judgedBy = (whole: number): number => clamp(whole - RULES.attentionFrom);

function isSame(one: readonly CountedBallot[], other: readonly CountedBallot[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ at, weight }, index) => at === other[index]?.at && weight === other[index]?.weight)
  );
}

/** Compares the voters of two sets of ballots; `votersCount` is the number of voters of the DAO. */
function createComparison(votersCount: number) {
  const there = new Float64Array(votersCount);
  const here = new Float64Array(votersCount);
  const add = (sums: Float64Array, ballots: readonly CountedBallot[]): void => {
    for (const { ballot, weight } of ballots)
      ballot.voters.forEach((voter, index) => {
        sums[voter] = (sums[voter] as number) + weight * (ballot.capped[index] as number);
      });
  };
  const clear = (sums: Float64Array, ballots: readonly CountedBallot[]): void => {
    for (const { ballot } of ballots) for (const voter of ballot.voters) sums[voter] = 0;
  };
  return ({ earlier, own: first }: Change): number => {
    const [whole, ownWhole] = [wholeOf(earlier), wholeOf(first)];
    add(there, earlier);
    add(here, first);
    const common: number[] = [];
    for (const { ballot } of first)
      for (const voter of ballot.voters) {
        const share = Math.min((there[voter] as number) / whole, (here[voter] as number) / ownWhole);
        if (share > 0) common.push(share);
        // A voter of several ballots counts once.
        here[voter] = 0;
      }
    const usual = earlier.map(({ ballot, weight }) => {
      const shares =
        ballot.voters.length === 0
          ? []
          : Array.from(ballot.voters, (voter, index) => {
              const share = ballot.capped[index] as number;
              const others = ((there[voter] as number) - weight * share) / (whole - weight);
              return Math.min(share, Math.max(0, others));
            });
      return (weight / whole) * sortedSum(shares);
    });
    clear(there, earlier);
    const usualOverlap = sortedSum(usual);
    if (usualOverlap < RULES.usualMin) return 1;
    const part = clamp(
      (sortedSum(common) / usualOverlap - RULES.partFrom) / (RULES.partFull - RULES.partFrom),
    );
    return 1 - judgedBy(whole) * (1 - part);
  };
}

/**
 * Continuity of a unit: do the DAO's own voters use its voting strategies? Strategies decide who has power, so whoever
 * sets them could give all of it to wallets of his own; a unit that began after others is therefore judged by their
 * voters. O of the mean capped shares on its first ballots and on the last ones before it is compared with what is usual
 * between one of these and the others. They count with the continuity of their own units, which began earlier.
 *
 * Range: 0..1; a tenth of the usual overlap gives 0, a quarter 1.
 * Unit: units, that is sets of voting strategies.
 * Source: ballots of the frame with power; `all` holds the eligible fetched proposals of all time, by (end, id).
 * Unknown: 1 without ballots to compare; with an ω of 1 to 2 before the unit's first ballot it is judged in part.
 */
export function createContinuity(
  all: readonly Proposal[],
  ballotOf: (proposal: Proposal) => Ballot | undefined,
  votersCount: number,
): (members: readonly FrameProposal[]) => Continuities {
  const placeOf = new Map(all.map((proposal, index) => [proposal, index]));
  const starts = new Map<string, number>();
  /** The place of the first ballot that a unit ever had, or −1. */
  const startOf = (unit: string): number => {
    const start =
      starts.get(unit) ??
      all.findIndex((proposal) => unitKeyOf(proposal) === unit && ballotOf(proposal) !== undefined);
    starts.set(unit, start);
    return start;
  };
  const compare = createComparison(votersCount);
  let known = new Map<string, Change & { readonly continuity: number }>();

  return (members) => {
    const keys = new Set(members.map(({ proposal }) => unitKeyOf(proposal)));
    if (keys.size < 2) return new Map();
    const units = [...keys].sort((a, b) => startOf(a) - startOf(b));
    const ballots = members.flatMap(({ proposal, attention }): CountedBallot[] => {
      const ballot = ballotOf(proposal);
      const place = placeOf.get(proposal);
      if (ballot === undefined || place === undefined) return [];
      return [{ at: place, unit: unitKeyOf(proposal), ballot, weight: attention }];
    });
    const latestFirst = ballots.toReversed();
    const changes = new Map<string, Change & { readonly continuity: number }>();
    for (const unit of units) {
      const start = startOf(unit);
      const before = latestFirst.filter(({ at }) => at < start);
      const earlier = firstOf(
        before.map((ballot) => ({
          ...ballot,
          weight: ballot.weight * (changes.get(ballot.unit)?.continuity ?? 1),
        })),
      );
      const first = firstOf(ballots.filter((ballot) => ballot.unit === unit));
      if (judgedBy(wholeOf(earlier)) === 0 || first.length === 0) continue;
      const last = known.get(unit);
      const isKnown = last !== undefined && isSame(last.earlier, earlier) && isSame(last.own, first);
      changes.set(
        unit,
        isKnown ? last : { earlier, own: first, continuity: compare({ earlier, own: first }) },
      );
    }
    known = changes;
    return new Map(
      [...changes].flatMap(([unit, { continuity }]) => (continuity < 1 ? [[unit, continuity]] : [])),
    );
  };
}
