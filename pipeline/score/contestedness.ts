import type { Choice } from "../facts/ballot.ts";
import type { Proposal } from "../facts/proposal.ts";
import type { BallotVotes } from "./ballot-votes.ts";
import { sortedSum } from "./weighted-statistics.ts";

/** The part of one vote's power that goes to each option, or `undefined` where the choice does not say. */
function allocation(choice: Choice): readonly (readonly [option: number, part: number])[] | undefined {
  if (choice.kind === "single") return [[choice.option, 1]];
  if (choice.kind !== "weights") return undefined;
  const sum = choice.weights.reduce((total, [, weight]) => total + weight, 0);
  // Weights of nothing allocate nothing; dividing by them would make NaN of the whole ballot.
  if (!(sum > 0)) return [];
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
  // By choice first: votes come in ascending power, so these sums hang on no order of arrival; then by option, sorted.
  const { choiceIndexes, shares } = votes;
  const shareOfChoice = new Float64Array(votes.choices.length);
  const isChosen = new Uint8Array(votes.choices.length);
  // Once for every vote; a ballot's choices hold each that was voted for.
  for (let place = 0; place < choiceIndexes.length; place += 1) {
    const index = choiceIndexes[place] as number;
    shareOfChoice[index] = (shareOfChoice[index] as number) + (shares[place] as number);
    isChosen[index] = 1;
  }
  const sharesOfOption = new Map<number, number[]>();
  for (const [index, share] of shareOfChoice.entries()) {
    if (isChosen[index] === 0) continue;
    const parts = allocation(votes.choices[index] ?? { kind: "unreadable" });
    if (parts === undefined) return undefined;
    for (const [option, part] of parts) {
      const shares = sharesOfOption.get(option);
      if (shares === undefined) sharesOfOption.set(option, [share * part]);
      else shares.push(share * part);
    }
  }
  const sums = Float64Array.from([...sharesOfOption.values()].map(sortedSum)).sort();
  const total = sortedSum(sums);
  return total > 0 ? (sums.at(-1) ?? 0) / total : undefined;
}
