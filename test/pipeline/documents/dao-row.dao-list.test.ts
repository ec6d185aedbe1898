import { describe, expect, it } from "vitest";
import { buildDaoList, rankRows, rowOf } from "../../../pipeline/documents/dao-row.ts";
import type { ScoredDao } from "../../../pipeline/documents/scored-dao.ts";
import { noProposals, scoredDao } from "./scored-daos.ts";

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
