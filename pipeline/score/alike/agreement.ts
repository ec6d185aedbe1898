import type { VotingType } from "../../facts/proposal.ts";
import type { Choice } from "../../facts/proposal-votes.ts";
import {
  type Allotment,
  abstentionOption,
  allotmentOf,
  type ChoiceShares,
  sharesOfOptions,
} from "../frame/allotment.ts";
import { sortedSum } from "../method/statistics.ts";

/** How far (0–1) two choices of a ballot agree, by their indexes; symmetrical, and 1 for a choice and itself. */
export type Agreement = (one: number, other: number) => number;

/** What two choices give to the same options, and the number of options that both name. */
function shared(one: Allotment, other: Allotment): { readonly part: number; readonly count: number } {
  let [index, otherAt, part, count] = [0, 0, 0, 0];
  while (index < one.length && otherAt < other.length) {
    const [option, share] = one[index] as Allotment[number];
    const [otherOption, others] = other[otherAt] as Allotment[number];
    if (option === otherOption) {
      part += Math.min(share, others);
      count += 1;
    }
    if (option <= otherOption) index += 1;
    if (otherOption <= option) otherAt += 1;
  }
  return { part, count };
}

function ofApprovals(one: Allotment, other: Allotment): number {
  const { count } = shared(one, other);
  return count / (one.length + other.length - count);
}

const firstOf = (choice: Choice | undefined): number | undefined =>
  choice?.kind === "list" ? choice.options[0] : undefined;

/**
 * Divides what abstains among the sides as the power of the other votes is. Otherwise the largest voter could make itself
 * unlike all others by abstaining in place of following. Where nobody takes a side abstentions stay what they are.
 */
function withoutAbstention(
  choices: readonly Choice[],
  allotments: readonly Allotment[],
  abstained: number,
  chosen: ChoiceShares,
): readonly Allotment[] {
  const sides = [...sharesOfOptions(choices, chosen)].filter(
    ([option, share]) => option !== abstained && share > 0,
  );
  const whole = sortedSum(sides.map(([, share]) => share));
  if (whole === 0) return allotments;
  return allotments.map((allotment, index) => {
    const part = allotment.find(([option]) => option === abstained)?.[1];
    if (part === undefined || choices[index]?.kind === "list") return allotment;
    const parts = new Map(allotment);
    parts.delete(abstained);
    for (const [option, share] of sides) parts.set(option, (parts.get(option) ?? 0) + (part * share) / whole);
    return [...parts].sort(([a], [b]) => a - b);
  });
}

/**
 * How far the choices of a ballot agree: weights by what they give to the same options, approvals by shared over named
 * options, orders by their first option. Otherwise a voter could be many wallets that vote for the same with other
 * weights. Lists of an unknown voting type may be either, and agree as far as either allows. An abstention agrees with a
 * side by that side's part of the power for any side. `undefined` if two choices agree wholly or not at all, which is so
 * if every choice names one side.
 */
export function agreementOf(
  choices: readonly Choice[],
  votingType: VotingType | undefined,
  chosen: ChoiceShares,
): Agreement | undefined {
  const abstained = abstentionOption(votingType);
  const isWhole = ({ kind }: Choice): boolean => kind === "single" || kind === "unreadable";
  const isAbstention = (choice: Choice, index: number): boolean =>
    chosen.isChosen[index] === 1 && choice.kind === "single" && choice.option === abstained;
  if (choices.every(isWhole) && !choices.some(isAbstention)) return undefined;
  const named = choices.map(allotmentOf);
  const allotments = abstained === undefined ? named : withoutAbstention(choices, named, abstained, chosen);
  const isList = choices.map(({ kind }) => kind === "list");
  const ofLists = (index: number, otherIndex: number, one: Allotment, other: Allotment): number => {
    if (votingType === "approval") return ofApprovals(one, other);
    const byFirst = firstOf(choices[index]) === firstOf(choices[otherIndex]) ? 1 : 0;
    if (votingType === "ranked-choice" || votingType === "copeland") return byFirst;
    return Math.max(byFirst, ofApprovals(one, other));
  };
  return (index, otherIndex) => {
    if (index === otherIndex) return 1;
    const [one, other] = [allotments[index], allotments[otherIndex]];
    if (one === undefined || other === undefined) return 0;
    if (isList[index] && isList[otherIndex]) return ofLists(index, otherIndex, one, other);
    // Parts that sum to 1 may do so but for rounding.
    return Math.min(1, shared(one, other).part);
  };
}
