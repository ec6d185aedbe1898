import { RowError } from "./row-error.ts";

/** Voting power, a sum of it or a quorum; `undefined` where absent. Throws `RowError` for what is negative or not finite. */
export function parsePower(power: number | null | undefined, what: string): number | undefined {
  if (power == null) return undefined;
  // `1e309` in JSON is Infinity here, and would be `null` wherever we wrote it down.
  if (Number.isFinite(power) && power >= 0) return power;
  throw new RowError("POWER_INVALID", `${what} is negative or not a finite number`);
}
