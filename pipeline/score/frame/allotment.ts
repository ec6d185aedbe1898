import type { VotingType } from "../../facts/proposal.ts";
import type { Choice, ProposalVotes } from "../../facts/proposal-votes.ts";
import { METHODOLOGY } from "../method/methodology.ts";
import { onGrid, sortedSum } from "../method/statistics.ts";

/** The options that a choice names, ascending, and the part (0–1) of the vote that each gets. */
export type Allotment = readonly (readonly [option: number, part: number])[];

/** A list gives the same to each of its options; a choice that names none allots nothing. */
export function allotmentOf(choice: Choice): Allotment {
  switch (choice.kind) {
    case "single":
      return [[choice.option, 1]];
    case "list":
      return [...choice.options]
        .sort((a, b) => a - b)
        .map((option) => [option, 1 / choice.options.length] as const);
    case "weights": {
      const weights = choice.weights.filter(([, weight]) => weight > 0).sort(([a], [b]) => a - b);
      const sum = weights.reduce((total, [, weight]) => total + weight, 0);
      return weights.map(([option, weight]) => [option, weight / sum] as const);
    }
    case "unreadable":
      return [];
  }
}

/** The option that means abstention, where the voting type says so. */
export function abstentionOption(votingType: VotingType | undefined): number | undefined {
  const isNamed = votingType === "basic" || votingType === "fractional";
  return isNamed ? METHODOLOGY.deliberation.abstentionOption : undefined;
}

/** By index of a choice: its share of the power of a proposal's valid votes, and 1 if any of them made it. */
export interface ChoiceShares {
  readonly shares: Float64Array;
  readonly isChosen: Uint8Array;
}

export function sharesOfChoices(
  { choices, choiceIndexes }: ProposalVotes,
  rows: Int32Array,
  shareOfVote: Float64Array,
): ChoiceShares {
  const shares = new Float64Array(choices.length);
  const isChosen = new Uint8Array(choices.length);
  // Runs for every vote; all indexes exist. On a grid, so that the sums do not depend on the order of the votes.
  for (let position = 0; position < rows.length; position += 1) {
    const index = choiceIndexes[rows[position] as number] as number;
    shares[index] = (shares[index] as number) + onGrid(shareOfVote[position] as number);
    isChosen[index] = 1;
  }
  return { shares, isChosen };
}

/** By option: the share of the power that the choices give to it. */
export function sharesOfOptions(
  choices: readonly Choice[],
  { shares, isChosen }: ChoiceShares,
): ReadonlyMap<number, number> {
  const parts = new Map<number, number[]>();
  choices.forEach((choice, index) => {
    if (isChosen[index] !== 1) return;
    for (const [option, part] of allotmentOf(choice)) {
      const share = (shares[index] as number) * part;
      const known = parts.get(option);
      if (known === undefined) parts.set(option, [share]);
      else known.push(share);
    }
  });
  return new Map([...parts].map(([option, all]) => [option, sortedSum(all)]));
}
