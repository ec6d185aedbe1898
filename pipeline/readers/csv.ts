import { stringify } from "csv-stringify/sync";

/** What may stand in a row of a CSV; null is empty. */
export type CsvCell = string | number | boolean | null;

/**
 * Text as it may stand in a CSV: where a spreadsheet takes `;` for the end of a field, what follows it must not run either.
 */
const withoutFormulas = (text: string): string => text.replaceAll(/;(?=\s*[=+\-@＝＋－＠])/g, ";'");

/** Rows as CSV: null is empty, and text that begins like a formula, also after a `;`, has an apostrophe before it. */
export function csvText(rows: readonly (readonly CsvCell[])[]): string {
  // A name from outside that begins like a formula would run in the reader's spreadsheet.
  return stringify([...rows], {
    escape_formulas: true,
    cast: { boolean: (value) => String(value), string: withoutFormulas },
  });
}
