import { RowError } from "../upstream/row-error.ts";

/** A decimal number, exact: `digits` over ten to the power of `decimals`. */
export interface Decimal {
  readonly digits: bigint;
  readonly decimals: number;
}

/** No token has more decimals than 18 by much, and none more units than fit into 256 bits (78 digits). */
const DECIMAL = /^(\d{1,78})(?:\.(\d{1,30}))?$/;

/** Votes in whole tokens, as a list writes them. Throws `RowError` POWER_INVALID. */
export function parseDecimal(text: string, what: string): Decimal {
  const [, whole, fraction = ""] = DECIMAL.exec(text) ?? [];
  if (whole === undefined) {
    throw new RowError(
      "POWER_INVALID",
      `${what} is not a decimal number from 0 up with at most 30 digits after the point`,
    );
  }
  const significant = fraction.replace(/0+$/, "");
  return { digits: BigInt(whole + significant), decimals: significant.length };
}

/** The same number with more decimals, in the smallest unit of those. */
export function scaledTo({ digits, decimals }: Decimal, wanted: number): bigint {
  return digits * 10n ** BigInt(wanted - decimals);
}
