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

export function htmlText(value: Html): string {
  return value[TRUSTED];
}
