import { RowError } from "../upstream/row-error.ts";
import { ARCHIVE_LIMITS } from "./limits.ts";

const QUOTE = 34;
const BACKSLASH = 92;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

/** JSON of bounded depth. Throws `RowError` BAD_JSON; what the text holds is not in the message, as Node's own would be. */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) {
    throw new RowError("BAD_JSON", `it is nested deeper than ${ARCHIVE_LIMITS.jsonDepthMax} levels`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new RowError("BAD_JSON", "it is not JSON");
  }
}

/** Looked at before parsing: whoever walks a value later does it by recursion. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let place = 0; place < text.length; place += 1) {
    const code = text.charCodeAt(place);
    if (code === QUOTE) isInString = !isInString;
    else if (isInString) {
      if (code === BACKSLASH) place += 1;
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth += 1;
      if (depth > ARCHIVE_LIMITS.jsonDepthMax) return true;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
  }
  return false;
}
