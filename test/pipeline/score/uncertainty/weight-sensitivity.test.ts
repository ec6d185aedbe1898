import { describe, expect, test } from "vitest";
import { scoreMeasures } from "../../../../pipeline/score/components/score-measures.ts";
import { createDaoScorer } from "../../../../pipeline/score/dao-scorer.ts";
import { METHODOLOGY } from "../../../../pipeline/score/method/methodology.ts";
import { assessUncertainty, chancesOf } from "../../../../pipeline/score/uncertainty/uncertainty.ts";
import {
  type ComparedDao,
  reweighedGvs,
  weightSensitivities,
} from "../../../../pipeline/score/uncertainty/weight-sensitivity.ts";
import { factsOf, honestDao } from "../attacked-dao.ts";
import { sampleDao, T } from "../sample-facts.ts";

function daoOf(spaceId: string, seed: number): ComparedDao {
  const facts = factsOf(honestDao(seed));
  const dao = { ...facts.dao, spaceId };
  return createDaoScorer({ ...facts, dao }, () => undefined).assessAt(T, true);
}

/** The same DAO with components that were given; only weights of the GVS move it then. */
function withPoints(
  dao: ComparedDao,
  spaceId: string,
  points: readonly [number, number, number, number],
): ComparedDao {
  const [hpr, dei, pdi, gpi] = points.map((value) => ({ kind: "score" as const, points: value }));
  if (hpr === undefined || dei === undefined || pdi === undefined || gpi === undefined)
    throw new Error("four");
  const { weights } = METHODOLOGY.vitality;
  const logs = [weights.hpr, weights.dei, weights.pdi, weights.gpi].map(
    (weight, place) => weight * Math.log1p(points[place] ?? 0),
  );
  const { components } = dao.scored;
  return {
    measures: { ...dao.measures, spaceId },
    scored: {
      ...dao.scored,
      gvs: { kind: "score", points: Math.expm1(logs.reduce((a, b) => a + b, 0)) },
      components: {
        hpr: { ...components.hpr, score: hpr },
        dei: { ...components.dei, score: dei },
        pdi: { ...components.pdi, score: pdi },
        gpi: { ...components.gpi, score: gpi },
      },
    },
  };
}

const honest = daoOf("a", 1);

const sensitivitiesOf = (daos: readonly ComparedDao[]) =>
  weightSensitivities(
    daos.map((dao) => ({
      spaceId: dao.measures.spaceId,
      completenessPct: dao.scored.completeness.pct ?? 0,
      reweighed: reweighedGvs(dao),
    })),
  );

describe("places under other weights", () => {
  test("a DAO that is better in everything keeps its place", () => {
    const found = sensitivitiesOf([
      withPoints(honest, "a", [8, 8, 8, 8]),
      withPoints(honest, "b", [2, 2, 2, 2]),
    ]);
    const ofGvs = (spaceId: string) => found.get(spaceId)?.filter((row) => row.of === "gvs");
    expect(ofGvs("a")?.map(({ id, best, worst }) => [id, best, worst])).toEqual(
      ["hpr", "dei", "pdi", "gpi"].map((id) => [id, 1, 1]),
    );
    expect(ofGvs("b")?.every(({ best, worst }) => best === 2 && worst === 2)).toBe(true);
  });

  test("two that trade one strength for another change places with its weight, and with no other", () => {
    const a = withPoints(honest, "a", [9, 2, 5, 5]);
    const b = withPoints(honest, "b", [2, 9, 5, 5]);
    const found = sensitivitiesOf([a, b]);
    const ranges = found.get("b")?.filter((row) => row.of === "gvs");
    expect(ranges).toEqual([
      { of: "gvs", id: "hpr", best: 1, worst: 2 },
      { of: "gvs", id: "dei", best: 1, worst: 2 },
      { of: "gvs", id: "pdi", best: 2, worst: 2 },
      { of: "gvs", id: "gpi", best: 2, worst: 2 },
    ]);
  });

  test("every weight of the index and of the indicators of deliberation and process is changed", () => {
    const { vitality, deliberation, process } = METHODOLOGY;
    const rows = sensitivitiesOf([honest, daoOf("b", 2)]).get("a") ?? [];
    const weights = [vitality, deliberation, process].flatMap((part) => Object.keys(part.weights));
    expect(rows).toHaveLength(weights.length);
  });
});

describe("how sure scores are", () => {
  const unscored = createDaoScorer(sampleDao(), () => undefined).assessAt(T, true);
  const found = assessUncertainty([honest, daoOf("b", 2), unscored]);

  test("chances that were drawn before, in another thread even, say the same", () => {
    const daos = [honest, daoOf("b", 2)].map(({ measures, scored }) => ({ measures, scored }));
    const drawn = daos.map((dao) => structuredClone({ ...dao, chances: chancesOf(dao) }));
    expect(assessUncertainty(drawn)).toStrictEqual(assessUncertainty(daos));
  });

  test("a DAO without a gvs has no interval and no rank", () => {
    expect([...found.keys()]).toEqual(["a", "b"]);
  });

  test("intervals hold the score itself, and the rank lies among the DAOs", () => {
    for (const dao of [honest, daoOf("b", 2)]) {
      const own = found.get(dao.measures.spaceId);
      const { gvs } = scoreMeasures(dao.measures);
      if (own === undefined || gvs.kind === "gap") throw new Error("an honest DAO is scored");
      expect(own.gvs.low).toBeLessThan(own.gvs.high);
      expect(own.gvs.low - 0.2).toBeLessThan(gvs.points);
      expect(own.gvs.high + 0.2).toBeGreaterThan(gvs.points);
      expect(own.kept).toBe(METHODOLOGY.uncertainty.resamples);
      expect(own.rank.best).toBeGreaterThanOrEqual(1);
      expect(own.rank.worst).toBeLessThanOrEqual(2);
    }
  });
});
