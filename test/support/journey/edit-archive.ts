import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Changes a file of an archive by hand, as damage or a careless exporter would. */
export function editFile(archive: string, path: string, edit: (text: string) => string): void {
  const place = join(archive, path);
  const before = readFileSync(place, "utf8");
  const after = edit(before);
  if (after === before) throw new Error(`${path} was not changed`);
  writeFileSync(place, after);
}

/** Adds lines to a file of rows; answers the number of the first. The last line gets no line end of its own. */
export function appendLines(archive: string, path: string, lines: readonly string[]): number {
  let first = 0;
  editFile(archive, path, (text) => {
    first = text.split("\n").length;
    return `${text}${lines.join("\n")}\n`;
  });
  return first;
}

/** The rows of a file of rows. */
export function rowsOf<Row>(archive: string, path: string): readonly Row[] {
  const lines = readFileSync(join(archive, path), "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Row);
}
