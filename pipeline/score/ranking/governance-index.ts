import { byComponent, COMPONENT_KEYS, type ComponentKey } from "../../../snapshots/format/value-sets.ts";
import type { DailyPoint } from "../../facts/days.ts";
import { endsOf, type Interval } from "../method/marks.ts";
import { METHODOLOGY } from "../method/methodology.ts";

const COLUMNS = ["gvs", ...COMPONENT_KEYS] as const;

/** The low and the high end of the index and of its components. */
type IndexEnds = Readonly<Record<(typeof COLUMNS)[number], Pick<Interval, "low" | "high">>>;

/** The Decentralized Governance Index as of one moment, unrounded. */
export interface GovernanceIndex {
  readonly asOfMs: number;
  readonly composite: number;
  readonly components: Readonly<Record<ComponentKey, number>>;
  readonly daoCount: number;
  /** The ends of the index itself; `undefined` if those of a member are not kept. */
  readonly gvsEnds: DailyPoint["gvsEnds"];
}

/** The index as of now, with the ends of its components. */
export interface CurrentIndex extends GovernanceIndex {
  readonly ends: IndexEnds;
}

/** What one scored DAO contributes to the index: its points and its weight (v). */
export type IndexedScore = Pick<DailyPoint, "gvs" | "gvsEnds" | "components" | "indexWeight">;

/** A member of the index, with the ends of its scores. */
export interface IndexMember extends IndexedScore {
  readonly spaceId: string;
  readonly ends: IndexEnds;
}

/** Computes the index as of many moments at once, as sums per moment instead of a list of DAOs per day. */
export function createIndexSeries(momentsMs: readonly number[]) {
  const sums = momentsMs.map((asOfMs) => {
    return { asOfMs, daoCount: 0, weight: 0, low: 0, high: 0, gvs: 0, hpr: 0, dei: 0, pdi: 0, gpi: 0 };
  });
  return {
    /** Adds a scored DAO to the moment at an index. Add DAOs in the order of space_id, which fixes the rounding of sums. */
    add(index: number, { gvs, gvsEnds, components, indexWeight }: IndexedScore): void {
      const sum = sums[index];
      if (sum === undefined || indexWeight === 0) return;
      sum.daoCount += 1;
      sum.weight += indexWeight;
      const points = { gvs, ...components };
      for (const key of COLUMNS) sum[key] += indexWeight * points[key];
      // Without the ends of one member, those of the index are not a number.
      const [low, high] = gvsEnds ?? [Number.NaN, Number.NaN];
      sum.low += indexWeight * low;
      sum.high += indexWeight * high;
    },
    /** The index per moment; `undefined` with too few DAOs. */
    indexes: (): readonly (GovernanceIndex | undefined)[] =>
      sums.map(({ asOfMs, daoCount, weight, ...sum }) => {
        if (daoCount < METHODOLOGY.index.daosMin) return undefined;
        return {
          asOfMs,
          composite: sum.gvs / weight,
          components: byComponent((key) => sum[key] / weight),
          daoCount,
          gvsEnds: Number.isNaN(sum.low) ? undefined : [sum.low / weight, sum.high / weight],
        };
      }),
  };
}

/**
 * Decentralized Governance Index (dgi): how healthy is the governance of DAOs as a whole?
 *
 * Range: 0..10 points; a mean weighted by v = presence · clamp(2κ − 1), of points, lows and highs.
 * Unit: DAOs with v > 0.
 * Source: the points of all scored DAOs as of the same moment, in any order.
 * Unknown: `undefined` with fewer than 5 DAOs.
 */
export function scoreGovernanceIndex(daos: readonly IndexMember[], asOfMs: number): CurrentIndex | undefined {
  const sorted = [...daos].sort((a, b) => (a.spaceId < b.spaceId ? -1 : 1));
  const meanOf = (scoreOf: (dao: IndexMember) => IndexedScore): GovernanceIndex | undefined => {
    const series = createIndexSeries([asOfMs]);
    for (const dao of sorted) series.add(0, scoreOf(dao));
    return series.indexes()[0];
  };
  const endOf = (end: "low" | "high"): GovernanceIndex | undefined =>
    meanOf(({ indexWeight, ends: { gvs, ...components } }) => ({
      indexWeight,
      gvs: gvs[end],
      components: endsOf(components, end),
    }));
  const withEnds = (dao: IndexMember): IndexedScore => ({
    ...dao,
    gvsEnds: [dao.ends.gvs.low, dao.ends.gvs.high],
  });
  const [index, low, high] = [meanOf(withEnds), endOf("low"), endOf("high")];
  if (index === undefined || low === undefined || high === undefined) return undefined;
  return {
    ...index,
    ends: {
      gvs: { low: low.composite, high: high.composite },
      ...byComponent((key) => ({ low: low.components[key], high: high.components[key] })),
    },
  };
}
