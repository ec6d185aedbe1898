import { DAY_MS } from "../../../snapshots/base/days.ts";
import { dayEndMs } from "../../../snapshots/format/ids.ts";
import { DGI_PERIOD_DAYS } from "../../../snapshots/format/limits.ts";
import { byComponent, type ComponentKey } from "../../../snapshots/format/value-sets.ts";
import { type DailyPoint, endedDayEndsMs } from "../../facts/days.ts";
import { invariant } from "../../facts/errors.ts";
import { endsOf, type Interval } from "../method/marks.ts";
import { METHODOLOGY } from "../method/methodology.ts";

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
  readonly ends: Readonly<Record<"gvs" | ComponentKey, Pick<Interval, "low" | "high">>>;
}

/** A DAO with a score, as of the moment of the index. */
export interface IndexMember {
  readonly spaceId: string;
  readonly gvs: Interval;
  readonly components: Readonly<Record<ComponentKey, Interval>>;
  readonly indexWeight: number;
}

const HISTORY_DAYS = DGI_PERIOD_DAYS["365d"];
/** Of a packed day: its number among those of the history, v, gvs, components, ends of the gvs (NaN if not kept). */
const DAY_NUMBERS = 9;

/** Packs what a DAO adds to the index of each day of the history, as objects take far longer to pass between threads. */
export function packDays(points: readonly DailyPoint[], asOfMs: number): Float64Array {
  const [firstEndMs = 0] = endedDayEndsMs(asOfMs, HISTORY_DAYS);
  const numbers = points.flatMap(({ date, gvs, components, indexWeight, gvsEnds }) => {
    const day = (dayEndMs(date) - firstEndMs) / DAY_MS;
    if (day < 0 || day >= HISTORY_DAYS || indexWeight === 0) return [];
    const { hpr, dei, pdi, gpi } = components;
    return [day, indexWeight, gvs, hpr, dei, pdi, gpi, ...(gvsEnds ?? [Number.NaN, Number.NaN])];
  });
  return Float64Array.from(numbers);
}

/** Computes the index of the last 365 ended days, as sums per day instead of a list of DAOs. */
export function createIndexHistory(asOfMs: number) {
  const sums = endedDayEndsMs(asOfMs, HISTORY_DAYS).map((endMs) => {
    return { asOfMs: endMs, daoCount: 0, weight: 0, totals: new Float64Array(DAY_NUMBERS - 2) };
  });
  return {
    /** Adds the packed days of a DAO. Add DAOs in the order of space_id, which fixes the rounding of sums. */
    add(days: Float64Array): void {
      for (let start = 0; start < days.length; start += DAY_NUMBERS) {
        const [day = 0, weight = 0, ...values] = days.subarray(start, start + DAY_NUMBERS);
        const sum = sums[day];
        invariant(sum !== undefined, "days are packed for the same moment");
        sum.daoCount += 1;
        sum.weight += weight;
        sum.totals = sum.totals.map((total, column) => total + weight * (values[column] ?? 0));
      }
    },
    /** Ascending; days with too few DAOs are absent. */
    indexes: (): readonly GovernanceIndex[] =>
      sums
        .filter(({ daoCount }) => daoCount >= METHODOLOGY.index.daosMin)
        .map(({ asOfMs, daoCount, weight, totals }) => {
          const [composite = 0, hpr = 0, dei = 0, pdi = 0, gpi = 0, low = 0, high = 0] = totals.map(
            (total) => total / weight,
          );
          // Without the ends of one member, those of the index are not a number.
          const gvsEnds = Number.isNaN(low) ? undefined : ([low, high] as const);
          return { asOfMs, composite, components: { hpr, dei, pdi, gpi }, daoCount, gvsEnds };
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
  const members = daos
    .filter(({ indexWeight }) => indexWeight > 0)
    .sort((a, b) => (a.spaceId < b.spaceId ? -1 : 1));
  if (members.length < METHODOLOGY.index.daosMin) return undefined;
  const weights = members.reduce((sum, { indexWeight }) => sum + indexWeight, 0);
  const meanOf = (intervalOf: (member: IndexMember) => Interval): Interval => {
    const mean = (end: keyof Interval): number =>
      members.reduce((sum, member) => sum + member.indexWeight * intervalOf(member)[end], 0) / weights;
    return { low: mean("low"), point: mean("point"), high: mean("high") };
  };
  const gvs = meanOf((member) => member.gvs);
  const components = byComponent((key) => meanOf((member) => member.components[key]));
  return {
    asOfMs,
    composite: gvs.point,
    components: endsOf(components, "point"),
    daoCount: members.length,
    gvsEnds: [gvs.low, gvs.high],
    ends: { gvs, ...components },
  };
}
