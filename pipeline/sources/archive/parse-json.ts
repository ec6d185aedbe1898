import { jsonExcess } from "../upstream/json-excess.ts";
import { RowError } from "../upstream/row-error.ts";
import { ARCHIVE_LIMITS } from "./limits.ts";

/** JSON of bounded depth. Throws `RowError` BAD_JSON; what the text holds is not in the message, as Node's own would be. */
export function parseJson(text: string): unknown {
  const excess = jsonExcess(text, { depthMax: ARCHIVE_LIMITS.jsonDepthMax });
  if (excess !== undefined) throw new RowError("BAD_JSON", `it ${excess}`);
  try {
    return JSON.parse(text);
  } catch {
    throw new RowError("BAD_JSON", "it is not JSON");
  }
}
