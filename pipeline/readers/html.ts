const TRUSTED = Symbol("trusted html");

/** Markup that was made by `html` and needs no escaping any more; nothing read from a file can pass for it. */
export interface Html {
  readonly [TRUSTED]: string;
}

/** What may stand in a template: text is escaped, lists are joined, nothing is left out. */
export type HtmlValue = string | number | Html | undefined | readonly HtmlValue[];

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text as it may stand between tags and inside quoted attributes. */
function escapeText(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

function textOf(value: HtmlValue): string {
  if (value === undefined) return "";
  if (typeof value === "string") return escapeText(value);
  if (typeof value === "number") return String(value);
  return TRUSTED in value ? value[TRUSTED] : value.map(textOf).join("");
}

/** A template whose values are escaped unless they are markup themselves; attributes must be quoted. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const text = parts.map((part, place) => part + textOf(values[place])).join("");
  return { [TRUSTED]: text };
}

/** A link that leads away, to a page that somebody from outside names. */
export function outsideLink(link: string, words: HtmlValue): Html {
  return html`<a href="${link}" rel="external nofollow noopener noreferrer">${words}</a>`;
}

/** Takes text for markup: only for what a serialiser has already escaped. */
export function trustedHtml(text: string): Html {
  return { [TRUSTED]: text };
}

/** The text of finished markup. */
export function htmlText(value: Html): string {
  return value[TRUSTED];
}

/** How numbers and moments are written on the pages, the same everywhere. */
export const spell = {
  /** A number, or a dash where it is missing. */
  known: (value: number | null | undefined, say: (value: number) => string): string =>
    value === null || value === undefined ? "–" : say(value),
  /** A score as it is published: two decimals. */
  score: (value: number): string => value.toFixed(2),
  /** The two ends of a score, behind it; nothing where they are not known. */
  ends: (ends: readonly [low: number, high: number] | undefined): string =>
    ends === undefined ? "" : ` [${ends.map((end) => end.toFixed(2)).join("–")}]`,
  /** A number of which the first decimal is enough. */
  tenth: (value: number): string => value.toFixed(1),
  /** A percentage that runs from 0 to 100. */
  percent: (pct: number): string => `${pct.toFixed(1)} %`,
  /** A change, with its sign; the minus is the typographic one, as wide as the plus. */
  change: (value: number): string => {
    const digits = Math.abs(value).toFixed(2);
    if (Number(digits) === 0) return digits;
    return `${value < 0 ? "−" : "+"}${digits}`;
  },
  /** A whole number with its thousands apart. */
  count: (value: number): string => String(Math.round(value)).replaceAll(/\B(?=(\d{3})+$)/g, ","),
  /** The UTC day of a timestamp. */
  day: (timestamp: string): string => timestamp.slice(0, 10),
  /** A timestamp to the minute. */
  moment: (timestamp: string): string => `${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)} UTC`,
  /** A word of a value set, as people write it. */
  word: (word: string): string => word.replaceAll("_", " "),
  /** A name where a line begins with it. */
  title: (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1),
} as const;
