import { describe, expect, it } from "vitest";
import { buildUnscoredList, rowOf } from "../../../pipeline/documents/dao-row.ts";
import { noProposals, scoredDao } from "./scored-daos.ts";

describe("buildUnscoredList", () => {
  it("lists DAOs without a score, by space_id", () => {
    const unscored = ["b", "a", "c"].map((spaceId) => scoredDao({ spaceId, current: noProposals(spaceId) }));
    const rows = [...unscored, scoredDao()].map((scored) => rowOf(scored));
    expect(buildUnscoredList(rows).map((dao) => dao.space_id)).toEqual(["a", "b", "c"]);
  });
});
