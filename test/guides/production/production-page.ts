import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT } from "../../rules/source-files.ts";

/** The page itself. */
export const PAGE = readFileSync(join(PROJECT, "proxy/PRODUCTION.md"), "utf8");

/** The one block of the page in this language. */
export function blockOf(language: string): string {
  const found = [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))];
  const [block] = found;
  if (found.length !== 1 || block?.[1] === undefined)
    throw new Error(`${found.length} blocks of ${language}`);
  return block[1];
}

/** A text with each of these parts replaced, all of which must be in it: else the page and its test mean different things. */
export function replaced(text: string, parts: Readonly<Record<string, string>>): string {
  return Object.entries(parts).reduce((sofar, [part, by]) => {
    if (!sofar.includes(part)) throw new Error(`the page has no: ${part}`);
    return sofar.replaceAll(part, by);
  }, text);
}
