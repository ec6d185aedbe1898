import { describe, expect, it } from "vitest";
import { checkPlausibility } from "../../../pipeline/gate/check-plausibility.ts";
import type { DaoDetail } from "../../../snapshots/format/dao.ts";
import { timestampOf } from "../../../snapshots/format/ids.ts";
import { AS_OF_MS, DAY_MS } from "../documents/scored-daos.ts";
import { gateInput, validSet } from "./valid-set.ts";

const set = validSet();
const [detail] = set.details;
if (detail === undefined) throw new Error("the small world has no DAO");

/** So many DAOs, each of its own completeness now and before. */
function findings(
  completeness: readonly (readonly [was: number, is: number])[],
  { days = 1, method = set.methodologyVersion } = {},
) {
  const details = completeness.map(([, is], index): DaoDetail => {
    return { ...(detail as DaoDetail), space_id: `dao-${index}`, data_completeness: is };
  });
  const { daos } = gateInput({ set: { ...set, daos: [], details } });
  const previous = {
    asOf: timestampOf(AS_OF_MS - days * DAY_MS),
    createdAt: timestampOf(AS_OF_MS),
    methodologyVersion: method,
    daos: [],
    votes: 0,
    votesOfSpace: new Map(),
    completenessOfSpace: new Map(completeness.map(([was], index) => [`dao-${index}`, was])),
    rows: [],
  };
  const input = {
    votes: 0,
    votesOfSpace: new Map(),
    optOuts: 0,
    previousOptOuts: undefined,
    neverFetched: [],
  };
  const raised = checkPlausibility({ ...input, lists: { ...set, daos: [] }, daos, previous });
  return raised.filter(({ code }) => code === "COMPLETENESS_FELL");
}

const said = (...given: Parameters<typeof findings>) =>
  findings(...given).map(({ message, compared }) => `${message}; ${compared?.limit}`);

describe("COMPLETENESS_FELL", () => {
  it.each<{ why: string; is: Parameters<typeof findings>; want: string[] }>([
    { why: "nothing is compared", is: [[]], want: [] },
    { why: "nothing changed", is: [[[97, 97]]], want: [] },
    { why: "it rose", is: [[[10, 100]]], want: [] },
    { why: "the mean fell by exactly its limit", is: [[[97.51, 92.51]]], want: [] },
    {
      why: "the mean fell by a hundredth more",
      is: [[[97.51, 92.5]]],
      want: ["the mean completeness of 1 DAOs fell from 97.51 to 92.50; 5 points less"],
    },
    {
      why: "one of five fell by exactly its limit",
      is: [
        [
          [90, 70],
          [90, 90],
          [90, 90],
          [90, 90],
          [90, 90],
        ],
      ],
      want: [],
    },
    {
      why: "one of five fell by more, and is named",
      is: [
        [
          [90, 69.99],
          [90, 91],
          [90, 90],
          [90, 90],
          [90, 90],
        ],
      ],
      want: ["dao-0: completeness fell from 90.00 to 69.99; 20 points less"],
    },
    {
      why: "all is gone",
      is: [[[100, 0]]],
      want: [
        "the mean completeness of 1 DAOs fell from 100.00 to 0.00; 5 points less",
        "dao-0: completeness fell from 100.00 to 0.00; 20 points less",
      ],
    },
    { why: "versions that are far apart", is: [[[100, 0]], { days: 8 }], want: [] },
    { why: "an earlier moment", is: [[[100, 0]], { days: -1 }], want: [] },
    { why: "another method", is: [[[100, 0]], { method: "0.9.0" }], want: [] },
  ])("$why", ({ is, want }) => {
    expect(said(...is)).toEqual(want);
  });

  it("is let pass by its name alone", () => {
    const [finding] = findings([[100, 94]]);
    expect(finding).toMatchObject({
      code: "COMPLETENESS_FELL",
      severity: "refuse",
      override: "completeness",
    });
  });
});
