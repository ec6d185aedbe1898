import { COMPONENT_KEYS } from "../../snapshots/format/value-sets.ts";
import { deliberationRows } from "./deliberation.ts";
import { INDICATORS, type Indicator } from "./indicator.ts";
import type { DaoMeasures } from "./measures.ts";
import { METHODOLOGY } from "./methodology.ts";
import { presentMeanOf } from "./present-mean.ts";
import { processPoints } from "./process.ts";
import { type Contender, type RankRange, rankRanges } from "./rank-range.ts";
import { publishedScores, type ScoredMeasures } from "./score-measures.ts";
import { gap, points, type ScoreOrGap } from "./score-or-gap.ts";
import { discountThinEvidence, scoreVitality } from "./vitality.ts";
import { weightedMean } from "./weighted-statistics.ts";

/** A DAO as it was measured and scored. */
export interface ComparedDao {
  readonly measures: DaoMeasures;
  readonly scored: ScoredMeasures;
}

/** Which weight was changed. */
export interface ChangedWeight {
  readonly of: "gvs" | "pdi" | "gpi";
  /** Of the component or indicator. */
  readonly id: string;
}

/** The places one DAO takes when one weight is a quarter less, as it is, or a quarter more. */
export type WeightSensitivity = ChangedWeight & RankRange;

/** All weights of one table by id, one of them changed, with the same sum as before. */
function reweighed(
  weights: Readonly<Record<string, number>>,
  id: string,
  by: number,
): Record<string, number> {
  const changed = Object.entries(weights).map(
    ([key, weight]) => [key, key === id ? weight * by : weight] as const,
  );
  const sum = (pairs: readonly (readonly [string, number])[]): number =>
    pairs.reduce((total, [, weight]) => total + weight, 0);
  const scale = sum(Object.entries(weights)) / sum(changed);
  return Object.fromEntries(changed.map(([key, weight]) => [key, weight * scale]));
}

const withWeights = (
  rows: readonly Indicator[],
  weights: Readonly<Record<string, number>>,
): readonly Indicator[] => rows.map((row) => ({ ...row, weight: weights[row.id] ?? row.weight }));

const weightsOf = (rows: readonly Indicator[]): Record<string, number> =>
  Object.fromEntries(rows.map(({ id, weight }) => [id, weight]));

/** GVS of one DAO under other weights; what does not hang on them is computed once. */
function createReweigher({ measures, scored }: ComparedDao) {
  const members = measures.members.map((member) => ({
    weight: member.attention,
    rows: deliberationRows(member),
  }));
  const published = publishedScores(scored.components);
  const discounted = (score: ScoreOrGap): ScoreOrGap => discountThinEvidence(score, scored.evidenceShare);
  const deliberation = (weights: Record<string, number>): ScoreOrGap => {
    const share = METHODOLOGY.deliberation.presentShareMin;
    const measured = members.flatMap(({ weight, rows }) => {
      const value = presentMeanOf(withWeights(rows, weights), share);
      return value === undefined ? [] : [{ value, weight }];
    });
    const mean = weightedMean(measured);
    return mean === undefined ? gap("DELIBERATION_UNKNOWN") : points(10 * mean);
  };
  const process = (weights: Record<string, number>): ScoreOrGap => {
    const mean = processPoints(withWeights(scored.components.gpi.indicators, weights));
    return mean === undefined ? gap("PROCESS_UNKNOWN") : points(mean);
  };
  return ({ of, id }: ChangedWeight, by: number): ScoreOrGap => {
    if (of === "pdi") {
      const weights = reweighed(weightsOf(scored.components.pdi.indicators), id, by);
      return scoreVitality({ ...published, pdi: discounted(deliberation(weights)) });
    }
    if (of === "gpi") {
      const weights = reweighed(weightsOf(scored.components.gpi.indicators), id, by);
      return scoreVitality({ ...published, gpi: discounted(process(weights)) });
    }
    const { hpr = 0, dei = 0, pdi = 0, gpi = 0 } = reweighed(METHODOLOGY.vitality.weights, id, by);
    return scoreVitality(published, { hpr, dei, pdi, gpi });
  };
}

/** Every weight that can be changed: of the four components, and of the indicators of PDI and GPI. */
const CHANGEABLE: readonly ChangedWeight[] = [
  ...COMPONENT_KEYS.map((id) => ({ of: "gvs" as const, id })),
  ...Object.values(INDICATORS.pdi).map(({ id }) => ({ of: "pdi" as const, id })),
  ...Object.values(INDICATORS.gpi).map(({ id }) => ({ of: "gpi" as const, id })),
];

/** What ranks hang on: for each DAO with a gvs, its best and worst place as each weight alone changes by a quarter. */
export function weightSensitivities(
  daos: readonly ComparedDao[],
): ReadonlyMap<string, readonly WeightSensitivity[]> {
  const { weightChange } = METHODOLOGY.uncertainty;
  const reweighers = daos.map((dao) => ({ dao, gvsUnder: createReweigher(dao) }));
  const rankingUnder = (changed: ChangedWeight, by: number): Contender[] =>
    reweighers.flatMap(({ dao, gvsUnder }) => {
      const gvs = by === 1 ? dao.scored.gvs : gvsUnder(changed, by);
      return contender(dao, gvs) ?? [];
    });
  const found = new Map<string, WeightSensitivity[]>();
  for (const changed of CHANGEABLE) {
    const rankings = [1 - weightChange, 1, 1 + weightChange].map((by) => rankingUnder(changed, by));
    for (const [spaceId, range] of rankRanges(rankings, 0, 1)) {
      const known = found.get(spaceId) ?? [];
      known.push({ ...changed, ...range });
      found.set(spaceId, known);
    }
  }
  return found;
}

/** A DAO's place in the ranking, where it has one: without a gvs of its own it is not ranked, whatever the weights. */
function contender({ measures, scored }: ComparedDao, gvs: ScoreOrGap): Contender | undefined {
  if (scored.gvs.kind === "gap" || gvs.kind === "gap") return undefined;
  return { spaceId: measures.spaceId, gvs: gvs.points, completenessPct: scored.completeness.pct ?? 0 };
}
