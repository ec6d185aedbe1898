import { invariant } from "../../base/invariant.ts";

/** Shannon entropy of shares in bits: 0 where one has all, log₂ n where n have equal shares. */
export function entropyBits(shares: Float64Array): number {
  invariant(shares.length > 0, "entropy of nobody's power");
  let bits = 0;
  for (const share of shares.slice().sort()) if (share > 0) bits -= share * Math.log2(share);
  return Math.max(0, bits);
}
