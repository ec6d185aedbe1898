import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The project's own folder. */
export const PROJECT = join(import.meta.dirname, "../..");

/** The rooms whose files are source; the benches in `fixtures` are none. */
export const ROOMS = ["pipeline", "proxy", "snapshots", "fixtures"] as const;

/** One file of source: its path from the project's folder, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Every TypeScript file of these rooms, in the order of their paths. */
export function sourceFiles(rooms: readonly string[] = ROOMS): readonly SourceFile[] {
  return rooms.flatMap((room) =>
    readdirSync(join(PROJECT, room), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => join(room, name))
      .filter(
        (path) =>
          !path.startsWith(join("snapshots", "published")) && !path.startsWith(join("fixtures", "bench")),
      )
      .sort()
      .map((path) => ({ path, text: readFileSync(join(PROJECT, path), "utf8") })),
  );
}

/** The same text without comments, line for line; good enough for our own style, where none stands inside a string. */
export function withoutComments(text: string): string {
  return text
    .replaceAll(/\/\*[\s\S]*?\*\//g, (comment) => comment.replaceAll(/[^\n]/g, ""))
    .replaceAll(/(^|\s)\/\/[^\n]*/g, "$1");
}
