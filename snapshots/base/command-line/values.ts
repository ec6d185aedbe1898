import { DAY_MS } from "../days.ts";
import { Failure } from "../failure.ts";

/** A kind of value that is written as text: in an option, an argument or a variable. */
export interface ValueKind<Value> {
  /** The value; `undefined` for any other text. */
  readonly parse: (text: string) => Value | undefined;
  /** What is wrong with another text, such as `is not a day`. */
  readonly wrong: string;
  readonly hint?: string | undefined;
}

export function badOption(message: string, hint?: string, cause?: unknown): Failure<"BAD_OPTION"> {
  return new Failure("BAD_OPTION", message, { hint, cause });
}

/** Parses the value of an option or a variable; throws `BAD_OPTION` with its name, never with the text: it may be a secret. */
export function parseValue<Value>(
  { parse, wrong, hint }: ValueKind<Value>,
  name: string,
  text: string,
): Value {
  const value = parse(text);
  if (value === undefined) throw badOption(`${name} ${wrong}`, hint);
  return value;
}

export const ANY_TEXT: ValueKind<string> = { parse: (text) => text, wrong: "" };

export function wholeNumber(min: number, max: number): ValueKind<number> {
  return {
    parse: (text) => inRange(/^(0|[1-9]\d{0,15})$/, text, min, max),
    wrong: `is not a whole number from ${min} to ${max}`,
  };
}

/** A number in plain digits, with at most six decimals. */
export function decimalNumber(min: number, max: number): ValueKind<number> {
  return {
    parse: (text) => inRange(/^\d{1,15}(\.\d{1,6})?$/, text, min, max),
    wrong: `is not a number from ${min} to ${max}`,
  };
}

function inRange(pattern: RegExp, text: string, min: number, max: number): number | undefined {
  const value = pattern.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
}

export function wordOf<Word extends string>(words: readonly Word[]): ValueKind<Word> {
  return {
    parse: (text) => words.find((word) => word === text),
    wrong: `is not one of ${words.join(", ")}`,
  };
}

const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: DAY_MS } as const;

/** A whole number and a unit, such as `24h`, in milliseconds. */
export function duration(
  units: readonly (keyof typeof UNITS_MS)[],
  maxMs: number,
): Pick<ValueKind<number>, "parse"> {
  return {
    parse(text) {
      const [, count, letter] = /^(0|[1-9]\d{0,6})([smhd])$/.exec(text) ?? [];
      const unit = units.find((unit) => unit === letter);
      const ms = unit === undefined ? Number.NaN : Number(count) * UNITS_MS[unit];
      return ms <= maxMs ? ms : undefined;
    },
  };
}

const DAY_TEXT = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT_TEXT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$/;

/** A day that exists, as `YYYY-MM-DD`. */
export const DAY: ValueKind<string> = {
  parse: (text) => (DAY_TEXT.test(text) && isReal(`${text}T00:00:00Z`) ? text : undefined),
  wrong: "is not a day (YYYY-MM-DD)",
};

/** A day, meaning its last millisecond, or a moment, both in UTC. */
export function momentOf(text: string): number | undefined {
  const moment = DAY_TEXT.test(text) ? `${text}T23:59:59.999Z` : text;
  return MOMENT_TEXT.test(moment) && isReal(moment) ? Date.parse(moment) : undefined;
}

/** Whether the moment exists; `Date` alone would roll February 30 and 24:00 over to the next day. */
function isReal(text: string): boolean {
  const atMs = Date.parse(text);
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(text.slice(0, 19));
}
