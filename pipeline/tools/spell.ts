/** Formats of numbers and times, used on all pages. */
export const spell = {
  /** A number, or a dash where it is missing. */
  known: <Value>(value: Value | null | undefined, say: (value: Value) => string): string =>
    value === null || value === undefined ? "–" : say(value),
  score: (value: number): string => value.toFixed(2),
  /** The range of a score, to append to it; empty if unknown. */
  ends: (ends: readonly [low: number, high: number] | undefined): string =>
    ends === undefined ? "" : ` [${ends.map((end) => end.toFixed(2)).join("–")}]`,
  tenth: (value: number): string => value.toFixed(1),
  percent: (pct: number): string => `${pct.toFixed(1)} %`,
  /** A change with its sign; a typographic minus, as wide as the plus. */
  change: (value: number): string => {
    const digits = Math.abs(value).toFixed(2);
    if (Number(digits) === 0) return digits;
    return `${value < 0 ? "−" : "+"}${digits}`;
  },
  /** A whole number with thousands separators. */
  count: (value: number): string => String(Math.round(value)).replaceAll(/\B(?=(\d{3})+$)/g, ","),
  /** A number of things: `1 DAO`, `2 DAOs`. */
  counted: (count: number, thing: string): string =>
    `${spell.count(count)} ${thing}${count === 1 ? "" : "s"}`,
  day: (timestamp: string): string => timestamp.slice(0, 10),
  moment: (timestamp: string): string => `${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)} UTC`,
  word: (word: string): string => word.replaceAll("_", " "),
  /** A level of risk; the specification says "critical" of scores too, of which it is the lowest. */
  risk: (level: string): string => (level === "critical" ? "very high" : level),
  title: (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1),
} as const;

/** Fewer points would be printed as 0.00. */
export const POINTS_SHOWN_MIN = 0.005;

/** A range as text, or one text if both ends are printed alike. */
export const rangeText = (low: string, high: string, between: string): string =>
  low === high ? low : `${low}${between}${high}`;

/** Formats a change with its sign; a change that rounds to 0 gets a plus. */
export function formatChange(value: number, decimals = 2): string {
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? `+${Math.abs(0).toFixed(decimals)}` : value < 0 ? text : `+${text}`;
}

export function formatEnds({ low, high }: { readonly low: number; readonly high: number }): string {
  return rangeText(low.toFixed(2), high.toFixed(2), " to ");
}

/** Two ends in brackets, to stand behind a number. */
export function inBrackets(low: number, high: number, decimals = 2): string {
  return `[${low.toFixed(decimals)}-${high.toFixed(decimals)}]`;
}

/** The beginning of a text that is longer than so many characters. */
export function cut(text: string, charactersMax: number): string {
  const characters = [...text];
  return characters.length <= charactersMax ? text : `${characters.slice(0, charactersMax - 1).join("")}…`;
}

/** Ids have up to 66 characters; this prefix suffices to find one. */
export const shortId = (id: string): string => cut(id, 14);
