import { type Html, type HtmlValue, html } from "../html.ts";
import { htmlTable, type Page } from "./page.ts";
import type { ReportData } from "./report-data.ts";

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

const HEADINGS: Readonly<Record<number, (id: string, text: Html) => Html>> = {
  1: (id, text) => html`<h1 id="${id}">${text}</h1>\n`,
  2: (id, text) => html`<h2 id="${id}">${text}</h2>\n`,
  3: (id, text) => html`<h3 id="${id}">${text}</h3>\n`,
};

/** The place a heading is linked by, as GitHub makes it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");
}

/** The cells of a table's line; a bar inside code is written with a backslash. */
function cellsOf(line: string): string[] {
  const bare = line.trim().replace(/^\|/, "").replace(/\|$/, "");
  return bare.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function table(lines: readonly string[], under: string): Html {
  const [head = "", marks = "", ...rows] = lines;
  const isNumber = cellsOf(marks).map((mark) => mark.endsWith("-:"));
  const columns = cellsOf(head).map((heading, place) => ({
    // A head without a word would be a header that says nothing.
    heading: heading === "" ? "Note" : heading.replaceAll("`", ""),
    of: (row: readonly string[]) => markdownInline(row[place] ?? ""),
    isNumber: isNumber[place] ?? false,
    isProse: place > 0 && rows.some((row) => (cellsOf(row)[place] ?? "").length > 40),
    isRowName: place === 0,
  }));
  return htmlTable(
    `${under}: ${columns.map(({ heading }) => heading).join(", ")}`,
    columns,
    rows.map(cellsOf),
  );
}

function list(lines: readonly string[]): Html {
  const items: string[] = [];
  for (const line of lines) {
    const item = /^(?:[-*]|\d+\.) +(.*)$/.exec(line)?.[1];
    if (item !== undefined) items.push(item);
    else items.push(`${items.pop() ?? ""} ${line.trim()}`);
  }
  const entries = items.map((item) => html`<li>${markdownInline(item)}</li>\n`);
  return /^\d/.test(lines[0] ?? "") ? html`<ol>${entries}</ol>\n` : html`<ul>${entries}</ul>\n`;
}

function block(lines: readonly string[], under: string): Html {
  const [first = ""] = lines;
  if (first.startsWith("|")) return table(lines, under);
  if (/^(?:[-*]|\d+\.) /.test(first)) return list(lines);
  return html`<p>${markdownInline(lines.join(" "))}</p>\n`;
}

/** Runs of lines that belong together: a blank line, a heading, or the edge of a table ends one. */
function blocksOf(text: string): string[][] {
  const blocks: string[][] = [[]];
  let isTable = false;
  for (const line of text.replaceAll(/<!--.*?-->/gs, "").split("\n")) {
    const isRow = line.startsWith("|");
    const isHeading = line.startsWith("#");
    if (line.trim() === "" || isHeading || isRow !== isTable) blocks.push([]);
    if (line.trim() !== "") blocks.at(-1)?.push(line);
    if (isHeading) blocks.push([]);
    isTable = isRow;
  }
  return blocks.filter((lines) => lines.length > 0);
}

/** Markdown of our own texts as markup: headings, paragraphs, lists, tables; everything else is text. */
export function markdown(text: string): Html {
  let under = "";
  const made = blocksOf(text).map((lines) => {
    const heading = /^(#{1,6}) +(.*)$/.exec(lines[0] ?? "");
    if (heading === null) return block(lines, under);
    const [, marks = "", words = ""] = heading;
    under = words.replaceAll("`", "");
    const make = HEADINGS[Math.min(marks.length, 3)];
    return make === undefined ? html`` : make(anchorOf(words), markdownInline(words));
  });
  return html`${made}`;
}

/** How the numbers are made, in the words of the method itself. */
export function methodologyPage({ methodology }: ReportData): Page {
  return {
    path: "methodology.html",
    title: "Methodology",
    description: "How every number is made, where the idea is from, and how it can be gamed.",
    body: html`<article class="method">${markdown(methodology)}</article>
`,
  };
}
