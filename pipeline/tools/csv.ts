import { stringify } from "csv-stringify/sync";

/** A cell of a CSV row; null is empty. */
export type CsvCell = string | number | boolean | null;

/** Some spreadsheets end a field at `;`, so a formula after it must not run either. */
const withoutFormulas = (text: string): string => text.replaceAll(/;(?=\s*[=+\-@＝＋－＠])/g, ";'");

/** Rows as CSV: null is empty, and text that begins like a formula, also after a `;`, gets an apostrophe in front. */
export function csvText(rows: readonly (readonly CsvCell[])[]): string {
  // A formula in a name from outside would run in the reader's spreadsheet.
  return stringify([...rows], {
    escape_formulas: true,
    cast: { boolean: (value) => String(value), string: withoutFormulas },
  });
}
