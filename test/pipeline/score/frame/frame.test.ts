import { expect, test } from "vitest";
import type { Proposal } from "../../../../pipeline/facts/proposal.ts";
import { createFrameWindow, selectFrame } from "../../../../pipeline/score/frame/frame.ts";
import { DAY, sampleProposal, T } from "../sample-facts.ts";

const powerOf = ({ scoresTotal }: Proposal): number | undefined => scoresTotal;
const unjudged = () => new Map<string, number>();
const proposals = [
  sampleProposal("old", { endDaysAgo: 730, scoresTotal: 100 }),
  sampleProposal("edge", { endDaysAgo: 729.99, scoresTotal: 100 }),
  sampleProposal("junk", { endDaysAgo: 10, scoresTotal: 1 }),
  sampleProposal("flagged", { endDaysAgo: 9, scoresTotal: 100, isFlagged: true }),
  sampleProposal("unknown", { endDaysAgo: 8 }),
  sampleProposal("open", { endDaysAgo: -1, scoresTotal: 100 }),
];

test("every proposal is in the frame or says why not", () => {
  const { members, excluded, eligibleCount } = selectFrame(proposals, powerOf, unjudged, T);
  expect(
    members.map(({ proposal, attention, scale }) => [proposal.proposalId, attention, scale]),
  ).toStrictEqual([
    ["edge", 1, 100],
    ["unknown", 1, 100],
  ]);
  expect(new Map(excluded.map(({ proposalId, reason }) => [proposalId, reason]))).toStrictEqual(
    new Map([
      ["old", "TOO_OLD"],
      ["flagged", "FLAGGED"],
      ["open", "NOT_ENDED"],
      ["junk", "IGNORED"],
    ]),
  );
  expect(eligibleCount).toBe(3);
});

test("one moment after another, forwards and back, is each alone, and the same object between turns", () => {
  const frameAt = createFrameWindow(proposals, powerOf, unjudged);
  for (const daysAgo of [1000, 731, 730, 729, 20, 10, 9.5, 8, 0, -1, -2, -800, 10])
    expect(frameAt(T - daysAgo * DAY)).toStrictEqual(
      selectFrame(proposals, powerOf, unjudged, T - daysAgo * DAY),
    );
  expect(frameAt(T - 7 * DAY)).toBe(frameAt(T - DAY));
});
