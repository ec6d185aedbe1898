import { FEED_FILE } from "../compare/feed.ts";
import { type Html, type HtmlValue, html, htmlText, spell } from "../html.ts";
import type { ReportData } from "./report-data.ts";

/** The pages that every page leads to, and `llms.txt` with what they say. */
export const PAGES = [
  { path: "index.html", name: "Ranking", says: "the ranking: GVS, four components, change of 24 hours" },
  { path: "compare.html", name: "Compare", says: "which DAOs the data can tell apart" },
  { path: "dgi.html", name: "Index", says: "the Decentralized Governance Index, now and by day" },
  { path: "changes.html", name: "Changes", says: "what moved lately, and since the version before" },
  {
    path: "quality.html",
    name: "Data quality",
    says: "sources, findings, rejected rows, DAOs without a score",
  },
  { path: "methodology.html", name: "Methodology", says: "how every number is made" },
] as const;

/** One page: where it lies, what it is called, what stands on it. */
export interface Page {
  readonly path: string;
  readonly title: string;
  readonly description: string;
  readonly body: Html;
}

/**
 * What a browser may load for a page: its style sheet, and nothing else. `file:` stands beside 'self', as some browsers
 * do not take a file for part of 'self'.
 */
const POLICY =
  "default-src 'none'; style-src 'self' file:; img-src 'self' file:; base-uri 'none'; form-action 'none'";

function whatIsShown({ isFull }: ReportData): string {
  return isFull
    ? "Full report: it also holds what the API gives to Pro callers and what only the published files hold. Mind to whom you give it."
    : "Open report: it shows what anybody may see. Risk, history of each DAO, proposals and entities are in a full report.";
}

/** The whole text of a page; works from a folder, asks for nothing but its style sheet. */
export function renderPage(data: ReportData, page: Page): string {
  const root = page.path.includes("/") ? "../" : "";
  const links = PAGES.map(({ path, name }) => {
    const isHere = path === page.path;
    return html`<li>${isHere ? html`<a href="${root}${path}" aria-current="page">${name}</a>` : html`<a href="${root}${path}">${name}</a>`}</li>`;
  });
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="description" content="${page.description}">
<title>${page.title} · govdata</title>
<link rel="stylesheet" href="${root}report.css">
<link rel="alternate" type="application/atom+xml" title="Scores that moved" href="${root}${FEED_FILE}">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><p class="brand">govdata</p><nav aria-label="Pages"><ul>${links}</ul></nav></header>
<main id="content" tabindex="-1">
${page.body}</main>
<footer>
<p>As of ${spell.moment(data.asOf)} · method ${data.methodologyVersion} · version <code>${data.version}</code></p>
<p>${whatIsShown(data)}</p>
</footer>
</body>
</html>
`;
  return htmlText(document);
}

/** One column of a table: what stands over it, and what a row has in it. */
export interface TableColumn<Row> {
  readonly heading: string;
  readonly of: (row: Row) => HtmlValue;
  readonly kind?: "text" | "number" | "prose" | "name";
}

type MakeColumn = <Row>(heading: string, of: TableColumn<Row>["of"]) => TableColumn<Row>;

/** A column of numbers, flush right. */
export const numberColumn: MakeColumn = (heading, of) => ({ heading, of, kind: "number" });

/** A column of sentences, which need room, also where the table has to scroll for it. */
export const proseColumn: MakeColumn = (heading, of) => ({ heading, of, kind: "prose" });

/** The column whose cells name their rows. */
export const nameColumn: MakeColumn = (heading, of) => ({ heading, of, kind: "name" });

/** The class of a cell in the style sheet; a name is text. */
const classOf = ({ kind = "text" }: Pick<TableColumn<never>, "kind">): string =>
  kind === "name" ? "text" : kind;

function cell<Row>(column: TableColumn<Row>, row: Row): Html {
  const content = column.of(row);
  return column.kind === "name"
    ? html`<th scope="row" class="${classOf(column)}">${content}</th>`
    : html`<td class="${classOf(column)}">${content}</td>`;
}

/** A table with a caption and named rows and columns, in a box that scrolls by itself where it is too wide. */
export function htmlTable<Row>(
  caption: string,
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
): Html {
  const headings = columns.map(
    (column) => html`<th scope="col" class="${classOf(column)}">${column.heading}</th>`,
  );
  const lines = rows.map((row) => html`<tr>${columns.map((column) => cell(column, row))}</tr>\n`);
  return html`<div class="scroll" role="group" aria-label="${caption}" tabindex="0"><table>
<caption>${caption}</caption>
<thead><tr>${headings}</tr></thead>
<tbody>
${lines}</tbody></table></div>
`;
}

/** A table that opens when it is asked for: the numbers behind a picture. */
export function foldedTable<Row>(
  caption: string,
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
): Html {
  return html`<details><summary>${caption}</summary>${htmlTable(caption, rows, columns)}</details>
`;
}
