import {
  badOption,
  duration,
  momentOf,
  parseValue,
  wholeNumber,
  wordOf,
} from "../../snapshots/base/command-line/values.ts";
import { DAY_MS } from "../../snapshots/base/days.ts";
import { ACCESS_TIERS } from "../../snapshots/format/value-sets.ts";
import type { AccountTerms } from "../keys/account-book.ts";

/** Up to more than any real use, and far below where counting becomes inexact. */
const COUNT_MAX = 1_000_000_000;

/** Tier and limit from the command line. `default` removes an account's own limit. */
export function parseTerms(options: { tier?: string; dailyLimit?: string }): AccountTerms {
  const { tier, dailyLimit: limit } = options;
  return {
    ...(tier === undefined ? {} : { tier: parseValue(wordOf(ACCESS_TIERS), "--tier", tier) }),
    ...(limit === undefined
      ? {}
      : {
          dailyLimit:
            limit === "default" ? null : parseValue(wholeNumber(1, COUNT_MAX), "--daily-limit", limit),
        }),
  };
}

/** The count that a day is set to. */
export function parseUsed(text: string): number {
  return parseValue(wholeNumber(0, COUNT_MAX), "--set", text);
}

const EXPIRY = {
  parse: (text: string) => momentOf(text),
  wrong: "is not a date",
  hint: "Use YYYY-MM-DD, or a timestamp such as 2027-01-31T12:00:00Z.",
};

/** Parses the expiry of a key: a date means its end (UTC), a time is exact. Throws if it has passed. */
export function parseExpiry(text: string, nowMs: number): number {
  const moment = parseValue(EXPIRY, "--expires", text);
  const atMs = text.includes("T") ? moment : moment + 1;
  if (atMs <= nowMs) throw badOption("--expires is in the past", "Use a later day, or omit it.");
  return atMs;
}

const GRACE = {
  ...duration(["s", "m", "h", "d"], 366 * DAY_MS),
  wrong: "is not a duration of at most 366 days",
  hint: "For example: 24h, 30m, 7d, 0s",
};

/** How long a rotated key still works; `0s` ends it at once. */
export const parseGrace = (text: string): number => parseValue(GRACE, "--grace", text);
