import { describe, expect, it } from "vitest";
import type { ScoredDao } from "../../../pipeline/documents/scored-dao.ts";
import {
  listDifferences,
  placeDaos,
  type VisitedVersion,
  visitDaos,
  visitVersion,
} from "../../../pipeline/stages/build-version.ts";
import { LEAF, makeStands, TOAST } from "../cli/stand.ts";
import { listOf, visitAll, withOpenHome } from "./visited-version.ts";

const { published } = await makeStands();
const stand = published();

/** Visits the DAOs of the stand, changes what was found, and completes the documents. */
const built = (
  change: (version: VisitedVersion) => VisitedVersion = (version) => version,
  changeScored?: (scored: ScoredDao) => ScoredDao,
) =>
  withOpenHome(stand, async (home) => {
    const { parts, version: visited } = await visitAll(home, changeScored);
    const version = change(visited);
    return { parts, version, placed: await listOf(placeDaos(version, home.registry)) };
  });

const withLists = (change: (lists: VisitedVersion["lists"]) => Partial<VisitedVersion["lists"]>) =>
  ((version) => ({
    ...version,
    lists: { ...version.lists, ...change(version.lists) },
  })) satisfies (version: VisitedVersion) => VisitedVersion;

const codesOf = (placed: Awaited<ReturnType<typeof built>>["placed"]) => [
  ...new Set(placed.flatMap(({ gated }) => gated.findings.map(({ code }) => code))),
];

describe("visitDaos", () => {
  it("visits DAOs by space_id and reports each", () =>
    withOpenHome(stand, async ({ registry, input, effects }) => {
      const steps: unknown[] = [];
      const progress = {
        ...effects.progress,
        step: (...args: unknown[]) => void steps.push(args.slice(0, 4)),
      };
      const visits = visitDaos(registry.daos.toReversed(), { ...input, effects: { ...effects, progress } });
      expect((await listOf(visits)).map(({ row }) => row.spaceId)).toEqual([LEAF, TOAST]);
      expect(steps).toEqual([
        ["score", 1, 2, LEAF],
        ["score", 2, 2, TOAST],
      ]);
    }));
});

describe("visitVersion", () => {
  it("yields the files of each DAO and hands over its final points", () =>
    withOpenHome(stand, async ({ input }) => {
      const points: (readonly [string, number])[] = [];
      const parts = await listOf(
        visitVersion(input, (spaceId, finalPoints) => void points.push([spaceId, finalPoints.length])),
      );
      const paths = parts.map(({ files }) => files.map(({ entry }) => entry.path));
      expect(paths.map((files) => files.filter((path) => path.startsWith("evidence/")))).toEqual([
        [`evidence/${LEAF}.json`],
        [`evidence/${TOAST}.json`],
      ]);
      // The stand has published before, so that no final day is missing.
      expect(points).toEqual([]);
    }));

  it("does nothing before its files are taken", () =>
    withOpenHome(stand, async ({ input }) => {
      const never = () => {
        throw new Error("the warehouse was read");
      };
      const visits = visitVersion({ ...input, warehouse: { ...input.warehouse, daoFacts: never } });
      await expect(visits.next()).rejects.toThrow("the warehouse was read");
    }));
});

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

  it.each<{ why: string; change: (version: VisitedVersion) => VisitedVersion; want: string[] }>([
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
    expect(placed.some(({ gated, checked }) => gated.findings.length > 0 && checked !== undefined)).toBe(
      false,
    );
  });

  it("refuses the name of an entity that opted out after the lists were made", () =>
    withOpenHome(stand, async (home) => {
      const { version } = await visitAll(home);
      const entities = home.registry.entities.map((entity) => ({ ...entity, isOptedOut: true }));
      const placed = await listOf(placeDaos(version, { ...home.registry, entities }));
      expect(codesOf(placed)).toEqual(["OPTED_OUT_NAMED"]);
      const said = JSON.stringify(placed.map(({ gated }) => gated.findings));
      for (const { label } of entities) expect(said).not.toContain(label);
    }));

  it.each<{ why: string; change: (scored: ScoredDao) => ScoredDao }>([
    {
      why: "a detail",
      change: ({ dao, ...scored }) => ({ ...scored, dao: { ...dao, name: "Lying\u202Ename" } }),
    },
    {
      why: "another document",
      change: ({ points, ...scored }) => ({
        ...scored,
        points: points.map((point) => ({ ...point, date: point.date.replace(/^\d{4}/, "2999") })),
      }),
    },
  ])(
    "completes nothing of a DAO of which a gate refused $why, and goes on with the next",
    async ({ change }) => {
      const { parts, placed } = await built(undefined, (scored) =>
        scored.dao.spaceId === LEAF ? change(scored) : scored,
      );
      expect(parts).toHaveLength(1);
      expect(parts.flatMap(({ files }) => files.filter(({ entry }) => entry.path.includes(LEAF)))).toEqual(
        [],
      );
      expect(placed.map(({ checked }) => checked === undefined)).toEqual([true, false]);
      const messages = placed.flatMap(({ gated }) => gated.findings.map(({ message }) => message));
      expect(messages.length).toBeGreaterThan(0);
      expect(new Set(messages).size).toBe(messages.length);
    },
  );
});

describe("listDifferences", () => {
  it("finds that the lists follow from the evidence", async () => {
    const { version } = await built();
    expect(listDifferences(version)).toEqual([]);
  });

  it.each<{ why: string; change: (version: VisitedVersion) => VisitedVersion; path: RegExp }>([
    {
      why: "a range of ranks",
      change: withLists(({ rankings }) => ({ rankings: rankings.map((place) => ({ ...place, best: 9 })) })),
      path: /^rankings\.json 0\.best$/,
    },
    {
      why: "a gvs in the list",
      change: withLists(({ daos }) => ({ daos: daos.map((dao) => ({ ...dao, gvs: 9.99 })) })),
      path: /^daos\.json 0\.gvs$/,
    },
    {
      why: "an index that the evidence does not give",
      change: withLists(({ asOf }) => {
        const components = { hpr: 1, dei: 1, pdi: 1, gpi: 1 };
        return { dgi: { composite: 1, components, dao_count: 2, calculated_at: asOf } };
      }),
      path: /^dgi\.json/,
    },
  ])("finds $why", async ({ change, path }) => {
    const { version } = await built(change);
    expect(listDifferences(version).map((difference) => difference.path)).toContainEqual(
      expect.stringMatching(path),
    );
  });
});
