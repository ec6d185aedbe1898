import { describe, expect, test } from "vitest";
import { scoreRisk } from "../../../../pipeline/score/components/risk.ts";
import type { Mark } from "../../../../pipeline/score/method/marks.ts";
import {
  DAY,
  measurerOf,
  measureSample,
  sampleDao,
  sampleMeasures,
  sampleProposal,
  sampleProposalVotes,
  T,
} from "../sample-facts.ts";

interface Line {
  readonly top?: number;
  readonly merged?: number;
  readonly K?: number;
  readonly daysAgo?: number;
  readonly attention?: number;
  readonly batch?: Mark;
  readonly hasPower?: boolean;
}
const line = ({
  top = 0.1,
  merged = top,
  K = 5,
  daysAgo = 0,
  attention = 1,
  batch = [1, 1],
  hasPower = true,
}: Line) => ({
  endMs: T - daysAgo * DAY,
  attention,
  marks: { not_batch: batch },
  concentration: hasPower
    ? { topShare: top, mergedTopShare: merged, whaleShare: 0.3, majorityVoters: K, hhiPoints: 0, gini: 0 }
    : undefined,
});
const riskOf = (...lines: readonly Line[]) => {
  const around5 = { low: 4, point: 5, high: 6 };
  return scoreRisk(sampleMeasures(lines.map(line)), around5, around5);
};

describe("the score", () => {
  const [split, merged] = [
    { top: 0.1, merged: 0.6 },
    { top: 0.6, merged: 0.1 },
  ];
  test.each<[why: string, lines: Line[], low: number, point: number, high: number]>([
    ["100 − 5·(DEI + GVS)", [{}], 40, 50, 60],
    ["boundary: .4 is not yet alone", [{ top: 0.4 }], 40, 50, 60],
    ["high: one decides always", [{ top: 0.5 }], 75, 75, 75],
    ["every second vote is enough", [{ top: 0.9 }, {}], 75, 75, 75],
    ["a quarter of the votes: half of the floor", [{ top: 0.9 }, {}, {}, {}], 40, 50, 60],
    ["splitting wallets does not lower the point", [split], 40, 75, 75],
    ["nor does merging", [merged], 40, 75, 75],
    ["a ballot without power does not count", [{ hasPower: false }, { top: 0.6 }], 75, 75, 75],
  ])("%s", (_, lines, ...ends) => {
    const { low, point, high } = riskOf(...lines)?.score ?? expect.fail("a ballot has power");
    expect([low, point, high]).toEqual(ends.map((end) => expect.closeTo(end, 9)));
  });

  test("unknown: no power on any ballot", () => {
    expect([riskOf({ hasPower: false }), riskOf()]).toEqual([undefined, undefined]);
  });
});

test.each<[why: string, K: number[], level: string]>([
  ["one", [1, 1, 5], "critical"],
  ["boundary: half of the weights", [3, 3, 10, 10], "high"],
  ["nine", [9], "moderate"],
  ["ten", [10], "low"],
])("capture: %s", (_, K, level) => {
  expect(riskOf(...K.map((each) => ({ K: each })))?.captureRisk).toBe(level);
});

test.each<[why: string, lines: Line[], perMonth: number, word: string]>([
  ["low: none of ninety days", [{ daysAgo: 90 }], 0, "dormant"],
  ["boundary: within ninety days", [{ daysAgo: 89.99, attention: 0.3 }], 0.1, "low"],
  ["fetched or not", [{}, {}, { hasPower: false }], 1, "moderate"],
  ["high", Array<Line>(60).fill({}), 20, "very_high"],
])("velocity: %s", (_, lines, perMonth, word) => {
  const found = riskOf(...lines, { daysAgo: 100 });
  expect(found?.proposalsPerMonth).toBeCloseTo(perMonth, 9);
  expect(found?.proposalVelocity).toBe(word);
});

test.each<[why: string, one: Mark, other: Mark, pct: number | undefined]>([
  ["low: none", [1, 1], [1, 1], 0],
  ["half", [0, 0], [1, 1], 50],
  ["the middle of what is open", [0.5, 1], [1, 1], 12.5],
  ["unknown: none is timed", [0, 1], [0, 1], undefined],
])("checkpoint voting: %s", (_, one, other, pct) => {
  const found = riskOf({ batch: one }, { batch: other })?.checkpointVotingPct;
  expect(found).toEqual(pct === undefined ? undefined : expect.closeTo(pct, 9));
});

test("active voters have at least a millionth of a ballot of ninety days", () => {
  const proposals = [
    sampleProposal("a", { endDaysAgo: 91 }),
    sampleProposal("b", { endDaysAgo: 89 }),
    sampleProposal("c", { endDaysAgo: 0 }),
  ];
  const held = [
    sampleProposalVotes("a", [{ voter: 0, power: 1e6 }]),
    sampleProposalVotes("b", [
      { voter: 1, power: 1e6 },
      { voter: 2, power: 1.1 },
      { voter: 3, power: 0.9 },
      { voter: 4, power: 5 },
    ]),
    sampleProposalVotes("c", [
      { voter: 1, power: 1e6 },
      { voter: 5, power: 5 },
    ]),
  ];
  const entityIdOfVoter = new Map([4, 5].map((voter) => [voter, "e"]));
  const measurer = measurerOf(sampleDao({ proposals, held, entityIdOfVoter }));
  expect(measurer.measureAt(T).activeVoterCount).toBe(3);
  expect(measurer.measureAt(T + 2 * DAY).activeVoterCount).toBe(2);
});

test.each<[why: string, recent: string[], held: string[], active: number | undefined]>([
  ["0 if no proposal ended in that time", [], [], 0],
  ["not known if no vote on those that did is known", ["b", "c"], [], undefined],
  ["those of the ballots that are known", ["b", "c"], ["c"], 2],
])("active voters are %s", (_, recent, held, active) => {
  const votes = (id: string) =>
    sampleProposalVotes(
      id,
      [1, 2].map((voter) => ({ voter, power: 5 })),
    );
  const facts = sampleDao({
    proposals: [
      sampleProposal("a", { endDaysAgo: 200, scoresTotal: 10 }),
      ...recent.map((id) => sampleProposal(id, { endDaysAgo: 10, scoresTotal: 10, votesCount: 2 })),
    ],
    held: ["a", ...held].map(votes),
  });
  expect(measureSample(facts).activeVoterCount).toBe(active);
});
