import { describe, expect, test } from "vitest";
import { scoreRisk } from "../../../../pipeline/score/components/risk.ts";
import { createDaoMeasurer } from "../../../../pipeline/score/measure-dao.ts";
import type { Mark } from "../../../../pipeline/score/method/marks.ts";
import type { DaoMeasures, ProposalMeasures } from "../../../../pipeline/score/method/measures.ts";
import { DAY, sampleDao, sampleProposal, sampleProposalVotes, T } from "../sample-facts.ts";

const [template] = createDaoMeasurer(
  sampleDao({
    proposals: [sampleProposal("a", { endDaysAgo: 0 })],
    held: [sampleProposalVotes("a", [{ voter: 0 }])],
  }),
  () => undefined,
).measureAt(T).proposals as [ProposalMeasures];

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
}: Line): ProposalMeasures => ({
  ...template,
  endMs: T - daysAgo * DAY,
  attention,
  marks: { ...template.marks, not_batch: batch },
  concentration: hasPower
    ? { topShare: top, mergedTopShare: merged, whaleShare: 0.3, majorityVoters: K, hhiPoints: 0, gini: 0 }
    : undefined,
});
const riskOf = (lines: readonly Line[], dei = 5, gvs = 5, changes: Partial<DaoMeasures> = {}) => {
  const measures = createDaoMeasurer(sampleDao(), () => undefined).measureAt(T);
  const ends = (point: number) => ({ low: point - 1, point, high: point + 1 });
  return scoreRisk({ ...measures, proposals: lines.map(line), ...changes }, ends(dei), ends(gvs));
};

describe("the score", () => {
  test.each([
    { why: "100 − 5·(DEI + GVS)", lines: [{}], score: [40, 50, 60] },
    { why: "boundary: .4 is not yet alone", lines: [{ top: 0.4 }], score: [40, 50, 60] },
    { why: "high: one decides always", lines: [{ top: 0.5 }], score: [75, 75, 75] },
    { why: "every second vote is enough", lines: [{ top: 0.9 }, {}], score: [75, 75, 75] },
    {
      why: "a quarter of the votes: half of the floor",
      lines: [{ top: 0.9 }, {}, {}, {}],
      score: [40, 50, 60],
    },
    {
      why: "splitting buys no way out of the point",
      lines: [{ top: 0.1, merged: 0.6 }],
      score: [40, 75, 75],
    },
    { why: "nor does merging", lines: [{ top: 0.6, merged: 0.1 }], score: [40, 75, 75] },
    {
      why: "without power on this one, by the other",
      lines: [{ hasPower: false }, { top: 0.6 }],
      score: [75, 75, 75],
    },
  ])("$why", ({ lines, score }) => {
    const { low, point, high } = riskOf(lines)?.score ?? { low: 0, point: 0, high: 0 };
    [low, point, high].forEach((end, at) => {
      expect(end).toBeCloseTo(score[at] ?? 0, 9);
    });
  });

  test("unknown: no power on any ballot", () => {
    expect(riskOf([{ hasPower: false }])).toBeUndefined();
    expect(riskOf([])).toBeUndefined();
  });
});

test.each([
  { why: "one", K: [1, 1, 5], level: "critical" },
  { why: "boundary: half of the weights", K: [3, 3, 10, 10], level: "high" },
  { why: "nine", K: [9], level: "moderate" },
  { why: "ten", K: [10], level: "low" },
])("capture: $why", ({ K, level }) => {
  expect(riskOf(K.map((each) => ({ K: each })))?.captureRisk).toBe(level);
});

test.each([
  { why: "low: none of ninety days", lines: [{ daysAgo: 90 }], perMonth: 0, word: "dormant" },
  {
    why: "boundary: within ninety days",
    lines: [{ daysAgo: 89.99, attention: 0.3 }],
    perMonth: 0.1,
    word: "low",
  },
  { why: "fetched or not", lines: [{}, {}, { hasPower: false }], perMonth: 1, word: "moderate" },
  { why: "high", lines: Array<Line>(60).fill({}), perMonth: 20, word: "very_high" },
])("velocity: $why", ({ lines, perMonth, word }) => {
  const found = riskOf([...lines, { daysAgo: 100 }]);
  expect(found?.proposalsPerMonth).toBeCloseTo(perMonth, 9);
  expect(found?.proposalVelocity).toBe(word);
});

test.each([
  { why: "low: none", batch: [[1, 1]] as Mark[], pct: 0 },
  {
    why: "half",
    batch: [
      [0, 0],
      [1, 1],
    ] as Mark[],
    pct: 50,
  },
  {
    why: "the middle of what is open",
    batch: [
      [0.5, 1],
      [1, 1],
    ] as Mark[],
    pct: 12.5,
  },
  {
    why: "unknown: none is timed",
    batch: [
      [0, 1],
      [0, 1],
    ] as Mark[],
    pct: undefined,
  },
])("checkpoint voting: $why", ({ batch, pct }) => {
  const found = riskOf(batch.map((each) => ({ batch: each })))?.checkpointVotingPct;
  if (pct === undefined) expect(found).toBeUndefined();
  else expect(found).toBeCloseTo(pct, 9);
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
  const facts = sampleDao({
    proposals,
    held,
    entityIdOfVoter: new Map([
      [4, "e"],
      [5, "e"],
    ]),
  });
  const measurer = createDaoMeasurer(facts, () => undefined);
  expect(measurer.measureAt(T).activeVoterCount).toBe(3);
  expect(measurer.measureAt(T + 2 * DAY).activeVoterCount).toBe(2);
});

test.each([
  { why: "0 if no proposal ended in that time", recent: [], held: [], active: 0 },
  { why: "not known if no vote on those that did is known", recent: ["b", "c"], held: [], active: undefined },
  { why: "those of the ballots that are known", recent: ["b", "c"], held: ["c"], active: 2 },
])("active voters are $why", ({ recent, held, active }) => {
  const votes = (id: string) =>
    sampleProposalVotes(id, [
      { voter: 1, power: 5 },
      { voter: 2, power: 5 },
    ]);
  const facts = sampleDao({
    proposals: [
      sampleProposal("a", { endDaysAgo: 200, scoresTotal: 10 }),
      ...recent.map((id) => sampleProposal(id, { endDaysAgo: 10, scoresTotal: 10, votesCount: 2 })),
    ],
    held: ["a", ...held].map(votes),
  });
  expect(createDaoMeasurer(facts, () => undefined).measureAt(T).activeVoterCount).toBe(active);
});
