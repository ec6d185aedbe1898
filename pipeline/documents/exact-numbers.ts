import { invariant } from "../base/invariant.ts";
import { published } from "./rounded-score.ts";

/** Parts of a percent that a share is cut to before it becomes a double; 10^14 is still a whole number in one. */
const PERCENT_PARTS = 1_000_000_000_000n;

/** 100 · part / total of whole numbers, rounded once, at the end; 0 of 0 is 0. */
export function exactPercent(part: bigint, total: bigint): number {
  invariant(part >= 0n && part <= total, "a part is larger than its total");
  if (total === 0n) return 0;
  return published(Number((part * 100n * PERCENT_PARTS) / total) / Number(PERCENT_PARTS));
}

/** The double nearest to votes / 10^decimals: reading a decimal number rounds correctly, dividing two doubles would round twice. */
export function votesInUnits(votes: bigint, decimals: number): number {
  const digits = votes.toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  return Number(`${whole}.${digits.slice(digits.length - decimals)}`);
}
