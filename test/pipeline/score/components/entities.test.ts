import { expect, test } from "vitest";
import { createDaoMeasurer } from "../../../../pipeline/score/measure-dao.ts";
import { DAY, sampleDao, sampleProposal, sampleProposalVotes, T } from "../sample-facts.ts";

const atMs = (daysAgo: number): number => T + 1 - daysAgo * DAY;
const proposals = [
  sampleProposal("old", { endDaysAgo: 800 }),
  sampleProposal("a", { endDaysAgo: 365, scoresTotal: 100 }),
  sampleProposal("b", { endDaysAgo: 0, scoresTotal: 100 }),
];
const held = [
  sampleProposalVotes("old", [
    { voter: 7, atMs: atMs(801) },
    { voter: 8, atMs: atMs(801) },
  ]),
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
  createDaoMeasurer(sampleDao({ proposals, held, entityIdOfVoter }), () => undefined).entitiesAt(at).voters;

test("how each entity took part, those that only voted long ago too", () => {
  const [gone, one, other] = entitiesAt(T);
  expect(gone).toMatchObject({
    entityId: "gone",
    proposalsVoted: 0,
    participationShare: 0,
    powerShare: 0,
    firstVoteAtMs: atMs(801),
    lastVoteAtMs: atMs(801),
  });
  // a weighs .5, b 1: forty of a hundred in a, absent from b.
  expect(one).toMatchObject({
    entityId: "one",
    proposalsVoted: 1,
    firstVoteAtMs: atMs(801),
    lastVoteAtMs: atMs(366),
  });
  expect(one?.participationShare).toBeCloseTo(1 / 3, 12);
  expect(one?.powerShare).toBeCloseTo((0.5 * 0.4) / 1.5, 12);
  expect(other?.participationShare).toBeCloseTo(2 / 3, 12);
  expect(other?.powerShare).toBeCloseTo(0.5 / 1.5, 12);
});

test("what was cast later is not known yet", () => {
  const found = entitiesAt(T - 100 * DAY);
  expect(found.map(({ entityId, lastVoteAtMs }) => [entityId, lastVoteAtMs])).toStrictEqual([
    ["gone", atMs(801)],
    ["one", atMs(366)],
    ["other", undefined],
  ]);
});

test("unknown: no power anywhere", () => {
  const untold = sampleProposalVotes("b", [{ voter: 4, isPowerUnknown: true }]);
  const facts = sampleDao({ proposals: [sampleProposal("b")], held: [untold], entityIdOfVoter });
  const [other] = createDaoMeasurer(facts, () => undefined).entitiesAt(T).voters;
  expect(other).toMatchObject({
    proposalsVoted: 1,
    participationShare: 1,
    powerShare: undefined,
    firstVoteAtMs: undefined,
  });
});

const framed = (id: string, votesCount: number) =>
  sampleProposal(id, { endDaysAgo: 0, scoresTotal: 100, votesCount });
const cast = (id: string, ...voters: readonly number[]) =>
  sampleProposalVotes(
    id,
    voters.map((voter) => ({ voter, power: 100 / voters.length })),
  );

interface Row {
  readonly why: string;
  readonly proposals: readonly ReturnType<typeof sampleProposal>[];
  readonly held: readonly ReturnType<typeof sampleProposalVotes>[];
  /** Of the entity of wallets 1 and 2. */
  readonly one: readonly [voted: number, known: number, unknown: number, share: number | undefined];
  readonly ends: readonly [low: number, high: number];
}

test.each<Row>([
  {
    why: "voted on each ballot that was fetched, and may have voted on the others",
    proposals: [framed("a", 2), framed("b", 2), framed("c", 2), framed("d", 2)],
    held: [cast("a", 1, 3)],
    one: [1, 1, 3, 1],
    ends: [0.25, 1],
  },
  {
    why: "was absent from what was fetched",
    proposals: [framed("a", 2), framed("b", 2)],
    held: [cast("a", 3, 4)],
    one: [0, 1, 1, 0],
    ends: [0, 0.5],
  },
  {
    why: "may be among the half of a ballot that was not fetched",
    proposals: [framed("a", 2), framed("b", 4)],
    held: [cast("a", 1, 3), cast("b", 3, 4)],
    one: [1, 2, 0, 1 / 1.5],
    ends: [0.5, 0.75],
  },
  {
    why: "of whose DAO no vote was fetched",
    proposals: [framed("a", 2)],
    held: [],
    one: [0, 0, 1, undefined],
    ends: [0, 1],
  },
  {
    why: "whose DAO is fetched whole",
    proposals: [framed("a", 2), framed("b", 2)],
    held: [cast("a", 1, 3), cast("b", 3, 4)],
    one: [1, 2, 0, 0.5],
    ends: [0.5, 0.5],
  },
])("what was not fetched is not absence: an entity $why", ({ proposals, held, one, ends }) => {
  const before = sampleProposal("before", { endDaysAgo: 800 });
  const facts = sampleDao({
    proposals: [before, ...proposals],
    held: [sampleProposalVotes("before", [{ voter: 2, atMs: atMs(801) }]), ...held],
    entityIdOfVoter: new Map([
      [1, "one"],
      [2, "one"],
    ]),
  });
  const { voters, others } = createDaoMeasurer(facts, () => undefined).entitiesAt(T);
  const [found] = voters;
  const { proposalsVoted, proposalsKnown, proposalsUnknown, participationShare, participationEnds } =
    found ?? {};
  expect([proposalsVoted, proposalsKnown, proposalsUnknown]).toEqual(one.slice(0, 3));
  if (one[3] === undefined) expect(participationShare).toBeUndefined();
  else expect(participationShare).toBeCloseTo(one[3], 12);
  expect(participationEnds?.[0]).toBeCloseTo(ends[0], 12);
  expect(participationEnds?.[1]).toBeCloseTo(ends[1], 12);
  expect([others.proposalsVoted, others.participationShare]).toEqual([0, one[1] === 0 ? undefined : 0]);
});
