import type { ComponentKey } from "../../../snapshots/format/value-sets.ts";
import { METHODOLOGY } from "../method/methodology.ts";
import { percentile } from "../method/statistics.ts";
import { bootstrapScores } from "./bootstrap.ts";
import { type RankRange, rankRanges } from "./rank-range.ts";
import {
  type ComparedDao,
  reweighedGvs,
  type WeightSensitivity,
  weightSensitivities,
} from "./weight-sensitivity.ts";

/** Where a number would lie in 90 of 100 resamples. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** How sure the scores of one DAO are. */
export interface Uncertainty {
  /** Resamples without a gap. */
  readonly kept: number;
  readonly gvs: Interval;
  readonly components: Readonly<Record<ComponentKey, Interval>>;
  /** Among the DAOs that were compared, over the resamples of all. */
  readonly rank: RankRange;
  readonly sensitivity: readonly WeightSensitivity[];
}

const { lowShare, highShare } = METHODOLOGY.uncertainty;

/** What of the uncertainty of one DAO hangs on no other: plain columns. */
export interface Chances {
  /** By resample; NaN in one that has a gap. */
  readonly resampledGvs: Float64Array;
  /** As `reweighedGvs`. */
  readonly reweighedGvs: Float64Array;
  readonly kept: number;
  /** `undefined` where every resample has a gap. */
  readonly intervals: Pick<Uncertainty, "gvs" | "components"> | undefined;
}

function intervalOf(column: Float64Array, kept: number): Interval {
  // Gaps are NaN and come last.
  const ascending = column.slice().sort().subarray(0, kept);
  return { low: percentile(ascending, lowShare), high: percentile(ascending, highShare) };
}

/** Draws one DAO's resamples and reweighs its gvs; `undefined` where it has none. */
export function chancesOf(dao: ComparedDao): Chances | undefined {
  if (dao.scored.gvs.kind === "gap") return undefined;
  const { gvs, hpr, dei, pdi, gpi } = bootstrapScores(dao.measures);
  const kept = gvs.reduce((count, value) => (Number.isNaN(value) ? count : count + 1), 0);
  const components = (): Uncertainty["components"] => ({
    hpr: intervalOf(hpr, kept),
    dei: intervalOf(dei, kept),
    pdi: intervalOf(pdi, kept),
    gpi: intervalOf(gpi, kept),
  });
  return {
    resampledGvs: gvs,
    reweighedGvs: reweighedGvs(dao),
    kept,
    intervals: kept === 0 ? undefined : { gvs: intervalOf(gvs, kept), components: components() },
  };
}

/** A DAO, and its chances where somebody drew them before. */
type UncertainDao = ComparedDao & { readonly chances?: Chances | undefined };

/**
 * How sure the scores and places of DAOs are, by space_id: those with a gvs, compared with each other. The i-th
 * resamples of all DAOs make the i-th ranking; who has a gap in his is not part of it.
 */
export function assessUncertainty(daos: readonly UncertainDao[]): ReadonlyMap<string, Uncertainty> {
  const drawn = daos.flatMap((dao) => {
    const chances = dao.chances ?? chancesOf(dao);
    const { spaceId } = dao.measures;
    return chances === undefined
      ? []
      : [{ spaceId, completenessPct: dao.scored.completeness.pct ?? 0, chances }];
  });
  const ranks = rankRanges(
    drawn.map(({ chances, ...dao }) => ({ ...dao, gvs: chances.resampledGvs })),
    lowShare,
    highShare,
  );
  const sensitivities = weightSensitivities(
    drawn.map(({ chances, ...dao }) => ({ ...dao, reweighed: chances.reweighedGvs })),
  );
  return new Map(
    drawn.flatMap(({ spaceId, chances: { kept, intervals } }) => {
      const rank = ranks.get(spaceId);
      if (rank === undefined || intervals === undefined) return [];
      const sensitivity = sensitivities.get(spaceId) ?? [];
      const { gvs, components } = intervals;
      return [[spaceId, { kept, gvs, components, rank, sensitivity }] as const];
    }),
  );
}
