import { roundTo, SCORE_DECIMALS } from "../../snapshots/format/numbers.ts";
import { nearestRank } from "./percentiles.ts";

/** A DAO in a ranking that might have been. */
export interface Contender {
  readonly spaceId: string;
  readonly gvs: number;
  readonly completenessPct: number;
}

/** Best and worst place; 1 is the best. */
export interface RankRange {
  readonly best: number;
  readonly worst: number;
}

const rounded = (value: number): number => roundTo(value, SCORE_DECIMALS);

/** Places by the published rule: rounded gvs desc, rounded completeness desc, space_id asc. */
export function placesOf(contenders: readonly Contender[]): ReadonlyMap<string, number> {
  const sorted = contenders
    .map(({ spaceId, gvs, completenessPct }) => ({
      spaceId,
      gvs: rounded(gvs),
      completeness: rounded(completenessPct),
    }))
    .sort((a, b) => b.gvs - a.gvs || b.completeness - a.completeness || (a.spaceId < b.spaceId ? -1 : 1));
  return new Map(sorted.map(({ spaceId }, index) => [spaceId, index + 1]));
}

/** The places of each DAO over many rankings, ascending; in a ranking it is not part of it has none. */
function placesOver(rankings: Iterable<readonly Contender[]>): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const ranking of rankings) {
    for (const [spaceId, place] of placesOf(ranking)) {
      const known = places.get(spaceId);
      if (known === undefined) places.set(spaceId, [place]);
      else known.push(place);
    }
  }
  for (const own of places.values()) own.sort((a, b) => a - b);
  return places;
}

/** From the best to the worst place of each DAO over rankings, cut to shares of them (0 and 1: none is cut). */
export function rankRanges(
  rankings: Iterable<readonly Contender[]>,
  lowShare: number,
  highShare: number,
): ReadonlyMap<string, RankRange> {
  return new Map(
    [...placesOver(rankings)].map(([spaceId, places]) => [
      spaceId,
      { best: nearestRank(places, lowShare), worst: nearestRank(places, highShare) },
    ]),
  );
}
