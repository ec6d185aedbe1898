import { expect, test } from "vitest";
import { reconciliationFindings } from "../../../pipeline/stages/score-dao.ts";

const nothing = {
  powerCompared: 30,
  powerDiffers: [],
  votersCompared: 29,
  votersDiffer: [],
  ballotsMissing: [],
};
const ids = (count: number) => Array.from({ length: count }, (_, index) => `p${index + 1}`);

test.each([
  { why: "everything adds up", found: nothing, is: [] },
  {
    why: "power that does not",
    found: { ...nothing, powerDiffers: ["p1"] },
    is: [["POWER_NOT_RECONCILED", "1 of 30 ballots do not add up to the declared power: p1"]],
  },
  {
    why: "voters that are not as many",
    found: { ...nothing, votersDiffer: ["p1", "p2"] },
    is: [["VOTERS_NOT_RECONCILED", "2 of 29 ballots do not have the declared number of voters: p1, p2"]],
  },
  {
    why: "twenty are named",
    found: { ...nothing, ballotsMissing: ids(20) },
    is: [["BALLOTS_MISSING", `20 proposals have votes of which none was fetched: ${ids(20).join(", ")}`]],
  },
  {
    why: "the twenty-first is counted",
    found: { ...nothing, ballotsMissing: ids(21) },
    is: [
      [
        "BALLOTS_MISSING",
        `21 proposals have votes of which none was fetched: ${ids(20).join(", ")} and 1 more`,
      ],
    ],
  },
  {
    why: "all at once, in one order",
    found: { ...nothing, powerDiffers: ["p1"], votersDiffer: ["p2"], ballotsMissing: ["p3"] },
    is: [
      ["POWER_NOT_RECONCILED", expect.stringContaining("p1")],
      ["VOTERS_NOT_RECONCILED", expect.stringContaining("p2")],
      ["BALLOTS_MISSING", expect.stringContaining("p3")],
    ],
  },
])("$why", ({ found, is }) => {
  expect(reconciliationFindings("a.example", found)).toEqual(
    is.map(([code, message]) => ({ code, space_id: "a.example", message })),
  );
});
