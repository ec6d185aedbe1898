import type { Proposal } from "../../facts/proposal.ts";
import type { Ballot } from "../frame/ballot.ts";
import type { Interval } from "../method/marks.ts";
import {
  type Concentration,
  type ConcentrationEnds,
  type DaoMeasures,
  weightAt,
} from "../method/measures.ts";
import { weightedMedian } from "../method/statistics.ts";
import { EQUAL_WITHIN, fetchedShareOf } from "./completeness.ts";
import { gini, majorityVoters, sumOfSquares, votersAbove } from "./decentralization.ts";

const WHOLE_POINTS = 10_000;

/** Power of a ballot that is not known: at most so much of all power, cast by at most so many voters. */
interface UnknownPower {
  readonly share: number;
  readonly voters: number;
}

/** What is not known of a ballot. A total within a millionth of the fetched power leaves nothing but dust open. */
export function unknownPowerOf(
  proposal: Pick<Proposal, "scoresTotal" | "votesCount">,
  ballot: Pick<Ballot, "validPower" | "knownCount" | "fetchedCount"> | undefined,
): UnknownPower {
  const { scoresTotal, votesCount } = proposal;
  const fetchedShare = fetchedShareOf(proposal, ballot);
  // Votes without a declared total may carry any power.
  const share = scoresTotal === undefined && fetchedShare < 1 ? 1 : 1 - fetchedShare;
  if (share <= EQUAL_WITHIN) return { share: 0, voters: 0 };
  const { fetchedCount, knownCount } = ballot ?? { fetchedCount: 0, knownCount: 0 };
  // Missing power was cast by somebody, even where no vote is said to be missing.
  return { share, voters: Math.max(1, Math.max(fetchedCount, votesCount ?? Infinity) - knownCount) };
}

export function concentrationOf(ascending: Float64Array) {
  return {
    majorityVoters: majorityVoters(ascending),
    hhiPoints: WHOLE_POINTS * sumOfSquares(ascending),
    gini: gini(ascending),
  };
}

/**
 * The ends of a ballot's concentration: what it may be if any part of the unknown power was cast, split in any way among
 * new voters and known ones, since a wallet of a known entity may be among those not fetched.
 *
 * Range: majority voters from 1, without an upper end where the votes are not counted; HHI 0..10,000; Gini 0..1.
 * Unit: voters of one ballot, an entity being one.
 * Source: valid votes of known power, in ascending shares; the total and the number of votes that the source declares.
 * Unknown: all of it on the largest voter for one end, spread thin for the other.
 */
export function concentrationEnds(
  ascending: Float64Array,
  { share, voters }: UnknownPower,
): ConcentrationEnds {
  const count = ascending.length;
  const known = 1 - share;
  if (count > 0 && share === 0) {
    const { majorityVoters, hhiPoints, gini } = concentrationOf(ascending);
    return {
      majorityVoters: [majorityVoters, majorityVoters],
      hhiPoints: [hhiPoints, hhiPoints],
      gini: [gini, gini],
    };
  }
  const top = ascending.at(-1) ?? 0;
  const squares = sumOfSquares(ascending);
  const inequality = count === 0 ? 0 : gini(ascending);
  const most = Math.floor((count + voters) / 2) + 1;
  // Unknown voters lower the sum of squares until each holds as much as a known voter does on average.
  const spread = Math.min(share / known, squares * voters);
  const fewestSquares =
    count === 0
      ? 1 / voters
      : spread === Infinity
        ? 0
        : (squares + (spread === 0 ? 0 : spread ** 2 / voters)) / (1 + spread) ** 2;
  const mostSquares = known ** 2 * (squares - top ** 2) + (known * top + share) ** 2;
  const lessEqual = inequality * count * known + (count - 1) * share + voters;
  return {
    majorityVoters: [
      known === 0 ? 1 : (votersAbove(ascending, (0.5 - share) / known) ?? 1),
      known === 0 ? most : Math.min(most, votersAbove(ascending, 0.5 / known) ?? most),
    ],
    hhiPoints: [WHOLE_POINTS * fewestSquares, WHOLE_POINTS * Math.min(1, mostSquares)],
    gini: [
      count === 0 ? 0 : Math.max(0, inequality * known - (share * (count - 1)) / count),
      voters === Infinity ? 1 : Math.min(1, lessEqual / (count + voters)),
    ],
  };
}

/** How concentrated the power cast in a DAO is, each figure with its interval; `high` may be infinite for the first. */
export type PowerConcentration = Readonly<Record<keyof ConcentrationEnds, Interval>>;

/**
 * Concentration of cast power: Nakamoto number (K), HHI and Gini of a typical ballot.
 *
 * Range: K from 1, HHI 0..10,000 points, Gini 0..1; low K, high HHI and high Gini mean few decide.
 * Unit: weighted median over the ballots of the frame, of voters (an entity is one), not merged by likeness.
 * Source: ballots of known power, by weight times the part fetched. Both ends are medians over all ballots by weight, so
 * they contain the median of every possible completion.
 * Unknown: a ballot not fetched may be anything that its number of votes allows. `undefined` if no ballot is known.
 */
export function scoreConcentration({ proposals, asOfMs }: DaoMeasures): PowerConcentration | undefined {
  const median = (read: (measures: DaoMeasures["proposals"][number]) => number | undefined, isPart = false) =>
    weightedMedian(
      proposals.flatMap((proposal) => {
        const value = read(proposal);
        if (value === undefined) return [];
        return [{ value, weight: weightAt(proposal, asOfMs) * (isPart ? proposal.fetchedShare : 1) }];
      }),
    );
  const intervalOf = (key: keyof ConcentrationEnds & keyof Concentration): Interval | undefined => {
    const known = median(({ concentration }) => concentration?.[key], true);
    const low = median(({ concentrationEnds: ends }) => ends[key][0]);
    const high = median(({ concentrationEnds: ends }) => ends[key][1]);
    if (known === undefined || low === undefined || high === undefined) return undefined;
    // Ballots that were not fetched may be too small for what the others show.
    return { low, point: Math.min(Math.max(known, low), high), high };
  };
  const voters = intervalOf("majorityVoters");
  const hhiPoints = intervalOf("hhiPoints");
  const inequality = intervalOf("gini");
  return voters && hhiPoints && inequality && { majorityVoters: voters, hhiPoints, gini: inequality };
}
