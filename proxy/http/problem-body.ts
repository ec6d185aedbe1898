import { encodeCanonical } from "../../snapshots/format/canonical-json.ts";
import { ErrorEnvelope } from "../../snapshots/format/envelope.ts";
import { SITUATIONS, type Situation } from "./situations.ts";

const bodies = new Map<string, Buffer>();

for (const [situation, { code, message }] of Object.entries(SITUATIONS)) {
  bodies.set(situation, encodeCanonical(ErrorEnvelope, { error: { code, message } }));
}

/** The error envelope of a situation, as bytes: the same ones every time. */
export function problemBody(situation: Situation): Buffer {
  const body = bodies.get(situation);
  if (body === undefined) throw new Error(`no body for situation ${situation}`);
  return body;
}
