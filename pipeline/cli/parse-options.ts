import { PipelineError } from "../base/pipeline-error.ts";

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$/;

/** Whether the calendar has this day; `Date` alone would roll February 30 over into March. */
function isRealDay(day: string): boolean {
  const atMs = Date.parse(`${day}T00:00:00.000Z`);
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(day);
}

/** `--as-of`: a moment in UTC, or a day, which stands for its end. Throws `PipelineError` BAD_OPTION. */
export function parseAsOf(text: string): number {
  const atMs = DAY.test(text)
    ? Date.parse(`${text}T23:59:59.999Z`)
    : MOMENT.test(text)
      ? Date.parse(text)
      : Number.NaN;
  if (Number.isNaN(atMs) || !isRealDay(text.slice(0, 10))) {
    throw new PipelineError("BAD_OPTION", `--as-of ${text} is not a moment`, {
      hint: "Write a day (2026-04-28, its end is meant) or a UTC moment (2026-04-28T23:59:59.999Z).",
    });
  }
  return atMs;
}

/** A whole number in a range. Throws `PipelineError` BAD_OPTION naming the option. */
export function parseWhole(option: string, text: string, from: number, to: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= from && value <= to)) {
    throw new PipelineError("BAD_OPTION", `${option} ${text} is not a whole number from ${from} to ${to}`);
  }
  return value;
}

/** One of a few words. Throws `PipelineError` BAD_OPTION naming the option and the words. */
export function parseWord<Word extends string>(option: string, text: string, words: readonly Word[]): Word {
  const word = words.find((candidate) => candidate === text);
  if (word === undefined) {
    throw new PipelineError("BAD_OPTION", `${option} ${text} is not one of ${words.join(", ")}`);
  }
  return word;
}
