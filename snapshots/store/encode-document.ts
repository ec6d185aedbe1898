import { z } from "zod";
import { encodeCanonical } from "../format/canonical-json.ts";
import { shapeComplaint } from "./parse-json-file.ts";
import { SnapshotError } from "./snapshot-error.ts";

/** A value parsed under its shape; throws `DOCUMENT_INVALID` naming the file and the field. */
export function refuseUnlessShaped<Value>(path: string, parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw new SnapshotError("DOCUMENT_INVALID", `${path}: ${shapeComplaint(error)}`, { path });
  }
}

/** A document as canonical bytes; throws `DOCUMENT_INVALID` naming the file and the field. */
export function encodeDocument(path: string, shape: z.ZodType, value: unknown): Buffer {
  return refuseUnlessShaped(path, () => encodeCanonical(shape, value));
}
