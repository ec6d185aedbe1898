import { type Html, type HtmlValue, html } from "./html.ts";

/** One column of a table: what stands over it, and what a row has in it. */
export interface TableColumn<Row> {
  readonly heading: string;
  readonly of: (row: Row) => HtmlValue;
  /** Numbers stand flush right. */
  readonly isNumber?: boolean;
  /** Sentences need room, also where the table has to scroll for it. */
  readonly isProse?: boolean;
  /** The cell that names its row. */
  readonly isRowName?: boolean;
}

function kindOf<Row>({ isNumber, isProse }: TableColumn<Row>): string {
  if (isNumber === true) return "number";
  return isProse === true ? "prose" : "text";
}

function cell<Row>(column: TableColumn<Row>, row: Row): Html {
  const kind = kindOf(column);
  return column.isRowName === true
    ? html`<th scope="row" class="${kind}">${column.of(row)}</th>`
    : html`<td class="${kind}">${column.of(row)}</td>`;
}

/** A table with a caption and named rows and columns, in a box that scrolls by itself where it is too wide. */
export function htmlTable<Row>(
  caption: string,
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
): Html {
  const headings = columns.map(
    (column) => html`<th scope="col" class="${kindOf(column)}">${column.heading}</th>`,
  );
  const lines = rows.map((row) => html`<tr>${columns.map((column) => cell(column, row))}</tr>\n`);
  return html`<div class="scroll" role="group" aria-label="${caption}" tabindex="0"><table>
<caption>${caption}</caption>
<thead><tr>${headings}</tr></thead>
<tbody>
${lines}</tbody></table></div>
`;
}

/** A table that opens when it is asked for: the numbers behind a picture. */
export function foldedTable<Row>(
  caption: string,
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
): Html {
  return html`<details><summary>${caption}</summary>${htmlTable(caption, columns, rows)}</details>
`;
}
