import type { TextSink } from "./command-world.ts";

/** One line of a list: names and values in the order they are shown. */
export type Row = Readonly<Record<string, string | number | null>>;

/** Prints a list for people, in columns, or as a JSON array. An absent value is `-` in columns. */
export function printRows(
  out: TextSink,
  columns: readonly string[],
  rows: readonly Row[],
  asJson: boolean,
): void {
  if (asJson) {
    out.write(`${JSON.stringify(rows, null, 2)}\n`);
    return;
  }
  const lines = [columns, ...rows.map((row) => columns.map((column) => String(row[column] ?? "-")))];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => (line[index] ?? "").length)));
  for (const line of lines) {
    const cells = line.map((cell, index) => cell.padEnd(widths[index] ?? 0));
    out.write(`${cells.join("  ").trimEnd()}\n`);
  }
}
