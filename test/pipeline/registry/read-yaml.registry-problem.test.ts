import { describe, expect, it } from "vitest";
import { registryInvalid } from "../../../pipeline/registry/read-yaml.ts";

const problems = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ line: count - index, message: "is wrong" }));

describe("the error of a registry", () => {
  it.each([
    { count: 1, lines: 1, last: "r.yaml:1: is wrong", why: "low" },
    { count: 50, lines: 50, last: "r.yaml:50: is wrong", why: "boundary: all of them fit" },
    { count: 51, lines: 51, last: "… and 1 more", why: "one more than fits" },
    { count: 900, lines: 51, last: "… and 850 more", why: "high: the first lines stand" },
  ])("lists $count problems in $lines lines ($why)", ({ count, lines, last }) => {
    const said = registryInvalid("r.yaml", problems(count)).message.split("\n");
    expect([said.length, said[0], said.at(-1)]).toEqual([lines, "r.yaml:1: is wrong", last]);
  });

  it("names no line where there is none", () =>
    expect(registryInvalid("r.yaml", [{ line: undefined, message: "is not UTF-8" }]).message).toBe(
      "r.yaml: is not UTF-8",
    ));
});
