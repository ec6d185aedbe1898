import { describe, expect, test } from "vitest";
import type { Decentralization } from "../../../../pipeline/score/components/decentralization.ts";
import { activeVoters } from "../../../../pipeline/score/components/risk.ts";
import type { FrameProposal } from "../../../../pipeline/score/frame/frame.ts";
import { gap, points } from "../../../../pipeline/score/method/dao-score.ts";
import { countActive } from "../heads/plain-heads.ts";
import { everyoneAlone, type SampleVote, sampleFrame, sampleMember } from "../sample-facts.ts";
import { batchVotingPctOf, riskOf as riskOfFrame } from "../score-frame.ts";

const crowd = (count: number): SampleVote[] => Array.from({ length: count }, (_, voter) => ({ voter }));
const spread: Decentralization = {
  score: points(10),
  medianNakamoto: 30,
  medianWhaleShare: 0.1,
  dominatedShare: 0,
};
const all = (value: number) => ({
  hpr: points(value),
  dei: points(value),
  pdi: points(value),
  gpi: points(value),
});

function riskOf(
  changes: {
    readonly components?: ReturnType<typeof all>;
    readonly decentralization?: Partial<Decentralization>;
    readonly members?: FrameProposal[];
    readonly attended?: FrameProposal[];
  } = {},
) {
  const { components = all(10), members = [sampleMember(crowd(40))], attended = members } = changes;
  return riskOfFrame({
    frame: sampleFrame(members, { attended }),
    components,
    decentralization: { ...spread, ...changes.decentralization },
    humanOfVoter: everyoneAlone(50),
    delegateCentralization: "unknown",
    batchOf: () => ({ overlappingCount: 0, batchCount: 0 }),
  });
}

describe("score", () => {
  test.each([
    { why: "low: all ten", risk: riskOf(), score: 0 },
    { why: "high: all nothing", risk: riskOf({ components: all(0) }), score: 100 },
    {
      why: "weights: 100 − 10(.20·1 + .45·2 + .15·3 + .20·4)",
      risk: riskOf({ components: { hpr: points(1), dei: points(2), pdi: points(3), gpi: points(4) } }),
      score: 100 - 10 * (0.2 + 0.9 + 0.45 + 0.8),
    },
    {
      why: "dominance: every second vote",
      risk: riskOf({ decentralization: { dominatedShare: 0.5 } }),
      score: 75,
    },
    {
      why: "dominance: every fourth",
      risk: riskOf({ decentralization: { dominatedShare: 0.25 } }),
      score: 37.5,
    },
    {
      why: "dominance: always, and no more than 75",
      risk: riskOf({ decentralization: { dominatedShare: 1 } }),
      score: 75,
    },
    {
      why: "the worst of base and floor",
      risk: riskOf({ components: all(1), decentralization: { dominatedShare: 1 } }),
      score: 90,
    },
    {
      why: "smallness: twenty voters are enough",
      risk: riskOf({ members: [sampleMember(crowd(20))] }),
      score: 0,
    },
    { why: "smallness: fifteen", risk: riskOf({ members: [sampleMember(crowd(15))] }), score: 25 },
    { why: "smallness: ten", risk: riskOf({ members: [sampleMember(crowd(10))] }), score: 50 },
    {
      why: "smallness: one is no smaller than ten",
      risk: riskOf({ members: [sampleMember(crowd(1))] }),
      score: 50,
    },
  ])("$why", ({ risk, score }) => {
    if (risk.kind === "gap") throw new Error(risk.reason);
    expect(risk.score).toBeCloseTo(score, 9);
  });

  test.each([
    {
      why: "a component is one",
      changes: { components: { ...all(5), pdi: gap("DELIBERATION_UNKNOWN") } as never },
      reason: "COMPONENT_GAP",
    },
    {
      why: "no power",
      changes: { decentralization: { medianNakamoto: undefined } },
      reason: "POWER_UNKNOWN",
    },
    {
      why: "there were proposals in 90 days and none was fetched",
      changes: {
        members: [sampleMember(crowd(9), { endDaysAgo: 100 })],
        attended: [sampleMember([], { endDaysAgo: 5 })],
      },
      reason: "ACTIVE_VOTERS_UNKNOWN",
    },
  ])("gap: $why", ({ changes, reason }) => {
    expect(riskOf(changes)).toStrictEqual({ kind: "gap", reason });
  });
});

describe("factors", () => {
  test.each([
    { k: 1, level: "critical" },
    { k: 2, level: "high" },
    { k: 3, level: "high" },
    { k: 4, level: "moderate" },
    { k: 9, level: "moderate" },
    { k: 10, level: "low" },
  ])("median K of $k is $level", ({ k, level }) => {
    expect(riskOf({ decentralization: { medianNakamoto: k } })).toMatchObject({ captureRisk: level });
  });

  test.each([
    { why: "dormant: none", count: 0, attention: 1, velocity: "dormant" },
    { why: "low: a hair of one", count: 1, attention: 1e-6, velocity: "low" },
    { why: "boundary: three in 90 days are one a month", count: 3, attention: 1, velocity: "moderate" },
    { why: "just below", count: 3, attention: 0.999, velocity: "low" },
    { why: "boundary: 24 are eight", count: 24, attention: 1, velocity: "high" },
    { why: "boundary: 60 are twenty", count: 60, attention: 1, velocity: "very_high" },
    { why: "just below", count: 59, attention: 1, velocity: "high" },
  ])("velocity, fetched or not: $why", ({ count, attention, velocity }) => {
    const attended = Array.from({ length: count }, () => sampleMember([], { endDaysAgo: 89, attention }));
    const old = sampleMember(crowd(40), { endDaysAgo: 90 });
    const recent = count === 0 ? [] : [sampleMember(crowd(40), { endDaysAgo: 89, attention: 1e-9 })];
    const risk = riskOf({ members: [old, ...recent], attended: [old, ...attended] });
    expect(risk).toMatchObject({ proposalVelocity: velocity });
  });

  test("whale control is a percentage", () => {
    expect(riskOf({ decentralization: { medianWhaleShare: 0.98 } })).toMatchObject({ whaleControlPct: 98 });
  });
});

describe("active voters", () => {
  const count = (members: FrameProposal[], attended = members, human = everyoneAlone(50)) =>
    activeVoters(sampleFrame(members, { attended }), human, countActive);
  test.each([
    {
      why: "no proposal in 90 days: nobody",
      members: [sampleMember(crowd(9), { endDaysAgo: 90 })],
      expected: 0,
    },
    { why: "boundary: just inside", members: [sampleMember(crowd(9), { endDaysAgo: 89.99 })], expected: 9 },
    {
      why: "somebody on either of two",
      members: [sampleMember(crowd(9)), sampleMember([{ voter: 3 }, { voter: 30 }], { id: "q" })],
      expected: 10,
    },
    {
      why: "boundary: half a weight counts, less does not",
      members: [
        sampleMember([
          { voter: 0, power: 6.26e-7 },
          { voter: 1, power: 6.24e-7 },
          { voter: 2, power: 1 },
        ]),
      ],
      expected: 2,
    },
    {
      why: "gap: a ballot that holds nobody is no gap, it is nobody",
      members: [sampleMember([])],
      expected: 0,
    },
  ])("$why", ({ members, expected }) => {
    expect(count(members)).toBe(expected);
  });

  test("a cluster is one", () => {
    const human = Int32Array.from(everyoneAlone(50), (voter) => (voter < 5 ? 0 : voter));
    expect(count([sampleMember(crowd(9))], undefined, human)).toBe(5);
  });
});

describe("checkpoint voting", () => {
  const timed = (voters: number): SampleVote[] =>
    Array.from({ length: voters }, (_, voter) => ({ voter, atMs: 1e12 }));
  test.each([
    { why: "low: no votes", members: [], pct: 0 },
    { why: "gap: no time is known", members: [sampleMember(crowd(4))], pct: 0 },
    { why: "one of four", members: [sampleMember(timed(4))], pct: 25 },
    {
      why: "by attention: (1 + ½)/(4 + ½·2)",
      members: [sampleMember(timed(4)), sampleMember(timed(2), { id: "q", attention: 0.5 })],
      pct: 30,
    },
  ])("$why", ({ members, pct }) => {
    expect(batchVotingPctOf(members, () => ({ overlappingCount: 3, batchCount: 1 }))).toBeCloseTo(pct, 9);
  });
});
