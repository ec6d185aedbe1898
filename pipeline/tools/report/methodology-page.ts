import { Marked, type RendererObject } from "marked";
import { html, htmlText, trustedHtml } from "../html.ts";
import { contentsList, htmlTable, type Page, type TableColumn } from "./page.ts";
import type { ReportData } from "./report-data.ts";

/** How the numbers are made, in the words of the method itself, with a list of its parts before the first. */
export function methodologyPage({ methodology }: ReportData): Page {
  const text = new Marked({ renderer: pageRenderer() }).parse(methodology, { async: false });
  const parts = [...text.matchAll(/<h2 id="([^"]+)">(.*?)<\/h2>/g)];
  const start = parts[0]?.index ?? text.length;
  const links = parts.map(
    ([, id = "", title = ""]) => html`<li><a href="#${id}">${trustedHtml(title)}</a></li>`,
  );
  return {
    path: "methodology.html",
    title: "Methodology",
    description: "How every number is made, where the idea is from, and how it can be gamed.",
    body: html`<article class="method">${trustedHtml(text.slice(0, start))}
${contentsList(links)}
${trustedHtml(text.slice(start))}</article>
`,
  };
}

/** What differs from the library's own markup: no raw HTML, no link off the page but https, tables like all of ours. */
function pageRenderer(): RendererObject {
  let lastHeading = "";
  return {
    heading({ depth, text, tokens }) {
      lastHeading = text.replaceAll("`", "");
      const tag = `h${Math.min(depth, 3)}`;
      // As GitHub makes it.
      const anchor = text
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
        .replaceAll(/\s/g, "-");
      return `<${tag} id="${anchor}">${this.parser.parseInline(tokens)}</${tag}>\n`;
    },
    code: ({ text }) => htmlText(html`<pre><code>${text}</code></pre>\n`),
    html: ({ text }) => (text.startsWith("<!--") ? "" : htmlText(html`${text}`)),
    image: ({ text }) => htmlText(html`${text}`),
    link({ href, tokens }) {
      const words = this.parser.parseInline(tokens);
      // What leads to other files of the repository stays text.
      const isSafe = href.startsWith("#") || href.startsWith("https://");
      return isSafe ? htmlText(html`<a href="${href}">${trustedHtml(words)}</a>`) : words;
    },
    table({ header, align, rows }) {
      const kindOf = (index: number): NonNullable<TableColumn<never>["kind"]> => {
        if (index === 0) return "name";
        if (align[index] === "right") return "number";
        return rows.some((row) => (row[index]?.text ?? "").length > 40) ? "prose" : "text";
      };
      const columns = header.map(({ text }, index) => ({
        // A head without a word would be a header that says nothing.
        heading: text === "" ? "Note" : text.replaceAll("`", ""),
        of: (row: typeof header) => trustedHtml(this.parser.parseInline(row[index]?.tokens ?? [])),
        kind: kindOf(index),
      }));
      const headings = columns.map(({ heading }) => heading).join(", ");
      return htmlText(htmlTable(`${lastHeading}: ${headings}`, rows, columns));
    },
  };
}
