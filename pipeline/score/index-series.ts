import type { GovernanceIndex, IndexedScore } from "./governance-index.ts";
import { METHODOLOGY } from "./methodology.ts";

/** The index as of many moments at once: sums by moment, so that a year over a thousand DAOs makes no list for a day. */
export interface IndexSeries {
  /** Counts a member's score as of the moment at a place. Members must come by space_id, so that every sum is in that order. */
  add(place: number, score: Omit<IndexedScore, "spaceId">): void;
  /** By place; `undefined` with too few members. */
  indexes(): readonly (GovernanceIndex | undefined)[];
}

/** A series of nobody. What `scoreGovernanceIndex` says of one moment, it says of each. */
export function createIndexSeries(momentsMs: readonly number[]): IndexSeries {
  const column = (): Float64Array => new Float64Array(momentsMs.length);
  const [counts, gvs, hpr, dei, pdi, gpi] = [column(), column(), column(), column(), column(), column()];
  const plus = (sums: Float64Array, place: number, value: number): void => {
    sums[place] = (sums[place] ?? 0) + value;
  };
  return {
    add(place, { gvs: own, components }) {
      plus(counts, place, 1);
      plus(gvs, place, own);
      plus(hpr, place, components.hpr);
      plus(dei, place, components.dei);
      plus(pdi, place, components.pdi);
      plus(gpi, place, components.gpi);
    },
    indexes: () =>
      momentsMs.map((asOfMs, place) => {
        const daoCount = counts[place] ?? 0;
        if (daoCount < METHODOLOGY.index.membersMin) return undefined;
        const mean = (sums: Float64Array): number => (sums[place] ?? 0) / daoCount;
        const components = { hpr: mean(hpr), dei: mean(dei), pdi: mean(pdi), gpi: mean(gpi) };
        return { asOfMs, composite: mean(gvs), components, daoCount };
      }),
  };
}
