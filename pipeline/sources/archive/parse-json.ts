import { jsonExcess } from "../upstream/json-excess.ts";
import { RowError } from "../upstream/row-error.ts";
import { ARCHIVE_LIMITS } from "./limits.ts";

/** JSON of bounded depth and number of values. Throws `RowError` BAD_JSON; what the text holds is not in the message, as Node's own would be. */
export function parseJson(text: string): unknown {
  const { jsonDepthMax: depthMax, jsonValuesMax: valuesMax } = ARCHIVE_LIMITS;
  const excess = jsonExcess(text, { depthMax, valuesMax });
  if (excess !== undefined) throw new RowError("BAD_JSON", `it ${excess}`);
  try {
    return JSON.parse(text);
  } catch {
    throw new RowError("BAD_JSON", "it is not JSON");
  }
}
