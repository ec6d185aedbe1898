import { expect, it } from "vitest";
import { textList } from "../../../../pipeline/sources/upstream/parse-values.ts";

it.each([
  { why: "no text", given: [], isOne: true },
  { why: "as many as may be", given: ["a", "b"], isOne: true },
  { why: "one too many", given: ["a", "b", "c"], isOne: false },
  { why: "a number among them", given: ["a", 1], isOne: false },
  { why: "no list", given: { 0: "a", length: 1 }, isOne: false },
  { why: "nothing", given: undefined, isOne: false },
])("$why: $isOne", ({ given, isOne }) => {
  expect(textList(2).safeParse(given).success).toBe(isOne);
});

it("describes a million wrong elements as one", () => {
  const { error } = textList().safeParse(Array(1_000_000).fill(1));
  expect(error?.issues).toHaveLength(1);
});
