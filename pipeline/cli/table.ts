/** One column of a table: its heading and how to show a row. */
export interface Column<Row> {
  readonly heading: string;
  readonly of: (row: Row) => string;
  readonly align?: "left" | "right";
}

/** A plain table: headings, then a line per row, columns padded to their widest cell and two spaces apart. */
export function formatTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const cells = [
    columns.map((column) => column.heading),
    ...rows.map((row) => columns.map((column) => column.of(row))),
  ];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)));
  const lines = cells.map((line) =>
    line
      .map((cell, index) => {
        const width = widths[index] ?? 0;
        return columns[index]?.align === "right" ? cell.padStart(width) : cell.padEnd(width);
      })
      .join("  ")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}
