import { expect, test } from "vitest";
import { DAY, measurerOf, sampleDao, sampleProposal, sampleProposalVotes, T } from "../sample-facts.ts";

const atMs = (daysAgo: number): number => T + 1 - daysAgo * DAY;
const proposals = [
  sampleProposal("old", { endDaysAgo: 800 }),
  sampleProposal("a", { endDaysAgo: 365, scoresTotal: 100 }),
  sampleProposal("b", { endDaysAgo: 0, scoresTotal: 100 }),
];
const longAgo = (voter: number) => ({ voter, atMs: atMs(801) });
const held = [
  sampleProposalVotes("old", [longAgo(7), longAgo(8)]),
  sampleProposalVotes("a", [
    { voter: 1, power: 25, atMs: atMs(366) },
    { voter: 2, power: 15 },
    { voter: 3, power: 60, atMs: atMs(366) },
  ]),
  sampleProposalVotes("b", [
    { voter: 3, power: 50 },
    { voter: 4, power: 50, atMs: atMs(1) },
  ]),
];
const entityIdOfVoter = new Map([
  [1, "one"],
  [2, "one"],
  [4, "other"],
  [7, "gone"],
  [8, "one"],
]);
const entitiesAt = (at: number) =>
  measurerOf(sampleDao({ proposals, held, entityIdOfVoter })).entitiesAt(at).voters;

test("entities take part by what they voted on in the frame, and also if they voted only before it", () => {
  const found = entitiesAt(T).map(
    ({ entityId, proposalsVoted, participationShare, powerShare, ...votes }) => [
      [entityId, proposalsVoted, votes.firstVoteAtMs, votes.lastVoteAtMs],
      [participationShare, powerShare],
    ],
  );
  const near = (...shares: readonly number[]) => shares.map((share) => expect.closeTo(share, 12));
  // a weighs .5, b 1: forty of a hundred in a, absent from b.
  expect(found).toEqual([
    [["gone", 0, atMs(801), atMs(801)], near(0, 0)],
    [["one", 1, atMs(801), atMs(366)], near(1 / 3, (0.5 * 0.4) / 1.5)],
    [["other", 1, atMs(1), atMs(1)], near(2 / 3, 0.5 / 1.5)],
  ]);
});

test("votes that are cast later are not known yet", () => {
  const found = entitiesAt(T - 100 * DAY);
  expect(found.map(({ entityId, lastVoteAtMs }) => [entityId, lastVoteAtMs])).toStrictEqual([
    ["gone", atMs(801)],
    ["one", atMs(366)],
    ["other", undefined],
  ]);
});

test("a vote of the very moment is known", () => {
  const [gone] = entitiesAt(atMs(801));
  expect(gone).toMatchObject({ entityId: "gone", firstVoteAtMs: atMs(801), lastVoteAtMs: atMs(801) });
});

test("a ballot counts by what was fetched of it, whatever the order of ballots and of votes", () => {
  // Half of a's power and votes were fetched; b weighs .5.
  const partly = [
    sampleProposal("a", { endDaysAgo: 0, scoresTotal: 100, votesCount: 4 }),
    sampleProposal("b", { endDaysAgo: 365, scoresTotal: 100, votesCount: 2 }),
  ];
  const fetched = [
    sampleProposalVotes("b", [
      { voter: 4, power: 50, atMs: atMs(366) },
      { voter: 3, power: 50 },
    ]),
    sampleProposalVotes("a", [
      { voter: 1, power: 30, atMs: atMs(1) },
      { voter: 3, power: 20 },
    ]),
    sampleProposalVotes("old", [longAgo(8)]),
  ];
  const facts = sampleDao({
    proposals: [...proposals.slice(0, 1), ...partly],
    held: fetched,
    entityIdOfVoter,
  });
  const found = measurerOf(facts).entitiesAt(T).voters;
  expect(found.map(({ entityId }) => entityId)).toEqual(["one", "other"]);
  const [one] = found;
  expect([one?.firstVoteAtMs, one?.lastVoteAtMs]).toEqual([atMs(801), atMs(1)]);
  expect(one?.participationShare).toBeCloseTo((1 * 0.5) / (1 * 0.5 + 0.5 * 1), 12);
  expect(one?.powerShare).toBeCloseTo((1 * 0.5 * 0.6) / (1 * 0.5 + 0.5 * 1), 12);
});

test("unknown: the share of power if none is known", () => {
  const untold = sampleProposalVotes("b", [{ voter: 4, isPowerUnknown: true }]);
  const facts = sampleDao({ proposals: [sampleProposal("b")], held: [untold], entityIdOfVoter });
  const [other] = measurerOf(facts).entitiesAt(T).voters;
  expect(other).toMatchObject({
    proposalsVoted: 1,
    participationShare: 1,
    powerShare: undefined,
    firstVoteAtMs: undefined,
  });
});

/** A proposal that ended at T, with so many votes by its source, and the equal voters that were fetched. */
const framed = (id: string, votesCount: number, ...voters: readonly number[]) => ({
  proposal: sampleProposal(id, { endDaysAgo: 0, scoresTotal: 100, votesCount }),
  held:
    voters.length === 0
      ? []
      : [
          sampleProposalVotes(
            id,
            voters.map((voter) => ({ voter, power: 100 / voters.length })),
          ),
        ],
});

interface Row {
  readonly why: string;
  readonly frame: readonly ReturnType<typeof framed>[];
  /** Proposals on which the entity of voters 1 and 2 voted, those known and unknown, and its share of the known ones. */
  readonly one: readonly [voted: number, known: number, unknown: number, share: number | undefined];
  readonly ends: readonly [low: number, high: number];
}

test.each<Row>([
  {
    why: "voted on each ballot that was fetched, and may have voted on the others",
    frame: [framed("a", 2, 1, 3), framed("b", 2), framed("c", 2), framed("d", 2)],
    one: [1, 1, 3, 1],
    ends: [0.25, 1],
  },
  {
    why: "was absent from what was fetched",
    frame: [framed("a", 2, 3, 4), framed("b", 2)],
    one: [0, 1, 1, 0],
    ends: [0, 0.5],
  },
  {
    why: "may be among the half of a ballot that was not fetched",
    frame: [framed("a", 2, 1, 3), framed("b", 4, 3, 4)],
    one: [1, 2, 0, 1 / 1.5],
    ends: [0.5, 0.75],
  },
  {
    why: "is in a DAO without fetched votes",
    frame: [framed("a", 2)],
    one: [0, 0, 1, undefined],
    ends: [0, 1],
  },
  {
    why: "is in a DAO that was fetched whole",
    frame: [framed("a", 2, 1, 3), framed("b", 2, 3, 4)],
    one: [1, 2, 0, 0.5],
    ends: [0.5, 0.5],
  },
])("what was not fetched is not absence: an entity $why", ({ frame, one, ends }) => {
  const facts = sampleDao({
    proposals: [sampleProposal("before", { endDaysAgo: 800 }), ...frame.map(({ proposal }) => proposal)],
    held: [sampleProposalVotes("before", [{ voter: 2 }]), ...frame.flatMap(({ held }) => held)],
    entityIdOfVoter,
  });
  const { voters, others } = measurerOf(facts).entitiesAt(T);
  const found = voters.find(({ entityId }) => entityId === "one");
  const near = (value: number) => expect.closeTo(value, 12);
  const [voted, known, unknown, share] = one;
  expect(found).toMatchObject({ proposalsVoted: voted, proposalsKnown: known, proposalsUnknown: unknown });
  expect(found?.participationShare).toEqual(share === undefined ? undefined : near(share));
  expect(found?.participationEnds).toEqual(ends.map(near));
  expect([others.proposalsVoted, others.participationShare]).toEqual([0, known === 0 ? undefined : 0]);
});
