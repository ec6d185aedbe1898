const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

/** Limits for a JSON text, checked before parsing. */
interface JsonLimits {
  /** Later code walks values recursively. */
  readonly depthMax: number;
  /** A parsed value takes many times the memory of its two characters. */
  readonly valuesMax?: number;
}

/** Which limit a JSON text exceeds, or `undefined`. Scans the text once without allocating. */
export function jsonExcess(text: string, { depthMax, valuesMax }: JsonLimits): string | undefined {
  let depth = 0;
  let values = 1;
  let isInString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) isInString = !isInString;
    else if (isInString) {
      if (code === BACKSLASH) index += 1;
    } else if (code === COMMA) values += 1;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth += 1;
      values += 1;
      if (depth > depthMax) return `is nested deeper than ${depthMax} levels`;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
  }
  return valuesMax !== undefined && values > valuesMax ? `contains more than ${valuesMax} values` : undefined;
}
