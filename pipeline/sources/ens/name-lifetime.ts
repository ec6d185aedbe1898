import type { CachedName } from "../../facts/name-cache.ts";

const DAY_MS = 86_400_000;

/** A name can be sold or pointed elsewhere at any time: half a week is what we may be wrong for. Our judgement. */
const NAME_LIFETIME_MS = 3.5 * DAY_MS;

/** Most addresses have no name and never get one: asking a fortnight later is soon enough. Our judgement. */
const NO_NAME_LIFETIME_MS = 14 * DAY_MS;

/** Whether ENS can know an address at all: a lower-case one of Ethereum's form, and none of Starknet's. */
export function isEvmAddress(address: string): boolean {
  return /^0x[0-9a-f]{40}$/.test(address);
}

/** Whether what was found out is still good; a moment that lies ahead is a clock set back, and not good. */
export function isNameFresh(entry: CachedName, nowMs: number): boolean {
  const ageMs = nowMs - entry.checkedAtMs;
  return ageMs >= 0 && ageMs < (entry.name === undefined ? NO_NAME_LIFETIME_MS : NAME_LIFETIME_MS);
}
