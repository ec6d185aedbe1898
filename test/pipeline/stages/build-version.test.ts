import { describe, expect, it } from "vitest";
import { buildVersion, type VersionPlan } from "../../../pipeline/stages/build-version.ts";
import { LEAF, makeStands, TOAST } from "../cli/stand.ts";
import { type PlannedVersion, withPlan, withScored } from "./planned-version.ts";

const { published } = await makeStands();
const stand = published();

/** Builds a version of the stand, and what is held of it in the end. */
const built = (change: (plan: VersionPlan, planned: PlannedVersion) => VersionPlan, isRendered = true) =>
  withPlan(stand, async (planned) => {
    const { registry, effects } = planned;
    const steps: unknown[] = [];
    const progress = { ...effects.progress, step: (...args: unknown[]) => void steps.push(args.slice(0, 4)) };
    const options = { registry, threads: undefined, effects: { ...effects, progress }, isRendered };
    const plan = change(planned.plan, planned);
    const build = buildVersion(plan, options);
    const paths: string[][] = [];
    for await (const { files } of build.parts()) paths.push(files.map(({ entry }) => entry.path));
    return { paths, build, steps, differences: build.differences(), plan };
  });

const asItIs = (plan: VersionPlan): VersionPlan => plan;

describe("buildVersion", () => {
  it("builds the documents of every DAO, by space_id, and finds that everything follows", async () => {
    const { paths, build, differences, steps, plan } = await built(asItIs);
    const spaceIds = [LEAF, TOAST];
    expect(paths.map((files) => files.filter((path) => path.startsWith("evidence/")))).toEqual(
      spaceIds.map((spaceId) => [`evidence/${spaceId}.json`]),
    );
    expect(paths.flat().filter((path) => !spaceIds.some((spaceId) => path.includes(spaceId)))).toEqual([]);
    expect(build.gated.map(({ digest }) => digest.spaceId)).toEqual(spaceIds);
    expect(build.gated.flatMap((each) => [...each.findings, ...each.differences])).toEqual([]);
    expect([...build.certainty.keys()]).toEqual(plan.lists.daos.map((dao) => dao.space_id).toSorted());
    expect(differences).toEqual([]);
    expect(steps).toEqual([
      ["documents", 1, 2, LEAF],
      ["documents", 2, 2, TOAST],
    ]);
  });

  it("does nothing before somebody takes the parts", () =>
    withPlan(stand, async ({ plan, registry, effects }) => {
      const options = { registry, threads: undefined, effects, isRendered: true };
      const closed = { ...plan, scratch: { ...plan.scratch, descriptor: -1 } };
      const build = buildVersion(closed, options);
      expect(build.gated).toEqual([]);
      await expect(build.parts().next()).rejects.toThrow();
    }));

  it("finds as much where nothing is rendered", async () => {
    const [rendered, looked] = [await built(asItIs), await built(asItIs, false)];
    expect(looked.paths).toEqual([]);
    expect(looked.build.gated).toEqual(rendered.build.gated);
    expect(looked.differences).toEqual(rendered.differences);
  });

  it.each<{ why: string; change: (plan: VersionPlan) => VersionPlan; path: RegExp }>([
    {
      why: "a range of ranks",
      change: ({ lists, ...plan }) => ({
        ...plan,
        lists: { ...lists, rankings: lists.rankings.map((place) => ({ ...place, best: 9 })) },
      }),
      path: /^rankings\.json 0\.best$/,
    },
    {
      why: "a gvs in the list",
      change: ({ lists, ...plan }) => ({
        ...plan,
        lists: { ...lists, daos: lists.daos.map((dao) => ({ ...dao, gvs: 9.99 })) },
      }),
      path: /^daos\.json 0\.gvs$/,
    },
    {
      why: "an index that the evidence does not give",
      change: ({ lists, ...plan }) => {
        const components = { hpr: 1, dei: 1, pdi: 1, gpi: 1 };
        const dgi = { composite: 1, components, dao_count: 2, calculated_at: lists.asOf };
        return { ...plan, lists: { ...lists, dgi } };
      },
      path: /^dgi\.json/,
    },
  ])("finds $why", async ({ change, path }) => {
    const { differences } = await built(change);
    expect(differences.map((each) => each.path)).toContainEqual(expect.stringMatching(path));
  });

  it("leaves out the documents of a DAO that a gate refuses, and goes on with the next", async () => {
    const { paths, build } = await built((plan) =>
      withScored(
        plan,
        ({ dao, ...scored }) => ({ ...scored, dao: { ...dao, name: "Lying\u202Ename" } }),
        (spaceId) => spaceId === LEAF,
      ),
    );
    expect(paths).toHaveLength(1);
    expect(paths.flat().filter((path) => path.includes(LEAF))).toEqual([]);
    expect(build.gated.map(({ findings }) => findings.length > 0)).toEqual([true, false]);
  });
});
