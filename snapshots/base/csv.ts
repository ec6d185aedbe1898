import { stringify } from "csv-stringify/sync";

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

/**
 * Where a spreadsheet would begin to run a text: at the start, or after a `;`, at which some end a field. Signs in full
 * width run too. Apostrophes may stand in front, so that a text that looks escaped is told from one that is.
 */
const FORMULA = "(?=['\\s]*[=+\\-@\\t\\r\uFF1D\uFF0B\uFF0D\uFF20])";
const PLAIN = new RegExp(`(^|;)${FORMULA}`, "g");
const ESCAPED = new RegExp(`(^|;)'${FORMULA}`, "g");

/** Puts an apostrophe in front of what a reader's spreadsheet would run: names and titles come from outside. */
export function escapeFormulas(text: string): string {
  return text.replaceAll(PLAIN, "$1'");
}

/** The text that `escapeFormulas` was given. */
export function unescapeFormulas(text: string): string {
  return text.replaceAll(ESCAPED, "$1");
}
