/** One row of a table by the names of its columns. */
export type CsvRow = Readonly<Record<string, string>>;

/** The cells of one line; a quoted cell may hold commas and doubled quotes, and no line break. */
function cellsOf(line: string): string[] {
  if (!line.includes('"')) return line.split(",");
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? "",
  );
}

/** Rows of a table whose first line names its columns. */
export function readCsv(text: string): CsvRow[] {
  const [head = "", ...lines] = text.split(/\r?\n/).filter((line) => line !== "");
  const names = cellsOf(head);
  return lines.map((line) => {
    const cells = cellsOf(line);
    return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ""]));
  });
}
