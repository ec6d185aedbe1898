import type { PlotOptions } from "@observablehq/plot";
import { type Html, html, htmlText, trustedHtml } from "./html.ts";

/** What a picture is called and says, for whoever cannot see it; `id` is one of its own on the page. */
export interface PictureText {
  readonly id: string;
  readonly title: string;
  readonly description: string;
}

/** Draws one plot as SVG that needs no style of its own. */
export type Draw = (options: PlotOptions, text: PictureText) => Html;

/** Colours of the style sheet, so that a picture follows the scheme of the page. */
export const INK = {
  accent: "var(--accent)",
  bar: "var(--bar)",
  soft: "var(--soft)",
  line: "var(--line)",
} as const;

/**
 * Loads the plotter and a document to draw in. Both are heavy, so that only the command that draws pays for them. The
 * style sheet a plot brings along is taken off, as the pages' policy lets no inline style through.
 */
export async function createDraw(): Promise<Draw> {
  const [{ JSDOM }, plotter] = await Promise.all([import("jsdom"), import("@observablehq/plot")]);
  const { document } = new JSDOM("").window;
  return (options, { id, title, description }) => {
    const svg = plotter.plot({ ...options, document });
    for (const style of svg.querySelectorAll("style")) style.remove();
    for (const styled of svg.querySelectorAll("[style]")) styled.removeAttribute("style");
    // One picture with one name: its parts have none of their own.
    for (const named of svg.querySelectorAll("[aria-label]")) named.removeAttribute("aria-label");
    svg.setAttribute("class", "picture");
    svg.setAttribute("role", "img");
    svg.setAttribute("font-size", "12");
    svg.setAttribute("aria-labelledby", `${id}-title ${id}-text`);
    const words: readonly (readonly [string, string, string])[] = [
      ["desc", `${id}-text`, description],
      ["title", `${id}-title`, title],
    ];
    for (const [tag, tagId, content] of words) {
      const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
      element.setAttribute("id", tagId);
      element.textContent = content;
      svg.prepend(element);
    }
    // A tenth of a point is less than anybody sees, and paths are most of a page.
    for (const path of svg.querySelectorAll("path[d]")) {
      const drawn = path.getAttribute("d") ?? "";
      path.setAttribute(
        "d",
        drawn.replaceAll(/\d+\.\d{2,}/g, (number) => String(+Number(number).toFixed(1))),
      );
    }
    return trustedHtml(svg.outerHTML);
  };
}

/** The light colours of the report's style sheet, as a file has none around it. */
const COLOURS: Readonly<Record<string, string>> = {
  accent: "#0b5f73",
  bar: "#3b7e8e",
  soft: "#cfe3e7",
  line: "#dfdcd5",
};

/** What stands above and below a picture that is passed on alone. */
export interface FileWords {
  readonly title: string;
  readonly source: string;
}

/** Room for those words. */
const ABOVE = 44;
const BELOW = 28;

/** A picture as an SVG file that asks for nothing, on paper of its own; the same for the same picture. */
export function svgFile(picture: Html, words?: FileWords): string {
  const svg = htmlText(picture)
    .replaceAll(/"var\(--(\w+)\)"/g, (_, name: string) => `"${COLOURS[name] ?? "currentColor"}"`)
    // A serialiser of pages spells a space by a name that XML does not know, and leaves out what only a file needs.
    .replaceAll("&nbsp;", "&#160;")
    .replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ');
  const paper = (y: number): string => `<rect y="${y}" width="100%" height="100%" fill="#ffffff"/>`;
  if (words === undefined) return `${svg.replace("</desc>", `</desc>${paper(0)}`)}\n`;
  const [size = "", width = "", height = ""] = /width="(\d+)" height="(\d+)" viewBox="[^"]*"/.exec(svg) ?? [];
  const total = ABOVE + Number(height) + BELOW;
  const line = (y: number, look: string, text: string): string =>
    htmlText(html`<text x="12" y="${y}" text-anchor="start" ${trustedHtml(look)}>${text}</text>`);
  const around = [
    paper(-ABOVE),
    line(-18, 'font-size="16" font-weight="600"', words.title),
    line(Number(height) + 16, 'font-size="11" fill="#59616b"', words.source),
  ].join("");
  return `${svg
    .replace(size, `width="${width}" height="${total}" viewBox="0 ${-ABOVE} ${width} ${total}"`)
    .replace("</desc>", () => `</desc>${around}`)}\n`;
}

/** The marks that the pictures are made of. */
export type Marks = typeof import("@observablehq/plot");
