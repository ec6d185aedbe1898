import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { LONGEST } from "./longest-first.ts";

it("what comes first is there", () => {
  expect(LONGEST.filter((path) => !existsSync(path))).toEqual([]);
});
