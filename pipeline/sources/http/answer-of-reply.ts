import { isUtf8 } from "node:buffer";
import { jsonExcess } from "../upstream/json-excess.ts";
import type { Reply } from "./exchange.ts";
import type { JsonAnswer } from "./http-client.ts";
import { HttpFault } from "./http-fault.ts";
import type { HttpSettings } from "./http-settings.ts";

/** A reply as JSON. Throws `HttpFault`: garbled when a success is not JSON, final when a refusal is not, or it holds too much. */
export function answerOfReply({ status, headers, body }: Reply, settings: HttpSettings): JsonAnswer {
  const text = isUtf8(body) ? body.toString("utf8") : "";
  const depthMax = settings.jsonDepthMax;
  const excess = jsonExcess(text, { depthMax, valuesMax: settings.jsonValuesMax });
  if (excess !== undefined) {
    const isTooMuch = jsonExcess(text, { depthMax }) === undefined;
    throw new HttpFault("final", `sent an answer that ${excess}`, { isTooMuch });
  }
  try {
    return { status, headers, body: JSON.parse(text) };
  } catch {
    // The page of a proxy in front of a node: too much was asked for at once.
    if (status === 413) return { status, headers, body: undefined };
    if (status < 300) throw new HttpFault("garbled", `answered ${status} with something that is not JSON`);
    throw new HttpFault("final", `answered ${status}`);
  }
}
