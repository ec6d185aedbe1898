import { z } from "zod";
import { DAY_MS } from "../../facts/days.ts";
import type { Moment } from "../../facts/proposal.ts";
import { RowError } from "./row-error.ts";

/** A number of JSON, Infinity included (`1e309`), so that it is refused as impossible and not as a wrong type. */
export const AnyNumber = z.custom<number>((value) => typeof value === "number");

const EVM = /^0x[0-9a-fA-F]{40}$/;
const STARKNET = /^0x[0-9a-fA-F]{64}$/;

/** A voter's or author's address in lower case: 40 hex digits, or the 64 of a Starknet one. Throws `RowError`. */
export function parseAddress(address: string, what: string): string {
  if (EVM.test(address) || STARKNET.test(address)) return address.toLowerCase();
  throw new RowError("ADDRESS_INVALID", `${what} is not 0x and 40 or 64 hex digits`);
}

/** An EVM address in lower case. Throws `RowError`. */
export function parseEvmAddress(address: string, what: string): string {
  if (EVM.test(address)) return address.toLowerCase();
  throw new RowError("ADDRESS_INVALID", `${what} is not 0x and 40 hex digits`);
}

/** `0x…`, `Qm…`, `bafk…` or a number of a contract: anything that needs no escaping anywhere. */
const ID = /^[0-9A-Za-z][0-9A-Za-z._:-]{0,127}$/;

/** Whether a text is such an id. */
export function isId(text: string): boolean {
  return ID.test(text);
}

/** The id of a proposal or vote as its source spells it. Throws `RowError` for one that nobody should have to quote. */
export function parseId(id: string, what: string): string {
  if (isId(id)) return id;
  throw new RowError("ID_INVALID", `${what} is not 1 to 128 letters, digits, dots, dashes, colons`);
}

/** Votes are no older than Ethereum; a time outside these years is a year, a block or milliseconds written as seconds. */
export const EARLIEST_S = Date.UTC(2015, 0, 1) / 1000;
/** See `EARLIEST_S`. */
export const LATEST_S = Date.UTC(2100, 0, 1) / 1000 - 1;

const Day = z.iso.date();

/** Whole seconds of a time that can be. Throws `RowError` TIME_IMPOSSIBLE. */
export function parseSeconds(seconds: number, what: string): number {
  if (Number.isInteger(seconds) && seconds >= EARLIEST_S && seconds <= LATEST_S) return seconds;
  throw new RowError("TIME_IMPOSSIBLE", `${what} is not in whole seconds of the years 2015 to 2099`);
}

/** Start (00:00:00.000Z) of a UTC day that exists, in seconds. Throws `RowError` TIME_IMPOSSIBLE. */
export function parseDay(day: string, what: string): number {
  if (Day.safeParse(day).success) return parseSeconds(Date.parse(`${day}T00:00:00.000Z`) / 1000, what);
  throw new RowError("TIME_IMPOSSIBLE", `${what} is not a day that exists, as YYYY-MM-DD`);
}

/** A moment given to the second or, without that, to the day: its start at 00:00:00.000Z, its end at 23:59:59.999Z. */
export function parseMoment(
  given: { readonly seconds: number | null | undefined; readonly day: string | null | undefined },
  what: string,
  edge: "start" | "end",
): Moment | undefined {
  if (given.seconds != null) {
    return { atMs: parseSeconds(given.seconds, what) * 1000, precision: "second" };
  }
  if (given.day == null) return undefined;
  const fromMs = parseDay(given.day, what) * 1000;
  return { atMs: edge === "start" ? fromMs : fromMs + DAY_MS - 1, precision: "day" };
}

/** Voting power, a sum of it or a quorum; `undefined` where absent. Throws `RowError` for what is negative or not finite. */
export function parsePower(power: number | null | undefined, what: string): number | undefined {
  if (power == null) return undefined;
  // `1e309` in JSON is Infinity here, and would be `null` wherever we wrote it down.
  if (Number.isFinite(power) && power >= 0) return power;
  throw new RowError("POWER_INVALID", `${what} is negative or not a finite number`);
}

/**
 * A list of texts, at most so many. Checked as one value: zod describes every wrong element of an array, and the
 * descriptions of a million of them fill the memory.
 */
export function textList(lengthMax = Infinity) {
  return z.custom<readonly string[]>(
    (value) =>
      Array.isArray(value) && value.length <= lengthMax && value.every((item) => typeof item === "string"),
  );
}

/** Reads JSON that we stored ourselves; `undefined` for any other text, that of an older program too. */
export function parseStored<Shape extends z.ZodType>(
  shape: Shape,
  text: string | undefined,
): z.output<Shape> | undefined {
  if (text === undefined) return undefined;
  try {
    return shape.safeParse(JSON.parse(text)).data;
  } catch {
    // What cannot be read is asked for again.
    return undefined;
  }
}
