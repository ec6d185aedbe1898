import type { Command } from "commander";
import type { TextSink } from "./command-world.ts";

/** Adds a command below another one, with an example under its help. */
export function describedCommand(
  parent: Command,
  usage: string,
  description: string,
  example: string,
): Command {
  return parent
    .command(usage)
    .description(description)
    .addHelpText("after", `\nExample:\n  govdata-proxy ${example}`);
}

/** One line of a list: names and values in the order they are shown. */
export type Row = Readonly<Record<string, string | number | boolean | null>>;

/** What a list shows, and how. */
interface Listing {
  readonly columns: readonly string[];
  /** What a narrow terminal leaves out, the first to go first; ids and names are never left out or cut. */
  readonly mayGo?: readonly string[];
  readonly asJson: boolean;
}

const MOMENT = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}):\d{2}(\.\d{3})?Z$/;

const cellOf = (row: Row, column: string): string => String(row[column] ?? "-");
const minuteOf = (cell: string): string => cell.replace(MOMENT, "$1 $2Z");

type Lines = readonly (readonly string[])[];

function widthsOf(lines: Lines): readonly number[] {
  const [headings = []] = lines;
  return headings.map((_, index) => Math.max(...lines.map((line) => (line[index] ?? "").length)));
}

const widthOf = (lines: Lines): number => widthsOf(lines).reduce((sum, width) => sum + width + 2, -2);

/** As it is where it fits; else moments without their seconds; else without the columns that may go, one by one. */
function fitted(rows: readonly Row[], { columns, mayGo = [] }: Listing, widthMax: number): Lines {
  const whole = [columns, ...rows.map((row) => columns.map((column) => cellOf(row, column)))];
  if (widthOf(whole) <= widthMax) return whole;
  for (let gone = 0; gone <= mayGo.length; gone += 1) {
    const kept = columns.filter((column) => !mayGo.slice(0, gone).includes(column));
    const lines = [kept, ...rows.map((row) => kept.map((column) => minuteOf(cellOf(row, column))))];
    if (widthOf(lines) <= widthMax || gone === mayGo.length) return lines;
  }
  return whole;
}

/**
 * Prints a list for people, in columns that fit a terminal, or as a JSON array, which always has all of it. An absent
 * value is `-` in columns.
 */
export function printRows(out: TextSink, rows: readonly Row[], listing: Listing): void {
  if (listing.asJson) {
    out.write(`${JSON.stringify(rows, null, 2)}\n`);
    return;
  }
  const lines = fitted(rows, listing, out.columns ?? Number.POSITIVE_INFINITY);
  const widths = widthsOf(lines);
  for (const line of lines) {
    const cells = line.map((cell, index) => cell.padEnd(widths[index] ?? 0));
    out.write(`${cells.join("  ").trimEnd()}\n`);
  }
}

/** Prints what a command did as one line of JSON, where that was asked for. */
export function printDone(out: TextSink, asJson: boolean, did: Row): void {
  if (asJson) out.write(`${JSON.stringify(did)}\n`);
}
