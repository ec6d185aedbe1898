import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT } from "../rules/source-files.ts";

/** The text of a document, by its path from the project's root. */
export function textOf(file: string): string {
  return readFileSync(join(PROJECT, file), "utf8");
}

/** The names of the blocks that a text asks for, in their order. */
export function blockNames(text: string): readonly string[] {
  return [...text.matchAll(/<!-- generated: ([^>]+) -->/g)].map(([, name = ""]) => name);
}

/** The text with its generated blocks made anew; throws where it asks for a block that nothing makes. */
export function withBlocks(text: string, blocks: ReadonlyMap<string, string>): string {
  return text.replaceAll(
    /<!-- generated: ([^>]+) -->\n(?:(?!<!-- generated)[\s\S])*?<!-- end -->/g,
    (_, name: string) => {
      const block = blocks.get(name);
      if (block === undefined) throw new Error(`nothing makes the block "${name}"`);
      return `<!-- generated: ${name} -->\n${block}\n<!-- end -->`;
    },
  );
}

/** As GitHub makes it of a heading. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");
}

/** The headings of a text, without their signs. */
export function headingsOf(text: string): readonly string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, "");
  return [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => heading);
}

/** A table in Markdown; all columns but the first of a table of numbers are aligned to the right. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  isOfNumbers = false,
): string {
  const rule = head.map((_, column) => (isOfNumbers && column > 0 ? "--:" : "---"));
  return [head, rule, ...rows].map((cells) => `|${cells.join("|")}|`).join("\n");
}
