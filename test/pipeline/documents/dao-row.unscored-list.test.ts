import { describe, expect, it } from "vitest";
import { buildUnscoredList, rowOf } from "../../../pipeline/documents/dao-row.ts";
import { noProposals, scoredDao } from "./scored-daos.ts";

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
