import { COMPONENT_KEYS } from "../../../snapshots/format/value-sets.ts";
import { deliberationRows } from "../components/deliberation.ts";
import { processPoints } from "../components/process.ts";
import { publishedScores, type ScoredMeasures } from "../components/score-measures.ts";
import { discountThinEvidence, scoreVitality } from "../components/vitality.ts";
import { attentionOf } from "../method/attention.ts";
import { gap, points, type ScoreOrGap } from "../method/dao-score.ts";
import { INDICATORS, type Indicator, presentMeanOf } from "../method/indicators.ts";
import type { DaoMeasures } from "../method/measures.ts";
import { METHODOLOGY } from "../method/methodology.ts";
import { meanOver } from "../method/statistics.ts";
import { type RankRange, rankRanges } from "./rank-range.ts";

/** A DAO as it was measured and scored. */
export interface ComparedDao {
  readonly measures: DaoMeasures;
  readonly scored: ScoredMeasures;
}

/** Which weight was changed. */
interface ChangedWeight {
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

const weightsOf = (rows: readonly Indicator[]): Record<string, number> =>
  Object.fromEntries(rows.map(({ id, weight }) => [id, weight]));

/** One indicator of a proposal under other weights. */
interface Reweighed {
  weight: number;
  value: number | undefined;
}

/** GVS of one DAO under other weights; what does not hang on them is computed once. */
function createReweigher({
  measures,
  scored,
}: ComparedDao): (changed: ChangedWeight, by: number) => ScoreOrGap {
  const members = measures.members.map((member) => ({
    attention: member.attention,
    rows: deliberationRows(member).map(({ weight, value }): Reweighed => ({ weight, value })),
  }));
  const published = publishedScores(scored.components);
  const pdiRows = scored.components.pdi.indicators;
  const gpiRows = scored.components.gpi.indicators;
  const discounted = (score: ScoreOrGap): ScoreOrGap => discountThinEvidence(score, scored.evidenceShare);
  const deliberation = (weights: Readonly<Record<string, number>>): ScoreOrGap => {
    const inOrder = pdiRows.map(({ id, weight }) => weights[id] ?? weight);
    const share = METHODOLOGY.deliberation.presentShareMin;
    const mean = meanOver(
      members,
      ({ rows }) => {
        rows.forEach((row, place) => {
          row.weight = inOrder[place] ?? row.weight;
        });
        return presentMeanOf(rows, share);
      },
      attentionOf,
    );
    return mean === undefined ? gap("DELIBERATION_UNKNOWN") : points(10 * mean);
  };
  const process = (weights: Readonly<Record<string, number>>): ScoreOrGap => {
    const rows = gpiRows.map(({ id, weight, value }) => ({ weight: weights[id] ?? weight, value }));
    const mean = processPoints(rows);
    return mean === undefined ? gap("PROCESS_UNKNOWN") : points(mean);
  };
  return ({ of, id }, by) => {
    if (of === "pdi") {
      const weights = reweighed(weightsOf(pdiRows), id, by);
      return scoreVitality({ ...published, pdi: discounted(deliberation(weights)) });
    }
    if (of === "gpi") {
      const weights = reweighed(weightsOf(gpiRows), id, by);
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

const pointsOrNone = (score: ScoreOrGap): number => (score.kind === "gap" ? Number.NaN : score.points);

/** The gvs of one DAO as each weight that can be changed is a quarter less, as it is, and a quarter more; NaN for a gap. It hangs on no other DAO. */
export function reweighedGvs(dao: ComparedDao): Float64Array {
  const { weightChange } = METHODOLOGY.uncertainty;
  const gvsUnder = createReweigher(dao);
  const own = pointsOrNone(dao.scored.gvs);
  return Float64Array.from(
    CHANGEABLE.flatMap((changed) => [
      pointsOrNone(gvsUnder(changed, 1 - weightChange)),
      own,
      pointsOrNone(gvsUnder(changed, 1 + weightChange)),
    ]),
  );
}

/** One DAO in a comparison: what it is called, how complete its data are, and its gvs under changed weights. */
interface ReweighedDao {
  readonly spaceId: string;
  readonly completenessPct: number;
  readonly reweighed: Float64Array;
}

/** What ranks hang on: for each DAO that has a gvs of its own, its best and worst place as each weight alone changes by a quarter. */
export function weightSensitivities(
  daos: readonly ReweighedDao[],
): ReadonlyMap<string, readonly WeightSensitivity[]> {
  const found = new Map<string, WeightSensitivity[]>();
  CHANGEABLE.forEach((changed, place) => {
    const contenders = daos.map(({ spaceId, completenessPct, reweighed: gvs }) => ({
      spaceId,
      completenessPct,
      gvs: gvs.subarray(3 * place, 3 * place + 3),
    }));
    for (const [spaceId, range] of rankRanges(contenders, 0, 1)) {
      const known = found.get(spaceId);
      const row = { ...changed, ...range };
      if (known === undefined) found.set(spaceId, [row]);
      else known.push(row);
    }
  });
  return found;
}
