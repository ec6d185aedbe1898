import { DAY_MS } from "../../snapshots/base/days.ts";
import { dayEndMs, IsoDate } from "../../snapshots/format/ids.ts";
import { ACCESS_TIERS, type AccessTier } from "../../snapshots/format/value-sets.ts";
import type { AccountTerms } from "../keys/account-book.ts";
import { usage, wholeNumber } from "../settings.ts";

/** More than any real use, and far below where counting becomes inexact. */
export const DAILY_LIMIT_MAX = 1_000_000_000;

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: DAY_MS };
const GRACE_MAX_MS = 366 * DAY_MS;

/** Tier and limit from the command line. `default` removes an account's own limit. */
export function parseTerms(options: { tier?: string; dailyLimit?: string }): AccountTerms {
  const { tier, dailyLimit } = options;
  return {
    ...(tier === undefined ? {} : { tier: parseTier(tier) }),
    ...(dailyLimit === undefined ? {} : { dailyLimit: parseDailyLimit(dailyLimit) }),
  };
}

function parseTier(text: string): AccessTier {
  const tier = ACCESS_TIERS.find((known) => known === text);
  if (tier !== undefined) return tier;
  throw usage("--tier is not a tier.", `Use one of ${ACCESS_TIERS.join(", ")}.`);
}

function parseDailyLimit(text: string): number | null {
  if (text === "default") return null;
  return wholeNumber(text, { name: "--daily-limit", min: 1, max: DAILY_LIMIT_MAX });
}

/** Parses the expiry of a key: a date means its end (UTC), a time is exact. Throws if it has passed. */
export function parseExpiry(text: string, nowMs: number): number {
  const isMoment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?Z$/.test(text);
  const isDay = IsoDate.safeParse(text.slice(0, 10)).success;
  const atMs = isMoment ? Date.parse(text) : dayEndMs(text) + 1;
  if (!isDay || !Number.isFinite(atMs)) {
    throw usage("--expires is not a date.", "Use YYYY-MM-DD, or a timestamp such as 2027-01-31T12:00:00Z.");
  }
  if (atMs <= nowMs) throw usage("--expires is in the past.", "Use a later day, or omit it.");
  return atMs;
}

/** Parses how long a rotated key still works: an integer and a unit; `0s` ends it at once. */
export function parseGrace(text: string): number {
  const [, count, unit] = /^(0|[1-9][0-9]{0,6})([smhd])$/.exec(text) ?? [];
  const graceMs = Number(count) * (UNIT_MS[unit ?? ""] ?? Number.NaN);
  if (graceMs <= GRACE_MAX_MS) return graceMs;
  throw usage("--grace is not a duration of at most 366 days.", "For example: 24h, 30m, 7d, 0s");
}
