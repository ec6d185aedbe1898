import { FEED_FILE } from "../compare/feed.ts";
import { type Html, type HtmlValue, html, htmlText } from "../html.ts";
import { spell } from "../spell.ts";
import { banner, imprint } from "./imprint.ts";
import type { ReportData } from "./report-data.ts";

/** The pages that every page leads to, and `llms.txt` with what they say. */
export const PAGES = [
  {
    path: "index.html",
    name: "Ranking",
    says: "every tracked DAO: score, interval, ranks, components, or why it has no score",
  },
  { path: "compare.html", name: "Compare", says: "which DAOs the data can tell apart" },
  { path: "dgi.html", name: "Index", says: "the Decentralized Governance Index, now and by day" },
  {
    path: "changes.html",
    name: "Changes",
    says: "which scores moved lately, and since the previous version",
  },
  {
    path: "quality.html",
    name: "Data quality",
    says: "sources, findings, rejected rows",
  },
  { path: "methodology.html", name: "Methodology", says: "how every number is computed" },
  {
    path: "about.html",
    name: "In plain words",
    says: "what a score says and what not, how to cite it, who publishes it, corrections",
  },
] as const;

/** One page: where it lies, what it is called, what stands on it. */
export interface Page {
  readonly path: string;
  readonly title: string;
  readonly description: string;
  readonly body: Html;
  /** The number that the page is about, to be cited. */
  readonly cited?: string;
  /** A script beside the page that adds to it; the page is complete without. */
  readonly script?: string;
}

/**
 * What a browser may load for a page: its style sheet and its script, and nothing else. `file:` stands beside 'self', as
 * some browsers do not take a file for part of 'self'.
 */
const policyOf = ({ script }: Page): string =>
  `default-src 'none'; style-src 'self' file:; img-src 'self' file:; ${script === undefined ? "" : "script-src 'self' file:; "}base-uri 'none'; form-action 'none'`;

function whatIsShown({ isFull }: ReportData): string {
  return isFull
    ? "Full report. It contains data that the API gives to Pro callers only, and data that only the published files hold. Share it with care."
    : "Open report. It contains what anyone may see. A full report adds risk, the history of each DAO, its proposals and its entities.";
}

/** The whole text of a page; works from a folder, and loads nothing but what lies beside it. */
export function renderPage(data: ReportData, page: Page): string {
  const root = page.path.includes("/") ? "../" : "";
  const links = PAGES.map(({ path, name }) => {
    const isHere = path === page.path;
    return html`<li>${isHere ? html`<a href="${root}${path}" aria-current="page">${name}</a>` : html`<a href="${root}${path}">${name}</a>`}</li>`;
  });
  // Not a module: browsers load none from a folder.
  const script = page.script === undefined ? "" : html`<script src="${root}${page.script}" defer></script>\n`;
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf(page)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="description" content="${page.description}">
<title>${page.title} · govdata</title>
<link rel="stylesheet" href="${root}report.css">
<link rel="alternate" type="application/atom+xml" title="Scores that moved" href="${root}${FEED_FILE}">
${script}</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><p class="brand">govdata</p><nav aria-label="Pages"><ul>${links}</ul></nav><p class="date">${spell.day(data.asOf)}</p></header>
${banner(data)}<main id="content" tabindex="-1">
${page.body}</main>
<footer>
${imprint(data, page, root)}<p>${whatIsShown(data)}</p>
</footer>
</body>
</html>
`;
  return htmlText(document);
}

/** A part of a page under a heading; `id` is its anchor. */
export interface Section {
  readonly id: string;
  readonly title: string;
  readonly body: Html;
  /** Two halves stand side by side where there is room. */
  readonly isHalf?: boolean;
}

/** Sections with their headings; those that are not there are left out. */
export function sectionsOf(sections: readonly (Section | undefined)[]): Html {
  const shown = sections.map((section) => {
    if (section === undefined) return "";
    const { id, title, body, isHalf } = section;
    return html`<section class="${isHalf === true ? "half" : "whole"}" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${body}</section>
`;
  });
  return html`<div class="pair">${shown}</div>
`;
}

export function contentsList(links: readonly HtmlValue[]): Html {
  return html`<nav class="contents" aria-label="On this page"><ul>${links}</ul></nav>`;
}

export function listedSections(sections: readonly (Section | undefined)[]): Html {
  const links = sections.map((section) =>
    section === undefined ? "" : html`<li><a href="#${section.id}">${section.title}</a></li>`,
  );
  return html`${contentsList(links)}
${sectionsOf(sections)}`;
}

/** One column of a table: what stands over it, and what a row has in it. */
export interface TableColumn<Row> {
  readonly heading: string;
  readonly of: (row: Row) => HtmlValue;
  /** A `sign` is one character. */
  readonly kind?: "text" | "number" | "prose" | "name" | "sign";
}

type MakeColumn = <Row>(heading: string, cellOf: TableColumn<Row>["of"]) => TableColumn<Row>;

/** A column of numbers, flush right. */
export const numberColumn: MakeColumn = (heading, textOf) => ({ heading, of: textOf, kind: "number" });

/** A column of sentences, which may take several lines. */
export const proseColumn: MakeColumn = (heading, textOf) => ({ heading, of: textOf, kind: "prose" });

/** The column whose cells name their rows; it stays in sight while the others scroll. */
export const nameColumn: MakeColumn = (heading, textOf) => ({ heading, of: textOf, kind: "name" });

function cell<Row>({ kind = "text", of }: TableColumn<Row>, row: Row): Html {
  return kind === "name"
    ? html`<th scope="row" class="name">${of(row)}</th>`
    : html`<td class="${kind}">${of(row)}</td>`;
}

/** What is said about a row below it; nothing where it is empty. */
type NoteOf<Row> = (row: Row) => string | Html;

/** A table with a caption and named rows and columns, in a box that scrolls by itself where it is too wide. */
export function htmlTable<Row>(
  caption: string,
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
  noteOf: NoteOf<Row> = () => "",
): Html {
  const headings = columns.map(
    ({ heading, kind = "text" }) => html`<th scope="col" class="${kind}">${heading}</th>`,
  );
  const lines = rows.map((row) => {
    const words = noteOf(row);
    const note =
      words === ""
        ? ""
        : html`<tr class="note"><td colspan="${columns.length}"><div>${words}</div></td></tr>\n`;
    return html`<tr>${columns.map((column) => cell(column, row))}</tr>\n${note}`;
  });
  return html`<div class="scroll" role="group" aria-label="${caption}" tabindex="0"><table>
<caption>${caption}</caption>
<thead><tr>${headings}</tr></thead>
<tbody>
${lines}</tbody></table></div>
`;
}

/** So many rows of a long table are seen at once. */
const ROWS_SEEN = 10;

/** The first rows of a table; those after them open when they are asked for. */
export function foldedTable<Row>(
  caption: string,
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
  { shown = ROWS_SEEN, noteOf }: { readonly shown?: number; readonly noteOf?: NoteOf<Row> } = {},
): Html {
  const first = shown === 0 ? "" : htmlTable(caption, rows.slice(0, shown), columns, noteOf);
  if (rows.length <= shown) return html`${first}`;
  const [summary, title] =
    shown === 0 ? [caption, caption] : [`Show ${rows.length - shown} more`, `${caption} (continued)`];
  return html`${first}${folded(summary, htmlTable(title, rows.slice(shown), columns, noteOf))}`;
}

export function folded(summary: string, body: Html): Html {
  return html`<details><summary>${summary}</summary>
${body}</details>
`;
}
