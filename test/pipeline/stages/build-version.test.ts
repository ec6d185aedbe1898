import { describe, expect, it } from "vitest";
import type { ScoredDao } from "../../../pipeline/documents/scored-dao.ts";
import { readLiveOptOuts } from "../../../pipeline/home/opt-outs.ts";
import {
  listDifferences,
  placeDaos,
  type VisitedVersion,
  visitDaos,
  visitVersion,
} from "../../../pipeline/stages/build-version.ts";
import { checkVersion } from "../../../pipeline/stages/check-version.ts";
import { createDaoScoring } from "../../../pipeline/stages/score-dao.ts";
import { createDaoVisits } from "../../../pipeline/stages/visit-dao.ts";
import { appendLines } from "../../support/journey/stage.ts";
import { LEAF, makeStands, NOW_MS, TOAST } from "../cli/stand.ts";
import { buildDao, daoOf, listOf, visitAll, withOpenHome } from "./visited-version.ts";

const { published, world } = await makeStands();
const stand = published();

type Change<Value> = (value: Value) => Value;
type Lists = VisitedVersion["lists"];

const same = <Value>(value: Value): Value => value;
const withLists =
  (change: (lists: Lists) => Partial<Lists>): Change<VisitedVersion> =>
  (version) => ({ ...version, lists: { ...version.lists, ...change(version.lists) } });

/** Visits the DAOs of the stand, changes what was found, and completes the documents. */
const built = (change: Change<VisitedVersion> = same, changeScored: Change<ScoredDao> = same) =>
  withOpenHome(stand, async (home) => {
    const { parts, version: visited } = await visitAll(home, changeScored);
    const version = change(visited);
    return { parts, version, placed: await listOf(placeDaos(version, home.registry)) };
  });

const codesOf = (placed: Awaited<ReturnType<typeof built>>["placed"]) => [
  ...new Set(placed.flatMap(({ gated }) => gated.findings.map(({ code }) => code))),
];

const LYING_NAME: Change<ScoredDao> = ({ dao, ...scored }) => ({
  ...scored,
  dao: { ...dao, name: "Lying\u202Ename" },
});
/** The DAO is called like an entity that opted out. */
const hiddenName: Change<ScoredDao> = ({ dao, ...scored }) => ({
  ...scored,
  dao: { ...dao, name: world.entities.find(({ isOptedOut }) => isOptedOut)?.entityId ?? "" },
});
const OTHER_COMPLETENESS: Change<ScoredDao> = ({ current, ...scored }) => ({
  ...scored,
  current: { ...current, completenessPct: 1 },
});
/** An index that does not follow from the evidence. */
const OTHER_INDEX = withLists(({ asOf }) => {
  const components = { hpr: 1, dei: 1, pdi: 1, gpi: 1 };
  return { dgi: { composite: 1, components, dao_count: 2, calculated_at: asOf } };
});

describe("a visit of one DAO", () => {
  it("renders what depends on no other DAO", () =>
    withOpenHome(stand, async ({ registry, warehouse, input: { asOfMs } }) => {
      const visitLeaf = createDaoVisits(registry, createDaoScoring(registry, warehouse));
      const visit = { dao: daoOf(registry, LEAF), asOfMs, isRendered: true };
      const visited = visitLeaf(visit);
      const paths = visited.rendered?.files.map(({ entry }) => entry.path);
      expect(paths).toEqual(expect.arrayContaining([`evidence/${LEAF}.json`, `proposals/${LEAF}.ndjson`]));
      // These contain its rank among the others, or are served with it.
      expect(paths).not.toContain(`daos/${LEAF}.json`);
      expect(paths).not.toContain(`risk/${LEAF}.json`);
      expect([visited.detail?.space_id, visited.risk?.space_id]).toEqual([LEAF, LEAF]);
      expect([visited.gated.findings, visited.gated.differences]).toEqual([[], []]);
      expect(visited.derived, "its row follows from its evidence").toBe(visited.row);
      const checked = visitLeaf({ ...visit, isRendered: false });
      expect([checked.rendered, checked.gated]).toEqual([undefined, visited.gated]);
    }));

  it("finds a score that does not follow from its evidence", () =>
    withOpenHome(stand, async (home) => {
      const { gated, row, derived } = buildDao(home, LEAF, OTHER_COMPLETENESS);
      const paths = gated.differences.map(({ path }) => path);
      expect(paths).toContain(`daos/${LEAF}.json data_completeness`);
      expect(paths).toContain(`evidence/${LEAF}.json completeness_pct`);
      expect(derived?.score.completenessPct).not.toBe(row.score.completenessPct);
    }));

  it("throws if the evidence is of another moment", () =>
    withOpenHome(stand, async (home) => {
      const late: Change<ScoredDao> = ({ current, ...scored }) => ({
        ...scored,
        current: { ...current, asOfMs: current.asOfMs + 1 },
      });
      expect(() => buildDao(home, LEAF, late)).toThrow("another moment");
    }));
});

describe("the visits of a version", () => {
  it("go by space_id and are reported", () =>
    withOpenHome(stand, async ({ registry, input, effects }) => {
      const steps: unknown[] = [];
      const step = (...args: unknown[]) => void steps.push(args.slice(0, 4));
      const progress = { ...effects.progress, step };
      const visits = visitDaos(registry.daos.toReversed(), { ...input, effects: { ...effects, progress } });
      expect((await listOf(visits)).map(({ row }) => row.spaceId)).toEqual([LEAF, TOAST]);
      expect(steps).toEqual([
        ["score", 1, 2, LEAF],
        ["score", 2, 2, TOAST],
      ]);
    }));

  it("yield the files of each DAO, and final points only if they are new", () =>
    withOpenHome(stand, async ({ input }) => {
      const points: unknown[] = [];
      const parts = await listOf(
        visitVersion(input, visitDaos(input.registry.daos, input), (...given) => void points.push(given)),
      );
      const paths = parts.map(({ files }) => files.map(({ entry }) => entry.path));
      expect(paths.map((files) => files.filter((path) => path.startsWith("evidence/")))).toEqual([
        [`evidence/${LEAF}.json`],
        [`evidence/${TOAST}.json`],
      ]);
      expect(points, "the stand has stored them").toEqual([]);
    }));
});

it("a version has the index of every day, and tells whose history another method had scored", () =>
  withOpenHome(stand, async (home) => {
    const visited = buildDao(home, LEAF);
    async function* visits() {
      for (const [index, spaceId] of ["a", "b", "c", "d", "e"].entries()) {
        const row = { ...visited.row, spaceId, score: { ...visited.row.score, spaceId } };
        yield { ...visited, row, firstDays: index < 2 ? index : 0, rendered: undefined };
      }
    }
    const dailyPoints = { ...home.warehouse.dailyPoints, hasOtherMethod: () => true };
    const warehouse = { ...home.warehouse, dailyPoints };
    const { value } = await visitVersion({ ...home.input, warehouse }, visits()).next();
    const { lists, findings } = value as VisitedVersion;
    const points = createDaoScoring(home.registry, home.warehouse)(
      daoOf(home.registry, LEAF),
      home.input.asOfMs,
    );
    const daily = points.scored.points.slice(-365).map(({ date, gvs }) => [date, Number(gvs.toFixed(2))]);
    expect(daily.length).toBeGreaterThan(0);
    expect(lists.dgiHistory?.values.map(({ date, composite }) => [date, composite])).toEqual(daily);
    expect(findings.filter(({ code }) => code === "HISTORY_RECOMPUTED")).toMatchObject([
      { space_id: "b", message: expect.stringContaining(" 1 days ") },
    ]);
  }));

describe("placeDaos", () => {
  it("completes the details with ranks and entities", async () => {
    const { placed, version } = await built();
    expect(codesOf(placed)).toEqual([]);
    const paths = placed.flatMap(({ checked }) => checked?.map(({ path }) => path) ?? []);
    const scored = version.lists.daos.map((dao) => dao.space_id).toSorted();
    expect(paths).toEqual(scored.flatMap((id) => [`daos/${id}.json`, `risk/${id}.json`]));
    for (const { checked } of placed) {
      const detail = checked?.find(({ kind }) => kind === "dao")?.value as { readonly rankings: object };
      expect(detail.rankings).toMatchObject({ overall: { total: scored.length } });
    }
    expect(placed.map(({ gated }) => gated.digest.hasEvidence)).toEqual([true, true]);
    expect(placed.some(({ gated }) => gated.digest.topEntities.length > 0)).toBe(true);
  });

  it.each<{ why: string; change: Change<VisitedVersion>; want: string[] }>([
    {
      why: "a rank that the list does not have",
      change: ({ standings, ...version }) => ({
        ...version,
        standings: new Map([...standings].map(([id, place]) => [id, { ...place, rank: place.rank + 1 }])),
      }),
      want: ["PARTS_DISAGREE"],
    },
    { why: "a DAO that is in no list", change: withLists(() => ({ daos: [] })), want: ["PARTS_DISAGREE"] },
    {
      why: "an entity without its shape",
      change: withLists(({ entities }) => ({
        entities: entities.map((entity) => ({
          ...entity,
          dao_participations: entity.dao_participations.map((row) => ({
            ...row,
            voting_power_share_pct: 101,
          })),
        })),
      })),
      want: ["SHAPE_INVALID"],
    },
  ])("refuses the detail of $why", async ({ change, want }) => {
    const { placed } = await built(change);
    expect(codesOf(placed)).toEqual(want);
    expect(placed.filter(({ gated, checked }) => gated.findings.length > 0 && checked)).toEqual([]);
  });

  it("refuses the name of an entity that opted out after the lists were made", () =>
    withOpenHome(stand, async (home) => {
      const { version } = await visitAll(home);
      const entities = home.registry.entities.map((entity) => ({ ...entity, isOptedOut: true }));
      const placed = await listOf(placeDaos(version, { ...home.registry, entities }));
      expect(codesOf(placed)).toEqual(["OPTED_OUT_NAMED"]);
      const findings = JSON.stringify(placed.map(({ gated }) => gated.findings));
      for (const { label } of entities) expect(findings).not.toContain(label);
    }));

  it.each<{ why: string; change: Change<ScoredDao> }>([
    { why: "its detail", change: LYING_NAME },
    { why: "the name of one who opted out", change: hiddenName },
    {
      why: "another document",
      change: ({ points, ...scored }) => ({
        ...scored,
        points: points.map((point) => ({ ...point, date: point.date.replace(/^\d{4}/, "2999") })),
      }),
    },
  ])("completes nothing of a DAO if a gate refused $why, and goes on with the next", async ({ change }) => {
    const changeLeaf: Change<ScoredDao> = (scored) => (scored.dao.spaceId === LEAF ? change(scored) : scored);
    const { parts, placed } = await built(same, changeLeaf);
    expect(parts).toHaveLength(1);
    expect(parts.flatMap(({ files }) => files.filter(({ entry }) => entry.path.includes(LEAF)))).toEqual([]);
    expect(placed.map(({ checked }) => checked === undefined)).toEqual([true, false]);
    const messages = placed.flatMap(({ gated }) => gated.findings.map(({ message }) => message));
    expect(messages.length).toBeGreaterThan(0);
    expect(new Set(messages).size).toBe(messages.length);
  });
});

it.each<{ why: string; change: Change<VisitedVersion>; path?: string }>([
  { why: "nothing in the lists that follow from the evidence", change: same },
  {
    why: "a range of ranks",
    change: withLists(({ rankings }) => ({ rankings: rankings.map((place) => ({ ...place, best: 9 })) })),
    path: "rankings.json 0.best",
  },
  {
    why: "a gvs in the list",
    change: withLists(({ daos }) => ({ daos: daos.map((dao) => ({ ...dao, gvs: 9.99 })) })),
    path: "daos.json 0.gvs",
  },
  { why: "an index that the evidence does not give", change: OTHER_INDEX, path: "dgi.json" },
])("listDifferences finds $why", async ({ change, path }) => {
  const paths = listDifferences((await built(change)).version).map((difference) => difference.path);
  if (path === undefined) expect(paths).toEqual([]);
  else expect(paths).toContain(path);
});

describe("checkVersion", () => {
  /** Codes of what the gates find in the version that was published, once scores or lists are changed. */
  const check = (change: Change<VisitedVersion>, changeScored: Change<ScoredDao>, nowMs = NOW_MS) =>
    withOpenHome(
      stand,
      async (home) => {
        const version = change((await visitAll(home, changeScored)).version);
        const gated = (await listOf(placeDaos(version, home.registry))).map((placed) => placed.gated);
        const live = readLiveOptOuts(home.settings);
        const { findings } = await checkVersion({ ...home, live, version, gated, overrides: [], nowMs });
        return [...new Set(findings.map(({ code }) => code))];
      },
      nowMs,
    );

  it.each<{
    why: string;
    lists?: typeof OTHER_INDEX;
    scored?: Change<ScoredDao>;
    nowMs?: number;
    want: string[];
  }>([
    { why: "finds nothing in what was published", want: [] },
    {
      why: "derives every score again from its evidence",
      scored: ({ current: { risk, ...current }, ...scored }) => ({
        ...scored,
        current: { ...current, risk: risk && { ...risk, activeVoterCount: 1 } },
      }),
      want: ["EVIDENCE_DIFFERS"],
    },
    { why: "derives the lists again from all evidence", lists: OTHER_INDEX, want: ["EVIDENCE_DIFFERS"] },
    {
      why: "compares completeness with the version before",
      scored: OTHER_COMPLETENESS,
      want: ["EVIDENCE_DIFFERS", "COMPLETENESS_FELL"],
    },
    { why: "compares the clock with the version before", nowMs: NOW_MS - 1, want: ["CLOCK_WENT_BACK"] },
  ])("$why", async ({ lists = same, scored = same, nowMs, want }) => {
    expect(await check(lists, scored, nowMs)).toEqual(want);
  });

  it("compares rejected rows with the version before, so that one override is enough", async () => {
    const spoilt = published();
    appendLines(spoilt.archive, `votes/${LEAF}.ndjson`, Array(250).fill("no vote"));
    expect(await spoilt.run()).toMatchObject({
      code: 6,
      stderr: expect.stringContaining(`REJECTED_ROWS_ROSE: ${LEAF}: 250 of `),
    });
    expect(await spoilt.run("--allow", "rejected-rows")).toMatchObject({ code: 0 });
    expect(await spoilt.run()).toMatchObject({ code: 0 });
  });
});
