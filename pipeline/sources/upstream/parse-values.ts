import { z } from "zod";
import { DAY_MS } from "../../../snapshots/base/days.ts";
import type { Moment, Proposal } from "../../facts/proposal.ts";
import { rowFailure } from "./row-error.ts";

/** A JSON number, also Infinity (`1e309`): that is an impossible value and not a wrong type. */
export const AnyNumber = z.custom<number>((value) => typeof value === "number");

const EVM = /^0x[0-9a-fA-F]{40}$/;
/** Sources write these with or without leading zeros. */
const STARKNET = /^0x[0-9a-fA-F]{41,64}$/;

/** An address in its one spelling: lower case, with 40 hex digits or, for Starknet, 64; `undefined` if it is none. */
export function addressOf(address: string): string | undefined {
  if (EVM.test(address)) return address.toLowerCase();
  return STARKNET.test(address) ? `0x${address.slice(2).toLowerCase().padStart(64, "0")}` : undefined;
}

/** The voters of rows, spelled as they are numbered; invalid addresses are left for the parser to reject. */
export function votersOf(rows: readonly unknown[]): readonly string[] {
  const voters = new Set<string>();
  for (const row of rows) {
    const voter = typeof row === "object" && row !== null && "voter" in row ? row.voter : undefined;
    const address = typeof voter === "string" ? addressOf(voter) : undefined;
    if (address !== undefined) voters.add(address);
  }
  return [...voters];
}

/** The address of a voter or author. Throws `RowFailure`. */
export function parseAddress(address: string, what: string): string {
  const spelled = addressOf(address);
  if (spelled !== undefined) return spelled;
  throw rowFailure("ADDRESS_INVALID", `${what} is not 0x and 40 to 64 hex digits`);
}

/** An EVM address in lower case. Throws `RowFailure`. */
export function parseEvmAddress(address: string, what: string): string {
  if (EVM.test(address)) return address.toLowerCase();
  throw rowFailure("ADDRESS_INVALID", `${what} is not 0x and 40 hex digits`);
}

/** `0x…`, `Qm…`, `bafk…` or a contract's number: characters that never need escaping. */
const ID = /^[0-9A-Za-z][0-9A-Za-z._:-]{0,127}$/;

export function isId(text: string): boolean {
  return ID.test(text);
}

/** The id of a proposal or vote as spelled. Throws `RowFailure` for characters that would need escaping. */
export function parseId(id: string, what: string): string {
  if (isId(id)) return id;
  throw rowFailure("ID_INVALID", `${what} is not 1 to 128 letters, digits, dots, dashes, colons`);
}

/** No vote is older than Ethereum. Times outside are years, blocks or milliseconds written as seconds. */
export const EARLIEST_S = Date.UTC(2015, 0, 1) / 1000;
/** See `EARLIEST_S`. */
export const LATEST_S = Date.UTC(2100, 0, 1) / 1000 - 1;

const Day = z.iso.date();

/** Checks a time in whole seconds. Throws `TIME_IMPOSSIBLE`. */
export function parseSeconds(seconds: number, what: string): number {
  if (Number.isInteger(seconds) && seconds >= EARLIEST_S && seconds <= LATEST_S) return seconds;
  throw rowFailure("TIME_IMPOSSIBLE", `${what} is not a time in whole seconds from 2015 to 2099`);
}

/** Start (00:00:00.000Z) of an existing UTC day, in seconds. Throws `TIME_IMPOSSIBLE`. */
export function parseDay(day: string, what: string): number {
  if (Day.safeParse(day).success) return parseSeconds(Date.parse(`${day}T00:00:00.000Z`) / 1000, what);
  throw rowFailure("TIME_IMPOSSIBLE", `${what} is not an existing day as YYYY-MM-DD`);
}

/** A moment to the second or, of a known day, its start 00:00:00.000Z or its end 23:59:59.999Z. */
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

/** Whether a number can be a power. `1e309` in JSON is Infinity here, and would become `null` in our JSON. */
export function isPossiblePower(power: number): boolean {
  return Number.isFinite(power) && power >= 0;
}

/** Voting power, a sum or a quorum; `undefined` if absent. Throws `RowFailure` if negative or infinite. */
export function parsePower(power: number | null | undefined, what: string): number | undefined {
  if (power == null) return undefined;
  if (isPossiblePower(power)) return power;
  throw rowFailure("POWER_INVALID", `${what} is negative or not a finite number`);
}

/** An amount of the smallest unit in whole tokens, as the nearest double. Throws `RowFailure` if that is infinite. */
export function wholeTokens(amount: bigint, decimals: number): number {
  const tokens = Number(`${amount}e-${decimals}`);
  if (Number.isFinite(tokens) && tokens >= 0) return tokens;
  throw rowFailure("POWER_INVALID", "an amount is negative or too large");
}

/**
 * A list of texts with a maximum length. Checked as one value, because zod describes every invalid element,
 * and a million descriptions fill the memory.
 */
export function textList(lengthMax = Infinity) {
  return z.custom<readonly string[]>(
    (value) =>
      Array.isArray(value) && value.length <= lengthMax && value.every((item) => typeof item === "string"),
  );
}

/** Parses JSON that we stored ourselves; `undefined` if it is invalid, for example from an older version. */
export function parseStored<Shape extends z.ZodType>(
  shape: Shape,
  text: string | undefined,
): z.output<Shape> | undefined {
  if (text === undefined) return undefined;
  try {
    return shape.safeParse(JSON.parse(text)).data;
  } catch {
    // Unreadable data is fetched again.
    return undefined;
  }
}

export const VOTE_OPTIONS = ["for", "against", "abstain"] as const;
export type VoteOption = (typeof VOTE_OPTIONS)[number];

/** Power in the token's smallest unit, by option; `other` is power whose option is not known. */
export type CastPower = Readonly<Record<VoteOption | "other", bigint>>;

export const NO_POWER: CastPower = { for: 0n, against: 0n, abstain: 0n, other: 0n };

export function sumOfPower(power: CastPower): bigint {
  return power.for + power.against + power.abstain + power.other;
}

/**
 * A quorum and the power that counts for it, in whole tokens. Both are unknown if it is not known which options count, or
 * what some power was cast for.
 */
export function quorumOf(
  amount: bigint | undefined,
  power: CastPower,
  options: readonly VoteOption[] | undefined,
  decimals: number,
): Pick<Proposal, "quorum" | "quorumPower"> {
  if (amount === undefined || options === undefined || power.other > 0n) {
    return { quorum: undefined, quorumPower: undefined };
  }
  const counted = options.reduce((sum, option) => sum + power[option], 0n);
  return { quorum: wholeTokens(amount, decimals), quorumPower: wholeTokens(counted, decimals) };
}

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

/** Limits for a JSON text, checked before parsing. */
interface JsonLimits {
  /** Later code walks values recursively. */
  readonly depthMax: number;
  /** A parsed value takes many times the memory of its two characters. */
  readonly valuesMax?: number;
}

/** Which limit a JSON text exceeds, or `undefined`. Scans the text once without allocating. */
export function jsonExcess(text: string, { depthMax, valuesMax }: JsonLimits): string | undefined {
  let depth = 0;
  let values = 1;
  let isInString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) isInString = !isInString;
    else if (isInString) {
      if (code === BACKSLASH) index += 1;
    } else if (code === COMMA) values += 1;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth += 1;
      values += 1;
      if (depth > depthMax) return `is nested deeper than ${depthMax} levels`;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
  }
  return valuesMax !== undefined && values > valuesMax ? `contains more than ${valuesMax} values` : undefined;
}
