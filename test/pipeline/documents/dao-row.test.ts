import { describe, expect, it } from "vitest";
import { buildDaoList, buildUnscoredList, rankRows, rowOf } from "../../../pipeline/documents/dao-row.ts";
import type { ScoredDao } from "../../../pipeline/documents/scored-dao.ts";
import type { Category } from "../../../snapshots/format/value-sets.ts";
import { type DaoOptions, noProposals, scoredDao } from "./scored-daos.ts";

function listOfAll(daos: readonly ScoredDao[]) {
  const rows = daos.map((scored) => rowOf(scored));
  return buildDaoList(rows, rankRows(rows));
}

const listOf = (gvs: number, before: number | undefined) =>
  listOfAll([scoredDao({ gvs, gvsDayBefore: before })]);

describe("buildDaoList", () => {
  it.each<{ why: string; gvs: number; before: number | undefined; want: number }>([
    { why: "a rise", gvs: 5.5, before: 5.25, want: 0.25 },
    { why: "the largest fall there is", gvs: 0, before: 10, want: -10 },
    { why: "the difference of unrounded scores, not of rounded ones", gvs: 5.004, before: 4.996, want: 0.01 },
    { why: "too small a fall is 0, not -0", gvs: 5, before: 5.001, want: 0 },
    { why: "no score the day before", gvs: 5, before: undefined, want: 0 },
  ])("delta_24h: $why", ({ gvs, before, want }) => {
    expect(listOf(gvs, before)[0]?.delta_24h).toBe(want);
  });

  it("lists the DAOs that have a score, best first, whatever the order of the rows", () => {
    const daos = [
      scoredDao({ spaceId: "low", gvs: 2 }),
      scoredDao({ spaceId: "none", current: noProposals("none") }),
      scoredDao({ spaceId: "high", gvs: 9 }),
    ];
    for (const given of [daos, daos.toReversed()])
      expect(listOfAll(given).map(({ space_id, rank }) => [space_id, rank])).toEqual([
        ["high", 1],
        ["low", 2],
      ]);
  });

  it("rounds at this edge and carries the moment of the run", () => {
    expect(listOf(7.996, 7.996)).toEqual([
      {
        space_id: "orchard",
        name: "Orchard",
        category: "defi",
        gvs: 8,
        gvs_confidence: "high",
        rank: 1,
        components: { hpr: 8, dei: 8, pdi: 8, gpi: 8 },
        delta_24h: 0,
        last_calculated: "2026-03-31T23:59:59.999Z",
      },
    ]);
  });
});

const order = (options: readonly DaoOptions[]) => [
  ...rankRows(options.map((each) => rowOf(scoredDao(each)))).keys(),
];

describe("rankRows", () => {
  it.each<{ why: string; daos: DaoOptions[]; want: string[] }>([
    { why: "nobody is ranked", daos: [], want: [] },
    {
      why: "more gvs is better",
      daos: [
        { spaceId: "a", gvs: 0 },
        { spaceId: "b", gvs: 10 },
      ],
      want: ["b", "a"],
    },
    {
      why: "gvs are compared as they are published",
      daos: [
        { spaceId: "a", gvs: 5.004, completenessPct: 90 },
        { spaceId: "b", gvs: 5.001, completenessPct: 91 },
      ],
      want: ["b", "a"],
    },
    {
      why: "so is completeness",
      daos: [
        { spaceId: "b", completenessPct: 90.004 },
        { spaceId: "a", completenessPct: 90.001 },
      ],
      want: ["a", "b"],
    },
    {
      why: "a hundredth of a point decides before completeness",
      daos: [
        { spaceId: "a", gvs: 5.0, completenessPct: 100 },
        { spaceId: "b", gvs: 5.01, completenessPct: 0 },
      ],
      want: ["b", "a"],
    },
    {
      why: "ids are compared by their characters",
      daos: [{ spaceId: "b" }, { spaceId: "a.2" }, { spaceId: "a-2" }, { spaceId: "a10" }],
      want: ["a-2", "a.2", "a10", "b"],
    },
    {
      why: "a DAO without a gvs is not ranked",
      daos: [{ spaceId: "a", unscored: "TOO_LITTLE_KNOWN" }, { spaceId: "b" }],
      want: ["b"],
    },
  ])("$why", ({ daos, want }) => {
    expect(order(daos)).toEqual(want);
    expect(order([...daos].reverse())).toEqual(want);
  });

  it("counts ranks and totals overall and per category, ranked DAOs only", () => {
    const rows: [string, Category, number | undefined][] = [
      ["a", "defi", 9],
      ["b", "social", 8],
      ["c", "defi", 7],
      ["d", "social", undefined],
      ["e", "defi", 5],
    ];
    const standings = rankRows(
      rows.map(([spaceId, category, gvs]) =>
        rowOf(
          scoredDao({
            spaceId,
            category,
            gvs: gvs ?? 5,
            unscored: gvs === undefined ? "NO_PROPOSALS" : undefined,
          }),
        ),
      ),
    );
    expect(
      [...standings.values()].map((dao) => [dao.rank, dao.total, dao.categoryRank, dao.categoryTotal]),
    ).toEqual([
      [1, 4, 1, 3],
      [2, 4, 1, 1],
      [3, 4, 2, 3],
      [4, 4, 3, 3],
    ]);
  });
});

describe("buildUnscoredList", () => {
  it("lists DAOs without a score, by space_id", () => {
    const unscored = ["b", "a", "c"].map((spaceId) => scoredDao({ spaceId, current: noProposals(spaceId) }));
    const rows = [...unscored, scoredDao()].map((scored) => rowOf(scored));
    expect(buildUnscoredList(rows).map((dao) => dao.space_id)).toEqual(["a", "b", "c"]);
  });

  it("says where what is not known would come from", () => {
    const dao = scoredDao({ current: { ...noProposals("a"), notKnown: ["top", "cadence"] } });
    expect(buildUnscoredList([rowOf(dao)])[0]?.not_known).toEqual([
      { id: "top", component: "dei", source: expect.stringContaining("power of each vote") },
      { id: "cadence", component: "gpi", source: expect.stringContaining("ends of the proposals") },
    ]);
  });
});
