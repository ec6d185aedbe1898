import { availableParallelism } from "node:os";
import { Option } from "commander";
import { DAY_MS } from "../../../snapshots/base/days.ts";
import { pipelineFailure } from "../../facts/errors.ts";

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$/;

/** Years that sources may contain; a moment outside them is a typo. */
const YEARS = { first: "2015", last: "2099" } as const;

/** Whether the moment exists; `Date` alone would roll February 30 and 24:00 over to the next day. */
function isReal(text: string, atMs: number): boolean {
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(text.slice(0, 19).replace("Z", ""));
}

/** Parses `--as-of`: a UTC moment, or a day, meaning its end. Throws `BAD_OPTION`. */
export function parseAsOf(text: string): number {
  const atMs = DAY.test(text)
    ? Date.parse(`${text}T23:59:59.999Z`)
    : MOMENT.test(text)
      ? Date.parse(text)
      : Number.NaN;
  const year = text.slice(0, 4);
  if (!isReal(text, atMs) || year < YEARS.first || year > YEARS.last) {
    throw pipelineFailure(
      "BAD_OPTION",
      `--as-of "${text}" is not a moment from ${YEARS.first} to ${YEARS.last}`,
      {
        hint: "Write a day (2026-04-28, meaning its end) or a UTC moment (2026-04-28T23:59:59.999Z).",
      },
    );
  }
  return atMs;
}

/** Parses a day as `YYYY-MM-DD`. Throws `BAD_OPTION` with the option's name. */
export function parseDay(option: string, text: string): string {
  if (!DAY.test(text) || !isReal(text, Date.parse(`${text}T00:00:00.000Z`))) {
    throw pipelineFailure("BAD_OPTION", `${option} "${text}" is not a day (YYYY-MM-DD)`);
  }
  return text;
}

/** Parses a whole number in a range. Throws `BAD_OPTION` with the option's name. */
export function parseWhole(option: string, text: string, from: number, to: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= from && value <= to)) {
    throw pipelineFailure("BAD_OPTION", `${option} "${text}" is not a whole number from ${from} to ${to}`);
  }
  return value;
}

/** Parses a number in a range. Throws `BAD_OPTION` with the option's name. */
export function parseNumber(option: string, text: string, from: number, to: number): number {
  const value = /^\d{1,4}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= from && value <= to) return value;
  throw pipelineFailure("BAD_OPTION", `${option} "${text}" is not a number from ${from} to ${to}`);
}

/** Parses one of several words. Throws `BAD_OPTION` with the option's name and the words. */
export function parseWord<Word extends string>(option: string, text: string, words: readonly Word[]): Word {
  const word = words.find((candidate) => candidate === text);
  if (word === undefined) {
    throw pipelineFailure("BAD_OPTION", `${option} "${text}" is not one of ${words.join(", ")}`);
  }
  return word;
}

/** Parses an age in days, such as `400d`. Throws `BAD_OPTION` with the option's name. */
export function parseAgeDays(option: string, text: string): number {
  const days = /^(?<days>\d{1,5})d$/.exec(text)?.groups?.["days"];
  if (days !== undefined) return Number(days);
  throw pipelineFailure("BAD_OPTION", `${option} "${text}" is not an age in days, such as 400d`);
}

/** `--as-of` as commander parses it. */
export interface AsOfFlags {
  readonly asOf?: string;
}

/** The option for the moment to score. */
export function asOfOption(): Option {
  const description = "score as of the end of a day or a UTC moment (default: now)";
  return new Option("--as-of <moment>", description).env("GOVDATA_AS_OF");
}

/** Parses `--as-of`; throws `BAD_OPTION`. */
export function asOfMsOf(flags: AsOfFlags, nowMs: () => number): number {
  const now = nowMs();
  const asOfMs = flags.asOf === undefined ? now : parseAsOf(flags.asOf);
  if (asOfMs <= now) return asOfMs;
  throw pipelineFailure("BAD_OPTION", `--as-of ${flags.asOf} is in the future`, {
    hint: `There are no data of it yet. The last day that has ended is ${new Date(now - DAY_MS).toISOString().slice(0, 10)}.`,
  });
}

/** The option for the gates to override. */
export function allowOption(description: string, gates: readonly string[]): Option {
  return new Option("--allow <gates...>", description).choices(gates).default([]);
}

/** The option for public keys. */
export function publicKeyOption(description: string): Option {
  return new Option("--public-key <keys>", `${description} (separated by commas)`).env("GOVDATA_PUBLIC_KEY");
}

/** Parses `--max-age`, in hours; throws `BAD_OPTION`. */
export function maxAgeHoursOf({ maxAge }: { readonly maxAge?: string }): number | undefined {
  return maxAge === undefined ? undefined : parseWhole("--max-age", maxAge, 1, 100_000);
}

/** More threads would only wait for the single writer. */
const THREADS_MAX = 16;

/** Threads need compiled code: from source, as in our tests, there are none unless requested. */
const IS_COMPILED = import.meta.url.endsWith(".js");

/** The option of commands that read or score many DAOs. */
export function threadsOption(): Option {
  const description =
    "threads for reading archives and scoring; 0 uses the main thread (default: one per core)";
  return new Option("--threads <n>", description).env("GOVDATA_THREADS");
}

/** The requested number of threads, by default the number of cores. Throws `BAD_OPTION`. */
export function threadsOf(given: string | undefined): number {
  if (given !== undefined) return parseWhole("--threads", given, 0, THREADS_MAX);
  return IS_COMPILED ? Math.min(availableParallelism(), THREADS_MAX) : 0;
}
