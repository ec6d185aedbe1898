import { type Html, type HtmlValue, html } from "./html.ts";

/** Code, bold, italics, links: what may stand inside a line. */
const SPAN =
  /`(?<code>[^`]+)`|\*\*(?<bold>[^*]+(?:\*(?!\*)[^*]*)*)\*\*|(?<![\w*])\*(?<italic>[^*\s](?:[^*]*[^*\s])?)\*(?![\w*])|\[(?<label>[^\]]+)\]\((?<target>[^)\s]+)\)/g;

/** Only places on the page and on the web; what leads to other files of the repository stays text. */
function link(label: string, target: string): Html {
  const isSafe = target.startsWith("#") || target.startsWith("https://");
  return isSafe ? html`<a href="${target}">${markdownInline(label)}</a>` : html`${markdownInline(label)}`;
}

/** One line of Markdown as markup; everything that is not a span is escaped. */
export function markdownInline(text: string): Html {
  const parts: HtmlValue[] = [];
  let from = 0;
  for (const match of text.matchAll(SPAN)) {
    const { code, bold, italic, label, target } = match.groups ?? {};
    parts.push(text.slice(from, match.index));
    if (code !== undefined) parts.push(html`<code>${code}</code>`);
    else if (bold !== undefined) parts.push(html`<strong>${markdownInline(bold)}</strong>`);
    else if (italic !== undefined) parts.push(html`<em>${markdownInline(italic)}</em>`);
    else parts.push(link(label ?? "", target ?? ""));
    from = match.index + match[0].length;
  }
  return html`${[...parts, text.slice(from)]}`;
}
