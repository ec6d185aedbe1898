import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Edits a file of an archive, to imitate damage or a careless exporter. */
export function editFile(archive: string, path: string, edit: (text: string) => string): void {
  const place = join(archive, path);
  const before = readFileSync(place, "utf8");
  const after = edit(before);
  if (after === before) throw new Error(`${path} was not changed`);
  writeFileSync(place, after);
}

/** Appends lines to a file of rows, without a final newline; returns the number of the first new line. */
export function appendLines(archive: string, path: string, lines: readonly string[]): number {
  let first = 0;
  editFile(archive, path, (text) => {
    first = text.split("\n").length;
    return `${text}${lines.join("\n")}\n`;
  });
  return first;
}

/** Parses a file of rows. */
export function rowsOf<Row>(archive: string, path: string): readonly Row[] {
  const lines = readFileSync(join(archive, path), "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Row);
}
