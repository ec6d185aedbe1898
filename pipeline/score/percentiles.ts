import { invariant } from "../base/invariant.ts";

/** The value below which a share (0–1) of ascending values lies, interpolated linearly between neighbours. */
export function percentile(ascending: ArrayLike<number>, share: number): number {
  invariant(ascending.length > 0 && share >= 0 && share <= 1, "a percentile of nothing");
  const at = (ascending.length - 1) * share;
  const low = ascending[Math.floor(at)] ?? 0;
  const high = ascending[Math.ceil(at)] ?? low;
  return low + (high - low) * (at - Math.floor(at));
}

/** The smallest of ascending values that at least a share (0–1) of them do not exceed: always one of them. */
export function nearestRank(ascending: ArrayLike<number>, share: number): number {
  invariant(ascending.length > 0 && share >= 0 && share <= 1, "a rank in nothing");
  return ascending[Math.max(0, Math.ceil(share * ascending.length) - 1)] ?? 0;
}
