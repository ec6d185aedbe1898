/** The narrowest terminal in use. */
const COLUMNS = 80;

/**
 * Text broken between words into lines of at most 80 columns. `first` stands before the first line, as many blanks as
 * it is long before the others; a word that is longer than a line stays whole. Ends with a newline.
 */
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
  return [...lines, line].map((each, place) => `${place === 0 ? first : indent}${each}\n`).join("");
}

/** A block of lines, each moved two columns to the right. */
export function indented(block: string): string {
  return block.replaceAll(/^(?=.)/gm, "  ");
}
