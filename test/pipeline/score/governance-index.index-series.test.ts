import fc from "fast-check";
import { expect, test } from "vitest";
import { createIndexSeries, scoreGovernanceIndex } from "../../../pipeline/score/governance-index.ts";
import { T } from "./sample-facts.ts";

const points = fc.double({ min: 0, max: 10, noNaN: true });
const score = fc.record({
  gvs: points,
  components: fc.record({ hpr: points, dei: points, pdi: points, gpi: points }),
});
/** By DAO and moment; many have no score. */
const table = fc.array(fc.array(fc.option(score, { nil: undefined }), { minLength: 4, maxLength: 4 }), {
  maxLength: 12,
  size: "max",
});

test("a series is, to the bit, the index of each of its moments", () => {
  let scored = 0;
  fc.assert(
    fc.property(table, (rows) => {
      const momentsMs = [0, 1, 2, 3].map((place) => T + place);
      const daos = rows.map((scores, index) => ({
        spaceId: `dao${String.fromCharCode(97 + index)}`,
        scores,
      }));
      const series = createIndexSeries(momentsMs);
      for (const { scores } of daos)
        scores.forEach((found, place) => {
          if (found !== undefined) series.add(place, found);
        });
      const everybody = new Set(daos.map(({ spaceId }) => spaceId));
      const alone = momentsMs.map((atMs, place) => {
        const found = daos.flatMap(({ spaceId, scores }) => {
          const own = scores[place];
          return own === undefined ? [] : [{ spaceId, ...own }];
        });
        return scoreGovernanceIndex(everybody, found, atMs);
      });
      expect(series.indexes()).toStrictEqual(alone);
      scored += alone.filter((index) => index !== undefined).length;
    }),
  );
  expect(scored, "some must have members enough").toBeGreaterThan(20);
});
