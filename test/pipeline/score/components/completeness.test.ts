import { expect, test } from "vitest";
import {
  completenessPct,
  fetchedShareOf,
  fieldsShareOf,
  reconcile,
} from "../../../../pipeline/score/components/completeness.ts";
import { createDaoMeasurer } from "../../../../pipeline/score/measure-dao.ts";
import { sampleDao, sampleProposal, sampleProposalVotes, T } from "../sample-facts.ts";

test.each([
  { why: "unknown: no ballot", proposal: { scoresTotal: 5 }, ballot: undefined, share: 0 },
  { why: "unknown: no power", proposal: { scoresTotal: 5 }, ballot: [0, 0, 7], share: 0 },
  { why: "half of the declared power", proposal: { scoresTotal: 10 }, ballot: [5, 1, 1], share: 0.5 },
  { why: "high: more than declared is whole", proposal: { scoresTotal: 10 }, ballot: [11, 1, 1], share: 1 },
  { why: "no total: fetched of declared votes", proposal: { votesCount: 8 }, ballot: [5, 2, 2], share: 0.25 },
  { why: "no number either", proposal: {}, ballot: [5, 2, 2], share: 1 },
  { why: "a vote of unknown power is missing", proposal: {}, ballot: [5, 3, 4], share: 0.75 },
  { why: "of more votes than were declared", proposal: { votesCount: 2 }, ballot: [5, 3, 4], share: 0.75 },
])("the part that was fetched: $why", ({ proposal, ballot, share }) => {
  const [validPower = 0, knownCount = 0, fetchedCount = 0] = ballot ?? [];
  const held = ballot === undefined ? undefined : { validPower, knownCount, fetchedCount };
  expect(fetchedShareOf({ scoresTotal: undefined, votesCount: undefined, ...proposal }, held)).toBe(share);
});

test.each([
  { why: "all but two", changes: {}, share: 7 / 9 },
  { why: "high: all", changes: { scoresTotal: 0, votesCount: 0 }, share: 1 },
  { why: "an empty link is known", changes: { discussion: "" }, share: 7 / 9 },
  { why: "a day counts", changes: { created: { atMs: 0, precision: "day" as const } }, share: 7 / 9 },
  { why: "one less", changes: { author: undefined }, share: 6 / 9 },
])("fields: $why", ({ changes, share }) => {
  expect(fieldsShareOf(sampleProposal("p", changes))).toBe(share);
});

test("half for the power fetched, half for the fields known, by weight", () => {
  const proposals = [
    sampleProposal("a", { endDaysAgo: 365, scoresTotal: 2, votesCount: 2 }),
    sampleProposal("b", { endDaysAgo: 0, scoresTotal: 2 }),
  ];
  const held = [sampleProposalVotes("a", [{ voter: 0 }, { voter: 1 }])];
  const measures = createDaoMeasurer(sampleDao({ proposals, held }), () => undefined).measureAt(T);
  expect(completenessPct(measures)).toBeCloseTo((100 * (0.5 * 1 + 1 * (0.5 * (8 / 9)))) / 1.5, 9);
  const none = createDaoMeasurer(sampleDao(), () => undefined).measureAt(T);
  expect(completenessPct(none)).toBeUndefined();
});

test("what was fetched is compared with what the source declares", () => {
  const proposals = [
    sampleProposal("a", { scoresTotal: 2, votesCount: 2 }),
    sampleProposal("b", { scoresTotal: 3, votesCount: 1 }),
    sampleProposal("c", { votesCount: 4 }),
    // Its votes are fetched when it has ended.
    sampleProposal("open", { votesCount: 4, end: { atMs: T + 1, precision: "second" } }),
    sampleProposal("d", { scoresTotal: 1 }),
  ];
  const two = [{ voter: 0 }, { voter: 1 }];
  const held = [
    sampleProposalVotes("a", two),
    sampleProposalVotes("b", two),
    sampleProposalVotes("d", [{ voter: 0, isPowerUnknown: true }]),
  ];
  expect(reconcile(sampleDao({ proposals, held }), T)).toStrictEqual({
    powerDiffers: ["b"],
    powerCompared: 2,
    votersDiffer: ["b"],
    votersCompared: 2,
    ballotsMissing: ["c"],
  });
});
