import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT } from "../rules/source-files.ts";

/** A file of the project, by its path there. */
export const textOf = (file: string): string => readFileSync(join(PROJECT, file), "utf8");

/** The blocks of code of a guide in one language. */
export function blocksOf(text: string, language: string): readonly string[] {
  const blocks = text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"));
  return Array.from(blocks, ([, block = ""]) => block);
}

/** A configuration that is shipped for the machine. */
export const deployFile = (name: string): string => textOf(`proxy/deploy/${name}`);

/** A text with each of these parts replaced, all of which must be in it: else the file and its test mean different things. */
export function replaced(text: string, parts: Readonly<Record<string, string>>): string {
  return Object.entries(parts).reduce((sofar, [part, other]) => {
    if (!sofar.includes(part)) throw new Error(`the file has no: ${part}`);
    return sofar.replaceAll(part, other);
  }, text);
}

/** Where Debian puts servers, also for users whose PATH leaves it out. */
const FOLDERS = [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin", "/usr/local/sbin"];

/** The place of a program on this machine, if it is there. */
export const placeOf = (program: string): string | undefined =>
  FOLDERS.map((folder) => `${folder}/${program}`).find((path) => existsSync(path));

/** Whether these programs are missing here, and what a title says of it. */
export function needs(...programs: readonly string[]) {
  const missing = programs.filter((program) => placeOf(program) === undefined);
  const here = missing.length === 0 ? "" : ` (skipped: ${missing.join(", ")} not installed)`;
  return { isMissing: missing.length > 0, here };
}
