import type { PlotOptions } from "@observablehq/plot";
import { type Html, html, trustedHtml } from "./html.ts";

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
    return trustedHtml(svg.outerHTML);
  };
}

/** The same picture for wide and for narrow windows, whose text would be too small when scaled. */
export function inBothWidths(
  draw: Draw,
  text: PictureText,
  optionsOf: (width: number, isWide: boolean) => PlotOptions,
): Html {
  const wide = draw(optionsOf(760, true), { ...text, id: `${text.id}-wide` });
  const narrow = draw(optionsOf(340, false), { ...text, id: `${text.id}-narrow` });
  return html`<figure><div class="wide">${wide}</div><div class="narrow">${narrow}</div>
<figcaption>${text.title}. ${text.description}</figcaption></figure>
`;
}

/** The marks that the pictures are made of. */
export type Marks = typeof import("@observablehq/plot");
