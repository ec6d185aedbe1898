import { describe, expect, it } from "vitest";
import { buildDaoList, rankedDaos } from "../../../pipeline/documents/dao-documents.ts";
import { scoredDao } from "./scored-daos.ts";

const listOf = (gvs: number, before: number | undefined) =>
  buildDaoList(rankedDaos([scoredDao({ gvs, gvsDayBefore: before })]));

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
