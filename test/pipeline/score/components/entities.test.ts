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
  createDaoMeasurer(sampleDao({ proposals, held, entityIdOfVoter }), () => undefined).entitiesAt(at);

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
  const [other] = createDaoMeasurer(facts, () => undefined).entitiesAt(T);
  expect(other).toMatchObject({
    proposalsVoted: 1,
    participationShare: 1,
    powerShare: undefined,
    firstVoteAtMs: undefined,
  });
});
