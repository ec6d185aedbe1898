import { METHODOLOGY } from "./methodology.ts";

/** How likely a head that is there so often (π, 0–1) is seen at least once in five draws of proposals. */
export function seenInDraws(attendance: number): number {
  return 1 - (1 - attendance) ** METHODOLOGY.participation.rarefactionDraws;
}
