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
  const column = (): Float64Array => new Float64Array(momentsMs.length);
  const counts = column();
  const weights = column();
  const lows = column();
  const highs = column();
  const sums = { gvs: column(), hpr: column(), dei: column(), pdi: column(), gpi: column() };
  const plus = (values: Float64Array, index: number, value: number): void => {
    values[index] = (values[index] ?? 0) + value;
  };
  return {
    /** Adds a scored DAO to the moment at an index. Add DAOs in the order of space_id, which fixes the rounding of sums. */
    add(index: number, { gvs, gvsEnds, components, indexWeight }: IndexedScore): void {
      if (indexWeight === 0) return;
      plus(counts, index, 1);
      plus(weights, index, indexWeight);
      const points = { gvs, ...components };
      for (const key of COLUMNS) plus(sums[key], index, indexWeight * points[key]);
      // Without the ends of one member, those of the index are not a number.
      const [low, high] = gvsEnds ?? [Number.NaN, Number.NaN];
      plus(lows, index, indexWeight * low);
      plus(highs, index, indexWeight * high);
    },
    /** The index per moment; `undefined` with too few DAOs. */
    indexes: (): readonly (GovernanceIndex | undefined)[] =>
      momentsMs.map((asOfMs, index) => {
        const daoCount = counts[index] ?? 0;
        if (daoCount < METHODOLOGY.index.daosMin) return undefined;
        const meanOf = (values: Float64Array): number => (values[index] ?? 0) / (weights[index] ?? 1);
        const low = meanOf(lows);
        return {
          asOfMs,
          composite: meanOf(sums.gvs),
          components: byComponent((key) => meanOf(sums[key])),
          daoCount,
          gvsEnds: Number.isNaN(low) ? undefined : [low, meanOf(highs)],
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
