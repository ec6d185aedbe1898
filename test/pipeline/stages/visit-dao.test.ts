import { describe, expect, it } from "vitest";
import type { ScoredDao } from "../../../pipeline/documents/scored-dao.ts";
import { createDaoBuilding, createDaoVisits, type VisitedDao } from "../../../pipeline/stages/visit-dao.ts";
import { LEAF, makeStands } from "../cli/stand.ts";
import { scoreOf, withOpenHome } from "./visited-version.ts";

const { published } = await makeStands();
const stand = published();

const codesOf = ({ gated }: VisitedDao) => [...new Set(gated.findings.map(({ code }) => code))];

/** Builds the documents of one DAO whose scores were changed. */
const built = (change: (scored: ScoredDao) => ScoredDao = (scored) => scored, isRendered = true) =>
  withOpenHome(stand, async (home) => {
    const one = scoreOf(home, LEAF);
    return createDaoBuilding(home.registry)({ ...one, scored: change(one.scored) }, isRendered);
  });

describe("createDaoVisits", () => {
  it("renders what depends on no other DAO, and finds nothing wrong in it", () =>
    withOpenHome(stand, async ({ registry, warehouse, input: { asOfMs } }) => {
      const dao = registry.daos.find(({ spaceId }) => spaceId === LEAF);
      if (dao === undefined) throw new Error("the stand has that DAO");
      const visited = createDaoVisits(registry, warehouse)({ dao, asOfMs, isRendered: true });
      expect([codesOf(visited), visited.gated.differences]).toEqual([[], []]);
      const paths = visited.rendered?.files.map(({ entry }) => entry.path);
      expect(paths).toEqual(expect.arrayContaining([`evidence/${LEAF}.json`, `proposals/${LEAF}.ndjson`]));
      // These have its rank among the others, or are served with it.
      expect(paths).not.toContain(`daos/${LEAF}.json`);
      expect(paths).not.toContain(`risk/${LEAF}.json`);
      expect([visited.detail?.space_id, visited.risk?.space_id]).toEqual([LEAF, LEAF]);
    }));
});

describe("createDaoBuilding", () => {
  it("recomputes the row from the evidence alone", async () => {
    const { row, derived } = await built();
    expect(derived).toBe(row);
  });

  it("renders nothing if that was not requested, and finds the same", async () => {
    const [rendered, checked] = [await built(), await built(undefined, false)];
    expect(checked.rendered).toBeUndefined();
    expect(checked.gated).toEqual(rendered.gated);
  });

  it("finds a score that does not follow from its evidence", async () => {
    const { gated, row, derived } = await built(({ current, ...scored }) => ({
      ...scored,
      current: { ...current, completenessPct: 1 },
    }));
    const paths = gated.differences.map(({ path }) => path);
    expect(paths).toContain(`daos/${LEAF}.json data_completeness`);
    expect(paths).toContain(`evidence/${LEAF}.json completeness_pct`);
    expect(derived).not.toBe(row);
    expect(derived?.score.completenessPct).not.toBe(row.score.completenessPct);
  });

  it("renders nothing of a DAO that a gate refuses", async () => {
    const visited = await built(({ dao, ...scored }) => ({
      ...scored,
      dao: { ...dao, name: "Lying\u202Ename" },
    }));
    expect(codesOf(visited)).toEqual(["SHAPE_INVALID"]);
    expect(visited.rendered).toBeUndefined();
  });

  it("throws if the evidence is of another moment", async () => {
    const late = built(({ current, ...scored }) => ({
      ...scored,
      current: { ...current, asOfMs: current.asOfMs + 1 },
    }));
    await expect(late).rejects.toThrow("another moment");
  });
});
