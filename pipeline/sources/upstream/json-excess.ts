const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

/** How much a JSON text may hold before anybody parses it. */
interface JsonLimits {
  /** Whoever walks a value later does it by recursion. */
  readonly depthMax: number;
  /** A value costs many times the two characters it takes in a text. */
  readonly valuesMax?: number;
}

/** What a JSON text has too much of, in words, or `undefined`; it looks at the text once and builds nothing. */
export function jsonExcess(text: string, { depthMax, valuesMax }: JsonLimits): string | undefined {
  let depth = 0;
  let values = 1;
  let isInString = false;
  for (let place = 0; place < text.length; place += 1) {
    const code = text.charCodeAt(place);
    if (code === QUOTE) isInString = !isInString;
    else if (isInString) {
      if (code === BACKSLASH) place += 1;
    } else if (code === COMMA) values += 1;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth += 1;
      values += 1;
      if (depth > depthMax) return `is nested deeper than ${depthMax} levels`;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
  }
  return valuesMax !== undefined && values > valuesMax ? `holds more than ${valuesMax} values` : undefined;
}
