import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Whether a path may be replaced: nothing, an empty folder, or a folder whose `file` declares this kind. */
export function isReplaceable(directory: string, file: string, kind: string): boolean {
  if (!existsSync(directory)) return true;
  if (!lstatSync(directory).isDirectory()) return false;
  if (readdirSync(directory).length === 0) return true;
  try {
    const value: unknown = JSON.parse(readFileSync(join(directory, file), "utf8"));
    return typeof value === "object" && value !== null && "kind" in value && value.kind === kind;
  } catch {
    return false;
  }
}
