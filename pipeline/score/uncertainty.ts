import { COMPONENT_KEYS, type ComponentKey } from "../../snapshots/format/value-sets.ts";
import { bootstrapScores } from "./bootstrap.ts";
import type { Resample } from "./bootstrap-resampler.ts";
import { METHODOLOGY } from "./methodology.ts";
import { percentile } from "./percentiles.ts";
import { type Contender, type RankRange, rankRanges } from "./rank-range.ts";
import { type ComparedDao, type WeightSensitivity, weightSensitivities } from "./weight-sensitivity.ts";

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

const { resamples, lowShare, highShare } = METHODOLOGY.uncertainty;

function intervalOf(kept: readonly Resample[], of: (resample: Resample) => number): Interval {
  const ascending = kept.map(of).sort((a, b) => a - b);
  return { low: percentile(ascending, lowShare), high: percentile(ascending, highShare) };
}

/** The i-th resamples of all DAOs make the i-th ranking; who has a gap in his is not part of it. */
function* resampledRankings(
  daos: readonly { readonly dao: ComparedDao; readonly drawn: readonly (Resample | undefined)[] }[],
): Generator<readonly Contender[]> {
  for (let each = 0; each < resamples; each += 1) {
    yield daos.flatMap(({ dao, drawn }): Contender[] => {
      const resample = drawn[each];
      if (resample === undefined) return [];
      const { pct } = dao.scored.completeness;
      return [{ spaceId: dao.measures.spaceId, gvs: resample.gvs, completenessPct: pct ?? 0 }];
    });
  }
}

/** How sure the scores and places of DAOs are, by space_id: those with a gvs, compared with each other. */
export function assessUncertainty(daos: readonly ComparedDao[]): ReadonlyMap<string, Uncertainty> {
  const scored = daos
    .filter((dao) => dao.scored.gvs.kind === "score")
    .map((dao) => ({ dao, drawn: bootstrapScores(dao.measures) }));
  const ranks = rankRanges(resampledRankings(scored), lowShare, highShare);
  const sensitivities = weightSensitivities(scored.map(({ dao }) => dao));
  return new Map(
    scored.flatMap(({ dao, drawn }) => {
      const { spaceId } = dao.measures;
      const kept = drawn.filter((resample) => resample !== undefined);
      const rank = ranks.get(spaceId);
      if (rank === undefined) return [];
      const components = Object.fromEntries(
        COMPONENT_KEYS.map((key) => [key, intervalOf(kept, ({ components: found }) => found[key])]),
      ) as Record<ComponentKey, Interval>;
      const uncertainty: Uncertainty = {
        kept: kept.length,
        gvs: intervalOf(kept, ({ gvs }) => gvs),
        components,
        rank,
        sensitivity: sensitivities.get(spaceId) ?? [],
      };
      return [[spaceId, uncertainty] as const];
    }),
  );
}
