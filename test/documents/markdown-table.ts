/** A table in Markdown; all columns but the first of a table of numbers are aligned to the right. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  isOfNumbers = false,
): string {
  const rule = head.map((_, column) => (isOfNumbers && column > 0 ? "--:" : "---"));
  return [head, rule, ...rows].map((cells) => `|${cells.join("|")}|`).join("\n");
}
