const UNITS = ["B", "kB", "MB", "GB", "TB"] as const;

/** Formats a size in decimal units, with one decimal. */
export function formatBytes(bytes: number): string {
  const index = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const value = bytes / 1000 ** index;
  return `${index === 0 ? value : value.toFixed(1)} ${UNITS[index]}`;
}

/** A count with its noun, such as `1 row` and `2 rows`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** The narrowest terminal in use. */
const COLUMNS = 80;

/** Wraps text at 80 columns, with `first` before the first line and others indented by its length. Keeps long words. */
export function wrap(text: string, first = ""): string {
  const indent = " ".repeat(first.length);
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line === "" || indent.length + longer.length <= COLUMNS) {
      line = longer;
      continue;
    }
    lines.push(line);
    line = word;
  }
  return [...lines, line].map((text, index) => `${index === 0 ? first : indent}${text}\n`).join("");
}

export function indented(block: string): string {
  return block.replaceAll(/^(?=.)/gm, "  ");
}

export function pairs(lines: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, value]) => `${name.padEnd(width)}  ${value}\n`).join("");
}

export interface Column<Row> {
  readonly heading: string;
  readonly cell: (row: Row) => string;
  readonly align?: "left" | "right";
  /**
   * What happens if the terminal is too narrow: `drop` omits the column, the last one first, and `spill` (for the last
   * column) prints it below the row. Other columns are never shortened: a truncated id cannot be copied.
   */
  readonly fit?: "drop" | "spill";
}

export function right<Row>(heading: string, cell: (row: Row) => string, fit?: "drop"): Column<Row> {
  return { heading, cell, align: "right", ...(fit === undefined ? {} : { fit }) };
}

const SPILL_INDENT = "    ";

const BETWEEN = "  ";

function laidOut<Row>(columns: readonly Column<Row>[], rows: readonly Row[]) {
  const cells = [
    columns.map(({ heading }) => heading),
    ...rows.map((row) => columns.map((column) => column.cell(row))),
  ];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)));
  const width = widths.reduce((sum, width) => sum + width, BETWEEN.length * (widths.length - 1));
  return { cells, widths, width };
}

/** The columns that fit: drops those marked `drop`, starting from the end, until the rest fits. */
function fitting<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  widthMax: number,
): readonly Column<Row>[] {
  if (laidOut(columns, rows).width <= widthMax) return columns;
  const index = columns.findLastIndex(({ fit }) => fit === "drop");
  return index < 0 ? columns : fitting(columns.toSpliced(index, 1), rows, widthMax);
}

/** Formats a plain table, columns two spaces apart. Beyond a maximum width, columns are dropped or spilled. */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  widthMax = Number.POSITIVE_INFINITY,
): string {
  const last = columns.at(-1);
  const spilled = last?.fit === "spill" && laidOut(columns, rows).width > widthMax ? last : undefined;
  const kept = fitting(spilled === undefined ? columns : columns.slice(0, -1), rows, widthMax);
  const { cells, widths } = laidOut(kept, rows);
  const lines = cells.map((given, position) => {
    const padded = given.map((cell, index) => {
      const width = widths[index] ?? 0;
      return kept[index]?.align === "right" ? cell.padStart(width) : cell.padEnd(width);
    });
    const line = padded.join(BETWEEN).trimEnd();
    const row = rows[position - 1];
    const below = spilled === undefined || row === undefined ? "" : spilled.cell(row);
    return below === "" ? `${line}\n` : `${line}\n${wrap(below, SPILL_INDENT)}`;
  });
  return lines.join("");
}
