import type { Choice } from "../facts/ballot.ts";
import type { Proposal } from "../facts/proposal.ts";
import type { BallotVotes } from "./ballot-votes.ts";

/** The part of one vote's power that goes to each option, or `undefined` where the choice does not say. */
function allocation(choice: Choice): readonly (readonly [option: number, part: number])[] | undefined {
  if (choice.kind === "single") return [[choice.option, 1]];
  if (choice.kind !== "weights") return undefined;
  const sum = choice.weights.reduce((total, [, weight]) => total + weight, 0);
  return choice.weights.map(([option, weight]) => [option, weight / sum]);
}

/** Whether shares of options can be told: single choices by power, weights by allocated share; orders and approvals cannot. */
function isAllocated(proposal: Proposal, votes: BallotVotes): boolean {
  switch (proposal.votingType) {
    case "basic":
    case "single-choice":
    case "weighted":
    case "quadratic":
      return true;
    case undefined:
      return Array.from(votes.choiceIndexes).every((index) => votes.choices[index]?.kind === "single");
    default:
      return false;
  }
}

/** Share (0–1) of the power that went to the top choice; `undefined` where it cannot be told. */
export function topChoiceShare(proposal: Proposal, votes: BallotVotes): number | undefined {
  if (votes.shares === undefined || votes.voters.length === 0 || !isAllocated(proposal, votes))
    return undefined;
  const sums = new Map<number, number>();
  for (const [place, index] of votes.choiceIndexes.entries()) {
    const parts = allocation(votes.choices[index] ?? { kind: "unreadable" });
    if (parts === undefined) return undefined;
    for (const [option, part] of parts) {
      sums.set(option, (sums.get(option) ?? 0) + (votes.shares[place] ?? 0) * part);
    }
  }
  let total = 0;
  for (const sum of [...sums.values()].sort((a, b) => a - b)) total += sum;
  return total > 0 ? Math.max(...sums.values()) / total : undefined;
}
