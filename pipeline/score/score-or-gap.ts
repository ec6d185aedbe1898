/** Why something could not be computed. */
export const GAP_REASONS = [
  "NOT_FETCHED",
  "NO_PROPOSALS",
  "BALLOTS_MISSING",
  "NO_VOTERS",
  "POWER_UNKNOWN",
  "DELIBERATION_UNKNOWN",
  "PROCESS_UNKNOWN",
  "COMPONENT_GAP",
  "ACTIVE_VOTERS_UNKNOWN",
] as const;
export type GapReason = (typeof GAP_REASONS)[number];

/** A score in points (0–10, risk 0–100), or the reason why there is none. Absent is not zero. */
export type ScoreOrGap =
  | { readonly kind: "score"; readonly points: number }
  | { readonly kind: "gap"; readonly reason: GapReason };

/** A score of so many points. */
export function points(value: number): ScoreOrGap {
  return { kind: "score", points: value };
}

/** No score, and why. */
export function gap(reason: GapReason): ScoreOrGap & { readonly kind: "gap" } {
  return { kind: "gap", reason };
}
