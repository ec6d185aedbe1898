import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT } from "../../rules/source-files.ts";

/** The page about them. */
export const PAGE = readFileSync(join(PROJECT, "proxy/PRODUCTION.md"), "utf8");

/** A configuration that is shipped for the machine. */
export function deployFile(
  name: "nginx.conf" | "Caddyfile" | "govdata.nft" | "alerts.yml" | "backup.cron",
): string {
  return readFileSync(join(PROJECT, "proxy/deploy", name), "utf8");
}

/** A text with each of these parts replaced, all of which must be in it: else the file and its test mean different things. */
export function replaced(text: string, parts: Readonly<Record<string, string>>): string {
  return Object.entries(parts).reduce((sofar, [part, factor]) => {
    if (!sofar.includes(part)) throw new Error(`the file has no: ${part}`);
    return sofar.replaceAll(part, factor);
  }, text);
}
