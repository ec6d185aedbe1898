import { describe, expect, test } from "vitest";
import type { FrameProposal } from "../../../../pipeline/score/frame/frame.ts";
import {
  entityVoteTimes,
  participationOfEntities,
} from "../../../../pipeline/score/heads/entity-participation.ts";
import { DAY, sampleFrame, sampleMember, sampleProposalVotes, T } from "../sample-facts.ts";

const TIMES = new Map([["ent", Uint32Array.from([1000, 2000, 3000])]]);

/** The entity's wallets are voters 0 and 1. */
function participationOf(members: readonly FrameProposal[], asOfMs = T) {
  const [found] = participationOfEntities({
    frame: sampleFrame(members, { asOfMs }),
    headOfVoter: Int32Array.from([0, 0, 2, 3]),
    entityIdOfHead: new Map([[0, "ent"]]),
    timesOfEntity: TIMES,
  });
  return found;
}

const voted = (id: string, power: number, attention = 1) =>
  sampleMember(
    [
      { voter: 0, power },
      { voter: 2, power: 10 - power },
    ],
    { id, attention },
  );
const absent = (id: string, attention = 1) => sampleMember([{ voter: 3 }], { id, attention });

describe("participation of an entity", () => {
  test.each<{
    why: string;
    members: FrameProposal[];
    proposals: number;
    share: number;
    power: number | undefined;
  }>([
    {
      why: "always, with a fifth",
      members: [voted("a", 2), voted("b", 2)],
      proposals: 2,
      share: 1,
      power: 0.2,
    },
    {
      why: "absence is a power of 0",
      members: [voted("a", 2), absent("b"), absent("c")],
      proposals: 1,
      share: 1 / 3,
      power: 0,
    },
    {
      why: "by attention",
      members: [voted("a", 2, 0.75), absent("b", 0.25)],
      proposals: 1,
      share: 0.75,
      power: 0.2,
    },
    {
      why: "its wallets are one",
      members: [
        sampleMember([
          { voter: 0, power: 2 },
          { voter: 1, power: 3 },
          { voter: 2, power: 5 },
        ]),
      ],
      proposals: 1,
      share: 1,
      power: 0.5,
    },
    {
      why: "gap: no power is known",
      members: [sampleMember([{ voter: 0, isPowerUnknown: true }])],
      proposals: 1,
      share: 1,
      power: undefined,
    },
  ])("$why", ({ members, proposals, share, power }) => {
    const found = participationOf(members);
    expect(found?.proposalsVoted).toBe(proposals);
    expect(found?.participationShare).toBeCloseTo(share, 12);
    expect(found?.powerShare).toBe(power);
  });

  test.each([
    { why: "did not vote in the frame", members: [absent("a")] },
    { why: "voted with dust only", members: [sampleMember([{ voter: 0, power: 1e-9 }, { voter: 2 }])] },
    { why: "no frame", members: [] },
  ])("takes no part: $why", ({ members }) => {
    expect(participationOf(members)).toBeUndefined();
  });

  test.each([
    { why: "all of them", asOfMs: T, first: 1_000_000, last: 3_000_000 },
    { why: "boundary: cast at t is known", asOfMs: 2_000_000, first: 1_000_000, last: 2_000_000 },
    { why: "not yet cast is not known", asOfMs: 1_999_999, first: 1_000_000, last: 1_000_000 },
    { why: "gap: none by then", asOfMs: 999_999, first: undefined, last: undefined },
  ])("first and last vote: $why", ({ asOfMs, first, last }) => {
    expect(participationOf([voted("a", 2)], asOfMs)).toMatchObject({
      firstVoteAtMs: first,
      lastVoteAtMs: last,
    });
  });
});

test("times are those of everything fetched, to the second, of entities only", () => {
  const ballots = [
    sampleProposalVotes("b", [
      { voter: 5, atMs: 9 * DAY },
      { voter: 6, atMs: 2 * DAY, power: 0 },
      { voter: 7, atMs: 1 },
    ]),
    sampleProposalVotes("a", [
      { voter: 5, atMs: 3 * DAY },
      { voter: 6, dayMs: DAY },
    ]),
  ];
  const times = entityVoteTimes(
    ballots,
    new Map([
      [5, "ent"],
      [6, "ent"],
    ]),
  );
  expect([...times.keys()]).toStrictEqual(["ent"]);
  expect([...(times.get("ent") ?? [])]).toStrictEqual([2, 3, 9].map((day) => (day * DAY) / 1000));
});
