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

/** Takes text for markup: only for what a serialiser has already escaped. */
export function trustedHtml(text: string): Html {
  return { [TRUSTED]: text };
}

/** The text of finished markup. */
export function htmlText(value: Html): string {
  return value[TRUSTED];
}
