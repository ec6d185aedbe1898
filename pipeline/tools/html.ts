const TRUSTED = Symbol("trusted html");

/** Markup made by `html`, which needs no more escaping; data read from a file can never have this type. */
export interface Html {
  readonly [TRUSTED]: string;
}

/** A value of a template: text is escaped, and lists are joined. */
export type HtmlValue = string | number | Html | undefined | readonly HtmlValue[];

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for use between tags and in quoted attributes. */
function escapeText(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

function textOf(value: HtmlValue): string {
  if (value === undefined) return "";
  if (typeof value === "string") return escapeText(value);
  if (typeof value === "number") return String(value);
  return TRUSTED in value ? value[TRUSTED] : value.map(textOf).join("");
}

/** A template whose values are escaped unless they are markup; attributes must be quoted. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const text = parts.map((part, index) => part + textOf(values[index])).join("");
  return { [TRUSTED]: text };
}

/** A link to a page outside, whose address comes from a source. */
export function outsideLink(link: string, text: HtmlValue): Html {
  return html`<a href="${link}" rel="external nofollow noopener noreferrer">${text}</a>`;
}

/** Marks text as markup without escaping: only for the output of a serialiser. */
export function trustedHtml(text: string): Html {
  return { [TRUSTED]: text };
}

/** The text of markup. */
export function htmlText(value: Html): string {
  return value[TRUSTED];
}

/** Formats of numbers and times, used on all pages. */
export const spell = {
  /** A number, or a dash where it is missing. */
  known: (value: number | null | undefined, say: (value: number) => string): string =>
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
  day: (timestamp: string): string => timestamp.slice(0, 10),
  moment: (timestamp: string): string => `${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)} UTC`,
  word: (word: string): string => word.replaceAll("_", " "),
  title: (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1),
} as const;
