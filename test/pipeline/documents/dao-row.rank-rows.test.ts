import { describe, expect, it } from "vitest";
import { rankRows, rowOf } from "../../../pipeline/documents/dao-row.ts";
import type { Category } from "../../../snapshots/format/value-sets.ts";
import { type DaoOptions, scoredDao } from "./scored-daos.ts";

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
