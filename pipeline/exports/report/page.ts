import { FEED_FILE } from "../feed.ts";
import { type Html, html, htmlText } from "./html.ts";
import type { ReportData } from "./report-data.ts";
import { spell } from "./spell.ts";

/** The pages that every page leads to. */
const PAGES = [
  { path: "index.html", name: "Ranking" },
  { path: "dgi.html", name: "Index" },
  { path: "changes.html", name: "Changes" },
  { path: "quality.html", name: "Data quality" },
  { path: "methodology.html", name: "Methodology" },
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
    : "Open report: it shows what anybody may see. Risk, intervals, history of each DAO, proposals and entities are in a full report.";
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
