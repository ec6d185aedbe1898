import type { ComponentKey } from "../../../snapshots/format/value-sets.ts";
import { COMPONENT_TEXTS } from "../../score/method/indicators.ts";
import { FEED_FILE } from "../compare/feed.ts";
import { type Html, type HtmlValue, html, htmlText } from "../html.ts";
import { spell } from "../spell.ts";
import type { Ends } from "./charts.ts";
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
  { path: "quality.html", name: "Data quality", says: "sources, findings, rejected rows" },
  { path: "methodology.html", name: "Methodology", says: "how every number is computed" },
  {
    path: "about.html",
    name: "In plain words",
    says: "what a score says and what not, how to cite it, who publishes it, corrections",
  },
] as const;

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

/** The whole text of a page; works from a folder, and loads nothing but what lies beside it. */
export function renderPage(data: ReportData, page: Page): string {
  const root = page.path.includes("/") ? "../" : "";
  const links = PAGES.map(({ path, name }) => {
    const here = path === page.path ? html` aria-current="page"` : "";
    return html`<li><a href="${root}${path}"${here}>${name}</a></li>`;
  });
  // `file:` stands beside 'self', as some browsers do not take a file for part of 'self'.
  const scripts = page.script === undefined ? "" : "script-src 'self' file:; ";
  const policy = `default-src 'none'; style-src 'self' file:; img-src 'self' file:; ${scripts}base-uri 'none'; form-action 'none'`;
  // Not a module: browsers load none from a folder.
  const script = page.script && html`<script src="${root}${page.script}" defer></script>\n`;
  const shown = data.isFull
    ? "Full report. It contains data that the API gives to Pro callers only, and data that only the published files hold. Share it with care."
    : "Open report. It contains what anyone may see. A full report adds risk, the history of each DAO, its proposals and its entities.";
  return htmlText(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
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
${imprint(data, page, root)}<p>${shown}</p>
</footer>
</body>
</html>
`);
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
    if (section === undefined) return undefined;
    const { id, title, body, isHalf } = section;
    return html`<section class="${isHalf === true ? "half" : "whole"}" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${body}</section>
`;
  });
  return html`<div class="pair">${shown}</div>
`;
}

export function contentsList(links: HtmlValue): Html {
  return html`<nav class="contents" aria-label="On this page"><ul>${links}</ul></nav>`;
}

export function listedSections(sections: readonly (Section | undefined)[]): Html {
  const links = sections.map(
    (section) => section && html`<li><a href="#${section.id}">${section.title}</a></li>`,
  );
  return html`${contentsList(links)}
${sectionsOf(sections)}`;
}

export interface TableColumn<Row> {
  readonly heading: string;
  readonly kind: keyof typeof column;
  readonly of: (row: Row) => HtmlValue;
}

export const column = {
  text: <Row>(heading: string, of: (row: Row) => HtmlValue) => ({ heading, of, kind: "text" }) as const,
  /** Flush right. */
  number: <Row>(heading: string, of: (row: Row) => HtmlValue) => ({ heading, of, kind: "number" }) as const,
  /** Sentences, which may take several lines. */
  prose: <Row>(heading: string, of: (row: Row) => HtmlValue) => ({ heading, of, kind: "prose" }) as const,
  /** Its cells name their rows; it stays in sight while the others scroll. */
  name: <Row>(heading: string, of: (row: Row) => HtmlValue) => ({ heading, of, kind: "name" }) as const,
  /** One character. */
  sign: <Row>(heading: string, of: (row: Row) => HtmlValue) => ({ heading, of, kind: "sign" }) as const,
};

/** A table with a caption and named rows and columns, in a box that scrolls by itself where it is too wide; below a row stands its note. */
export function htmlTable<Row>(
  caption: string,
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
  noteOf: (row: Row) => string = () => "",
): Html {
  const headings = columns.map(({ heading, kind }) => html`<th scope="col" class="${kind}">${heading}</th>`);
  const lines = rows.map((row) => {
    const cells = columns.map(({ kind, of }) =>
      kind === "name"
        ? html`<th scope="row" class="name">${of(row)}</th>`
        : html`<td class="${kind}">${of(row)}</td>`,
    );
    const note = noteOf(row);
    const noteRow = html`<tr class="note"><td colspan="${columns.length}"><div>${note}</div></td></tr>\n`;
    return html`<tr>${cells}</tr>\n${note === "" ? "" : noteRow}`;
  });
  return html`<div class="scroll" role="group" aria-label="${caption}" tabindex="0"><table>
<caption>${caption}</caption>
<thead><tr>${headings}</tr></thead>
<tbody>
${lines}</tbody></table></div>
`;
}

/** The first rows of a table; those after them open when they are asked for. */
export function longTable<Row>(
  caption: string,
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
  seen = 10,
): Html {
  const first = htmlTable(caption, rows.slice(0, seen), columns);
  if (rows.length <= seen) return first;
  const others = htmlTable(`${caption} (continued)`, rows.slice(seen), columns);
  return html`${first}${folded(`Show ${rows.length - seen} more`, others)}`;
}

export function foldedTable<Row>(
  caption: string,
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
): Html {
  return folded(caption, htmlTable(caption, rows, columns));
}

export function folded(summary: string, body: Html): Html {
  return html`<details><summary>${summary}</summary>
${body}</details>
`;
}

/** An interval wider than this says more than its point. */
const WIDE_POINTS = 2;

/** A score in large and its interval in small, or the other way round where the interval is wide. */
export function scoreFigure(score: number | undefined, ends: Ends): readonly [figure: Html, note: string] {
  const range = ends === undefined ? "" : ends.map(spell.score).join("–");
  if (score === undefined) return [html`<b>${range}</b>`, ""];
  const isWide = ends !== undefined && ends[1] - ends[0] > WIDE_POINTS;
  const [large, small] = isWide ? [range, `best guess ${spell.score(score)}`] : [spell.score(score), range];
  return [html`<data value="${score}"><b>${large}</b></data>`, small];
}

/** A score in the cell of a table: its figure, its interval as a bar on an axis from 0 to 10 with the point as a tick, its note. */
export function scoreCell(score: number | undefined, ends: Ends): Html {
  const [figure, note] = scoreFigure(score, ends);
  const tenths = (points: number): string => (10 * points).toFixed(0);
  const [low, high] = ends ?? [0, 0];
  const range = html`<rect class="range" x="${tenths(low)}" y="3" width="${tenths(Math.max(high - low, 0.1))}" height="6"/>`;
  const tick = score === undefined ? "" : html`<path class="point" d="M${tenths(score)} 0v12"/>`;
  return html`${figure}<svg class="bar" width="100" height="12" viewBox="-1 0 102 12" aria-hidden="true" focusable="false"><path class="axis" d="M0 2v8M0 6H100M100 2v8"/>${ends && range}${tick}</svg>${note === "" ? "" : html`<small>${note}</small>`}`;
}

/** A score without its bar, where a row has many. */
export function plainScore(score: number, ends: Ends): Html {
  return html`${spell.score(score)}${ends && html`<small>${ends.map(spell.tenth).join("–")}</small>`}`;
}

export const COMPONENT_COLUMN = column.name(
  "Component",
  (key: ComponentKey) =>
    html`${spell.title(COMPONENT_TEXTS[key].name)}<small>${COMPONENT_TEXTS[key].asks}</small>`,
);
