import { roundTo, SCORE_DECIMALS } from "../../../snapshots/format/ids.ts";
import { byComponent, COMPONENT_KEYS, type ComponentKey } from "../../../snapshots/format/value-sets.ts";
import { type ComponentWeights, endsOf, type Interval, vitalityOf } from "../method/marks.ts";
import { METHODOLOGY } from "../method/methodology.ts";
import { countUpTo } from "../method/statistics.ts";

interface RankedDao {
  readonly spaceId: string;
  readonly gvs: Interval;
  /** Known for every DAO with a frame, and so for every scored one. */
  readonly completenessPct: number | undefined;
  readonly components: Readonly<Record<ComponentKey, Pick<Interval, "point">>>;
}

/** The rank of a DAO if one of the four weights of the GVS is reduced or raised by a quarter. */
interface WeightSensitivity {
  readonly component: ComponentKey;
  readonly less: number;
  readonly more: number;
}

/** The rank of one DAO among the scored ones; 1 is the best. */
export interface Rank {
  readonly rank: number;
  /** The best and the worst rank that the intervals of all DAOs allow. */
  readonly range: readonly [best: number, worst: number];
  readonly sensitivity: readonly WeightSensitivity[];
}

/** Ranks DAOs by rounded gvs desc, rounded completeness desc, space_id asc. */
function ranksBy(
  daos: readonly RankedDao[],
  gvsOf: (dao: RankedDao) => number,
): ReadonlyMap<RankedDao, number> {
  const keys = daos.map((dao) => ({
    dao,
    gvs: roundTo(gvsOf(dao), SCORE_DECIMALS),
    completeness: roundTo(dao.completenessPct ?? 0, SCORE_DECIMALS),
  }));
  keys.sort(
    (a, b) => b.gvs - a.gvs || b.completeness - a.completeness || (a.dao.spaceId < b.dao.spaceId ? -1 : 1),
  );
  return new Map(keys.map(({ dao }, index) => [dao, index + 1]));
}

/** The weights, one of them multiplied by a factor and the others scaled so that the sum stays the same. */
function reweighed(component: ComponentKey, by: number): ComponentWeights {
  const { weights } = METHODOLOGY.components;
  const changed = weights[component] * by;
  const others = (1 - changed) / (1 - weights[component]);
  return byComponent((key) => (key === component ? changed : weights[key] * others));
}

/**
 * Ranks the scored DAOs; returns rank, range and sensitivity by space_id.
 *
 * Range: 1..N. The range is from 1 + the DAOs that are certainly better to N − those that are certainly worse.
 * Unit: DAOs.
 * Source: gvs and completeness, rounded as published; lows and highs, unrounded.
 * Unknown: unscored DAOs have no rank.
 */
export function rankDaos(daos: readonly RankedDao[]): ReadonlyMap<string, Rank> {
  const lows = Float64Array.from(daos, ({ gvs }) => gvs.low).sort();
  const negatedHighs = Float64Array.from(daos, ({ gvs }) => -gvs.high).sort();
  const ranks = ranksBy(daos, ({ gvs }) => gvs.point);
  const underWeights = (weights: ComponentWeights): ReadonlyMap<RankedDao, number> =>
    ranksBy(daos, ({ components }) => vitalityOf(endsOf(components, "point"), weights));
  const { weightChange } = METHODOLOGY.components;
  const changed = COMPONENT_KEYS.map((component) => ({
    component,
    less: underWeights(reweighed(component, 1 - weightChange)),
    more: underWeights(reweighed(component, 1 + weightChange)),
  }));
  return new Map(
    daos.map((dao) => {
      const certainlyBetter = daos.length - countUpTo(lows, dao.gvs.high);
      const notCertainlyWorse = countUpTo(negatedHighs, -dao.gvs.low);
      const sensitivity = changed.map(({ component, less, more }) => ({
        component,
        less: less.get(dao) ?? 0,
        more: more.get(dao) ?? 0,
      }));
      return [
        dao.spaceId,
        {
          rank: ranks.get(dao) ?? 0,
          range: [1 + certainlyBetter, notCertainlyWorse],
          sensitivity,
        },
      ];
    }),
  );
}
