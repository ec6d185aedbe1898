import type { VotingType } from "../../facts/proposal.ts";
import type { Choice } from "../../facts/proposal-votes.ts";

/** How far (0–1) two choices of a ballot agree, by their indexes; symmetrical, and 1 for a choice and itself. */
export type Agreement = (one: number, other: number) => number;

/** The options that a choice names, ascending, and the part of the vote that each gets. */
interface Allocation {
  readonly options: readonly number[];
  readonly parts: readonly number[];
  /** The preferred option of an order. */
  readonly first: number | undefined;
}

function allocationOf(choice: Choice): Allocation {
  switch (choice.kind) {
    case "single":
      return { options: [choice.option], parts: [1], first: choice.option };
    case "list": {
      const options = [...choice.options].sort((a, b) => a - b);
      return { options, parts: options.map(() => 1 / options.length), first: choice.options[0] };
    }
    case "weights": {
      const weights = [...choice.weights].sort(([a], [b]) => a - b).filter(([, weight]) => weight > 0);
      const sum = weights.reduce((total, [, weight]) => total + weight, 0);
      return {
        options: weights.map(([option]) => option),
        parts: weights.map(([, weight]) => weight / sum),
        first: undefined,
      };
    }
    case "unreadable":
      return { options: [], parts: [], first: undefined };
  }
}

/** What two choices give to the same options, and the number of options that both name. */
function shared(one: Allocation, other: Allocation): { readonly part: number; readonly count: number } {
  let [at, otherAt, part, count] = [0, 0, 0, 0];
  while (at < one.options.length && otherAt < other.options.length) {
    const [option, otherOption] = [one.options[at] as number, other.options[otherAt] as number];
    if (option === otherOption) {
      part += Math.min(one.parts[at] as number, other.parts[otherAt] as number);
      count += 1;
    }
    if (option <= otherOption) at += 1;
    if (otherOption <= option) otherAt += 1;
  }
  return { part, count };
}

/** Shared over named options. */
function ofApprovals(one: Allocation, other: Allocation): number {
  const { count } = shared(one, other);
  return count / (one.options.length + other.options.length - count);
}

function ofOrders(one: Allocation, other: Allocation): number {
  return one.first === other.first ? 1 : 0;
}

/**
 * How far the choices of a ballot agree: weights by what they give to the same options, approvals by shared over named
 * options, orders by their first option. Otherwise a voter could be many wallets that vote for the same with other
 * weights. Lists of an unknown voting type may be either, and agree as far as either allows. `undefined` if every choice
 * names one option, so that two choices agree wholly or not at all.
 */
export function agreementOf(
  choices: readonly Choice[],
  votingType: VotingType | undefined,
): Agreement | undefined {
  if (choices.every(({ kind }) => kind === "single" || kind === "unreadable")) return undefined;
  const allocations = choices.map(allocationOf);
  const isList = choices.map(({ kind }) => kind === "list");
  const ofLists = (one: Allocation, other: Allocation): number => {
    if (votingType === "approval") return ofApprovals(one, other);
    const byFirst = ofOrders(one, other);
    if (votingType === "ranked-choice" || votingType === "copeland") return byFirst;
    return Math.max(byFirst, ofApprovals(one, other));
  };
  return (index, otherIndex) => {
    if (index === otherIndex) return 1;
    const [one, other] = [allocations[index], allocations[otherIndex]];
    if (one === undefined || other === undefined) return 0;
    if (isList[index] && isList[otherIndex]) return ofLists(one, other);
    // Parts that sum to 1 may do so but for rounding.
    return Math.min(1, shared(one, other).part);
  };
}
