import { describe, expect, test } from "vitest";
import { type Contender, placesOf, rankRanges } from "../../../pipeline/score/rank-range.ts";

const of = (spaceId: string, gvs: number, completenessPct = 90): Contender => ({
  spaceId,
  gvs,
  completenessPct,
});

describe("places", () => {
  test.each([
    { why: "better gvs first", contenders: [of("a", 1), of("b", 2)], order: ["b", "a"] },
    {
      why: "equal when rounded: completeness",
      contenders: [of("a", 2.001, 80), of("b", 2, 90)],
      order: ["b", "a"],
    },
    { why: "equal in both: the id", contenders: [of("b", 2), of("a", 2)], order: ["a", "b"] },
    { why: "nobody", contenders: [], order: [] },
  ])("$why", ({ contenders, order }) => {
    expect([...placesOf(contenders).keys()]).toEqual(order);
    expect([...placesOf(contenders).values()]).toEqual(order.map((_, index) => index + 1));
  });
});

describe("ranges over rankings", () => {
  const rankings = [
    [of("a", 3), of("b", 2), of("c", 1)],
    [of("a", 3), of("b", 1), of("c", 2)],
    [of("b", 1), of("c", 2)],
  ];
  test.each([
    { why: "always first where it was", spaceId: "a", best: 1, worst: 1 },
    { why: "second or third", spaceId: "b", best: 2, worst: 3 },
    { why: "moves up where another is missing", spaceId: "c", best: 1, worst: 3 },
  ])("$why", ({ spaceId, best, worst }) => {
    expect(rankRanges(rankings, 0, 1).get(spaceId)).toEqual({ best, worst });
  });

  test("cut to shares of them", () => {
    const many = Array.from({ length: 100 }, (_, index) => [of("a", index < 5 ? 9 : 1), of("b", 5)]);
    expect(rankRanges(many, 0.05, 0.95).get("a")).toEqual({ best: 1, worst: 2 });
    expect(rankRanges(many, 0.06, 0.95).get("a")).toEqual({ best: 2, worst: 2 });
  });
});
