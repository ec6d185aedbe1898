import { html } from "./html.ts";
import { markdown } from "./markdown.ts";
import type { Page } from "./page.ts";
import type { ReportData } from "./report-data.ts";

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
