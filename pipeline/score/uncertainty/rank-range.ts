import { roundTo, SCORE_DECIMALS } from "../../../snapshots/format/ids.ts";
import { nearestRank } from "../method/statistics.ts";

/** A DAO in rankings that might have been. */
export interface Contender {
  readonly spaceId: string;
  readonly completenessPct: number;
  /** A place for each ranking; NaN in one that it is not part of. */
  readonly gvs: Float64Array;
}

/** Best and worst place; 1 is the best. */
export interface RankRange {
  readonly best: number;
  readonly worst: number;
}

/** A published number in whole hundredths. */
function hundredthsOf(value: number): number {
  const scaled = value * 100;
  const nearest = Math.round(scaled);
  // Where the product is not in the middle of two whole numbers, no rounding of it can have crossed the middle, and the
  // slow way through the exact digits would say the same.
  if (Math.abs(scaled - nearest) < 0.499999) return nearest;
  return Math.round(roundTo(value, SCORE_DECIMALS) * 100);
}

/** By the published rule among equals in gvs: rounded completeness desc, space_id asc. */
function orderAmongEquals(contenders: readonly Contender[]): Int32Array {
  const known = contenders.map(({ spaceId, completenessPct }, dao) => ({
    dao,
    spaceId,
    completeness: hundredthsOf(completenessPct),
  }));
  known.sort((a, b) => b.completeness - a.completeness || (a.spaceId < b.spaceId ? -1 : 1));
  return Int32Array.from(known, ({ dao }) => dao);
}

/** The places of every DAO over all rankings: rounded gvs desc, rounded completeness desc, space_id asc. */
function placesOver(contenders: readonly Contender[]): readonly Int32Array[] {
  const order = orderAmongEquals(contenders);
  const rankings = contenders[0]?.gvs.length ?? 0;
  const places = contenders.map(() => new Int32Array(rankings));
  const counts = new Int32Array(contenders.length);
  const keys = new Float64Array(contenders.length);
  for (let ranking = 0; ranking < rankings; ranking += 1) {
    let taking = 0;
    order.forEach((dao, at) => {
      const gvs = contenders[dao]?.gvs[ranking] ?? Number.NaN;
      if (Number.isNaN(gvs)) return;
      // Both in one whole number: sorting plain numbers takes a tenth of what a comparing function takes.
      keys[taking] = -hundredthsOf(gvs) * order.length + at;
      taking += 1;
    });
    const ascending = keys.subarray(0, taking).sort();
    for (let place = 0; place < taking; place += 1) {
      const key = ascending[place] as number;
      const dao = order[key - Math.floor(key / order.length) * order.length] as number;
      (places[dao] as Int32Array)[counts[dao] as number] = place + 1;
      counts[dao] = (counts[dao] as number) + 1;
    }
  }
  return places.map((own, dao) => own.subarray(0, counts[dao]));
}

/** From the best to the worst place of each DAO over rankings, cut to shares of them (0 and 1: none is cut); of those that have a place at all. */
export function rankRanges(
  contenders: readonly Contender[],
  lowShare: number,
  highShare: number,
): ReadonlyMap<string, RankRange> {
  const ranges = new Map<string, RankRange>();
  placesOver(contenders).forEach((own, dao) => {
    const spaceId = contenders[dao]?.spaceId;
    if (spaceId === undefined || own.length === 0) return;
    const ascending = own.sort();
    ranges.set(spaceId, {
      best: nearestRank(ascending, lowShare),
      worst: nearestRank(ascending, highShare),
    });
  });
  return ranges;
}
