import { stringify } from "csv-stringify/sync";
import { inBatches } from "./in-batches.ts";
import type { Table } from "./rows-of-versions.ts";

/** Rows that become text at once: enough to be quick, few enough to stay small. */
const BATCH_ROWS = 1000;

const bytesOf = (text: string): Buffer => Buffer.from(text, "utf8");

/** A table as CSV with a header: null is empty, and text that begins like a formula has an apostrophe before it. */
export function* encodeCsv({ columns, rows }: Table): Generator<Uint8Array> {
  yield bytesOf(`${columns.map(({ name }) => name).join(",")}\n`);
  for (const batch of inBatches(rows, BATCH_ROWS)) {
    yield bytesOf(
      // A name from outside that begins like a formula would run in the reader's spreadsheet.
      stringify([...batch], { escape_formulas: true, cast: { boolean: (value) => String(value) } }),
    );
  }
}

/** A table as one JSON object a line, its keys in the order of the columns. */
export function* encodeNdjson({ columns, rows }: Table): Generator<Uint8Array> {
  for (const batch of inBatches(rows, BATCH_ROWS)) {
    const lines = batch.map((row) => {
      const entries = columns.map(({ name }, place) => [name, row[place] ?? null] as const);
      return `${JSON.stringify(Object.fromEntries(entries))}\n`;
    });
    yield bytesOf(lines.join(""));
  }
}
