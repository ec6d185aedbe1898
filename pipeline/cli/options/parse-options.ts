import { Option } from "commander";
import type { Environment } from "../../../snapshots/base/command-line/settings.ts";
import {
  badOption,
  DAY,
  decimalNumber,
  duration,
  momentOf,
  parseValue,
  wholeNumber,
} from "../../../snapshots/base/command-line/values.ts";
import { DAY_MS } from "../../../snapshots/base/days.ts";
import { dayOf } from "../../../snapshots/format/ids.ts";
import { SETTINGS } from "./settings.ts";

/** Years that sources may contain; a moment outside them is a typo. */
const YEARS = { first: "2015", last: "2099" } as const;

const AS_OF = {
  parse(text: string) {
    const year = text.slice(0, 4);
    return year < YEARS.first || year > YEARS.last ? undefined : momentOf(text);
  },
  wrong: `is not a moment from ${YEARS.first} to ${YEARS.last}`,
  hint: "Write a day (2026-04-28, meaning its end) or a UTC moment (2026-04-28T23:59:59.999Z).",
};

/** Parses `--as-of`: a UTC moment, or a day, meaning its end, but not in the future. Throws `BAD_OPTION`. */
export function parseAsOf(text: string, nowMs: number): number {
  const asOfMs = parseValue(AS_OF, "--as-of", text);
  if (asOfMs <= nowMs) return asOfMs;
  const last = dayOf(nowMs - DAY_MS);
  throw badOption(
    "--as-of is in the future",
    `There are no data of it yet. The last day that has ended is ${last}.`,
  );
}

export interface AsOfFlags {
  readonly asOf?: string;
}

/** The moment to score, by default now. Throws `BAD_OPTION`. */
export function asOfMsOf(
  flags: AsOfFlags,
  { nowMs, environment }: { readonly nowMs: () => number; readonly environment: Environment },
): number {
  const text = SETTINGS.read("GOVDATA_AS_OF", environment, flags.asOf);
  return text === undefined ? nowMs() : parseAsOf(text, nowMs());
}

export const parseDay = (option: string, text: string): string => parseValue(DAY, option, text);

export const parseWhole = (option: string, text: string, min: number, max: number): number =>
  parseValue(wholeNumber(min, max), option, text);

export const parseNumber = (option: string, text: string, min: number, max: number): number =>
  parseValue(decimalNumber(min, max), option, text);

/** Parses an age in days, such as `400d`. Throws `BAD_OPTION` with the option's name. */
export function parseAgeDays(option: string, text: string): number {
  const age = { ...duration(["d"], 99_999 * DAY_MS), wrong: "is not an age in days, such as 400d" };
  return parseValue(age, option, text) / DAY_MS;
}

export function allowOption(description: string, gates: readonly string[]): Option {
  return new Option("--allow <gates...>", description).choices(gates).default([]);
}

export function maxAgeHoursOf({ maxAge }: { readonly maxAge?: string }): number | undefined {
  return maxAge === undefined ? undefined : parseWhole("--max-age", maxAge, 1, 100_000);
}
