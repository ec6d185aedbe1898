import { stringify } from "csv-stringify/sync";
import { escapeFormulas } from "./formulas.ts";

/** A cell of a CSV row; null is empty. */
export type CsvCell = string | number | boolean | null;

type CsvRow = readonly CsvCell[] | Readonly<Record<string, CsvCell | undefined>>;

/** Rows as CSV, with no cell that a spreadsheet runs. Numbers stay numbers, also below 0. Rows by name need `columns`. */
export function csvText(rows: readonly CsvRow[], columns?: readonly string[]): string {
  return stringify([...rows], {
    ...(columns === undefined ? {} : { columns }),
    cast: { boolean: (value) => String(value), string: escapeFormulas },
  });
}
