// The types of domino and of the plotter are made of those of the DOM.
/// <reference lib="dom" />
import type { PlotOptions } from "@observablehq/plot";
import { type Html, html, htmlText, trustedHtml } from "./html.ts";

/** Title and description of a picture for screen readers; `id` must be unique on the page. */
export interface PictureText {
  readonly id: string;
  readonly title: string;
  readonly description: string;
}

/** Draws one plot as SVG that needs no style sheet. */
export type Draw = (options: PlotOptions, text: PictureText) => Html;

/** Colours of the style sheet, so that a picture follows the page's scheme. */
export const INK = {
  accent: "var(--accent)",
  soft: "var(--soft)",
  line: "var(--line)",
} as const;

/** Loads the plotter, which is large, and a DOM. Removes a plot's own style, which the policy of the pages forbids. */
export async function createDraw(): Promise<Draw> {
  const [{ default: domino }, plotter] = await Promise.all([import("domino"), import("@observablehq/plot")]);
  const document = domino.createDocument();
  return (options, { id, title, description }) => {
    const svg = plotter.plot({ ...options, document });
    // domino's lists are array-like, and not all of them iterable.
    const all = (selector: string): Element[] => Array.from(svg.querySelectorAll(selector));
    for (const style of all("style")) style.remove();
    for (const styled of all("[style]")) styled.removeAttribute("style");
    // The picture has one accessible name; its parts need none.
    for (const named of all("[aria-label]")) named.removeAttribute("aria-label");
    svg.setAttribute("class", "picture");
    svg.setAttribute("role", "img");
    svg.setAttribute("font-size", "12");
    svg.setAttribute("aria-labelledby", `${id}-title ${id}-text`);
    const texts: readonly (readonly [string, string, string])[] = [
      ["desc", `${id}-text`, description],
      ["title", `${id}-title`, title],
    ];
    for (const [tag, tagId, content] of texts) {
      const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
      element.setAttribute("id", tagId);
      element.textContent = content;
      svg.insertBefore(element, svg.firstChild);
    }
    // A tenth of a pixel is invisible, and paths are most of a page's bytes.
    for (const path of all("path[d]")) {
      const drawn = path.getAttribute("d") ?? "";
      path.setAttribute(
        "d",
        drawn.replaceAll(/\d+\.\d{2,}/g, (number) => String(+Number(number).toFixed(1))),
      );
    }
    return trustedHtml(svg.outerHTML);
  };
}

/** The light colours of the report's style sheet, for files without one. */
const COLOURS: Readonly<Record<string, string>> = {
  accent: "#0b5f73",
  soft: "#6e8f99",
  line: "#dfdcd5",
};

interface FileTexts {
  readonly title: string;
  readonly source: string;
}

const ABOVE = 44;
const BELOW = 28;

/** A picture as a self-contained SVG file with a background; deterministic. */
export function svgFile(picture: Html, texts?: FileTexts): string {
  const svg = htmlText(picture)
    .replaceAll(/"var\(--(\w+)\)"/g, (_, name: string) => `"${COLOURS[name] ?? "currentColor"}"`)
    // HTML serialisers write `&nbsp;`, which XML does not know, and omit the namespace that a file needs.
    .replaceAll("&nbsp;", "&#160;")
    .replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ');
  const paper = (y: number): string => `<rect y="${y}" width="100%" height="100%" fill="#ffffff"/>`;
  if (texts === undefined) return `${svg.replace("</desc>", `</desc>${paper(0)}`)}\n`;
  const [size = "", width = "", height = ""] = /width="(\d+)" height="(\d+)" viewBox="[^"]*"/.exec(svg) ?? [];
  const total = ABOVE + Number(height) + BELOW;
  const line = (y: number, look: string, text: string): string =>
    htmlText(html`<text x="12" y="${y}" text-anchor="start" ${trustedHtml(look)}>${text}</text>`);
  const frame = [
    paper(-ABOVE),
    line(-18, 'font-size="16" font-weight="600"', texts.title),
    line(Number(height) + 16, 'font-size="11" fill="#59616b"', texts.source),
  ].join("");
  return `${svg
    .replace(size, `width="${width}" height="${total}" viewBox="0 ${-ABOVE} ${width} ${total}"`)
    .replace("</desc>", () => `</desc>${frame}`)}\n`;
}

export type Marks = typeof import("@observablehq/plot");
