import type { Proposal } from "../../facts/proposal.ts";
import { wholeTokens } from "./parse-values.ts";

/** The options of a vote on a chain. */
export const VOTE_OPTIONS = ["for", "against", "abstain"] as const;
export type VoteOption = (typeof VOTE_OPTIONS)[number];

/** Power in the token's smallest unit, by option; `other` is power whose option is not known. */
export type CastPower = Readonly<Record<VoteOption | "other", bigint>>;

export const NO_POWER: CastPower = { for: 0n, against: 0n, abstain: 0n, other: 0n };

export function sumOfPower(power: CastPower): bigint {
  return power.for + power.against + power.abstain + power.other;
}

/**
 * A quorum and the power that counts for it, in whole tokens. Both are unknown if it is not known which options count, or
 * what some power was cast for.
 */
export function quorumOf(
  amount: bigint | undefined,
  power: CastPower,
  options: readonly VoteOption[] | undefined,
  decimals: number,
): Pick<Proposal, "quorum" | "quorumPower"> {
  if (amount === undefined || options === undefined || power.other > 0n) {
    return { quorum: undefined, quorumPower: undefined };
  }
  const counted = options.reduce((sum, option) => sum + power[option], 0n);
  return { quorum: wholeTokens(amount, decimals), quorumPower: wholeTokens(counted, decimals) };
}
