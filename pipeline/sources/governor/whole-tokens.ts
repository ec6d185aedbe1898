import { RowError } from "../upstream/row-error.ts";

/** An amount of the smallest unit in whole tokens, the nearest double to it. Throws `RowError` POWER_INVALID past all doubles. */
export function wholeTokens(amount: bigint, decimals: number): number {
  const tokens = Number(`${amount}e-${decimals}`);
  if (Number.isFinite(tokens) && tokens >= 0) return tokens;
  throw new RowError("POWER_INVALID", "an amount is negative or past every number");
}
