import { expect, test } from "vitest";
import type { VotingType } from "../../../../pipeline/facts/proposal.ts";
import type { Choice } from "../../../../pipeline/facts/proposal-votes.ts";
import { topChoiceShare } from "../../../../pipeline/score/components/deliberation.ts";
import { type SampleVote, sampleProposal, sampleVotes } from "../sample-facts.ts";

const weights = (...pairs: readonly (readonly [number, number])[]): Choice => ({
  kind: "weights",
  weights: pairs,
});
const list: Choice = { kind: "list", options: [1, 2] };
const vote = (voter: number, power: number, choice: number | Choice): SampleVote => ({
  voter,
  power,
  choice,
});

test.each<{ why: string; type: VotingType | undefined; votes: SampleVote[]; share: number | undefined }>([
  { why: "unanimous", type: "basic", votes: [vote(0, 2, 1), vote(1, 3, 1)], share: 1 },
  {
    why: "by power, not by heads",
    type: "single-choice",
    votes: [vote(0, 1, 1), vote(1, 1, 1), vote(2, 6, 2)],
    share: 0.75,
  },
  {
    why: "the type is unknown, choices are whole numbers",
    type: undefined,
    votes: [vote(0, 1, 1), vote(1, 3, 2)],
    share: 0.75,
  },
  {
    why: "gap: the type is unknown, one choice is a list",
    type: undefined,
    votes: [vote(0, 1, 1), vote(1, 3, list)],
    share: undefined,
  },
  {
    why: "weighted: by allocated share",
    type: "weighted",
    votes: [vote(0, 3, weights([1, 1], [2, 2])), vote(1, 1, weights([1, 50]))],
    share: 0.5,
  },
  { why: "quadratic likewise", type: "quadratic", votes: [vote(0, 4, weights([1, 3], [2, 1]))], share: 0.75 },
  {
    why: "weights of nothing allocate nothing, and make no NaN",
    type: "weighted",
    votes: [vote(0, 4, weights([1, 0])), vote(1, 1, weights([2, 1], [1, 1]))],
    share: 0.5,
  },
  {
    why: "gap: nobody allocates anything",
    type: "weighted",
    votes: [vote(0, 4, weights([1, 0]))],
    share: undefined,
  },
  { why: "gap: approval", type: "approval", votes: [vote(0, 1, list)], share: undefined },
  {
    why: "gap: approval of one",
    type: "approval",
    votes: [vote(0, 1, { kind: "list", options: [1] })],
    share: undefined,
  },
  { why: "gap: ranked", type: "ranked-choice", votes: [vote(0, 1, list)], share: undefined },
  { why: "gap: copeland", type: "copeland", votes: [vote(0, 1, list)], share: undefined },
  { why: "gap: a word we do not know", type: "unknown", votes: [vote(0, 1, 1)], share: undefined },
  { why: "gap: nobody", type: "basic", votes: [], share: undefined },
  { why: "gap: power unknown", type: "basic", votes: [{ voter: 0, isPowerUnknown: true }], share: undefined },
])("$why", ({ type, votes, share }) => {
  const found = topChoiceShare(sampleProposal("p", { votingType: type }), sampleVotes(votes));
  if (share === undefined) expect(found).toBeUndefined();
  else expect(found).toBeCloseTo(share, 12);
});

test("other voter numbers change no bit, in a ballot of equal powers and uneven weights", () => {
  const choices = [
    weights([1, 1], [2, 2]),
    weights([1, 1]),
    weights([1, 3], [2, 7], [3, 1]),
    weights([2, 0.1], [3, 0.7]),
  ];
  const votes = Array.from({ length: 40 }, (_, voter) => vote(voter, 1 / 3, choices[voter % 4] ?? 1));
  const proposal = sampleProposal("p", { votingType: "weighted" });
  const share = topChoiceShare(proposal, sampleVotes(votes));
  for (let shift = 1; shift < 40; shift += 1) {
    const renumbered = votes.map((item) => ({ ...item, voter: (item.voter * 7 + shift) % 40 }));
    expect(topChoiceShare(proposal, sampleVotes(renumbered))).toBe(share);
  }
});
