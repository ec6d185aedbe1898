import type { z } from "zod";
import { SnapshotError } from "./snapshot-error.ts";

/** Where and why a value does not have its shape, without its content: it may be hostile. */
export function shapeComplaint(error: z.ZodError): string {
  const [first] = error.issues;
  if (first === undefined) return "does not have its shape";
  const place = first.path.map(String).join(".") || "the whole document";
  const others = error.issues.length > 1 ? ` (and ${error.issues.length - 1} more)` : "";
  return `${place}: ${first.message}${others}`;
}

/** The JSON in a file's bytes, not yet of any shape; throws `SnapshotError` where it is not UTF-8 or not JSON. */
export function parseJson(path: string, bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (error) {
    throw new SnapshotError("SNAPSHOT_INVALID", `${path}: is not JSON in UTF-8`, { path, cause: error });
  }
}

/** A file's bytes as a value of its shape; throws `SnapshotError`. */
export function parseJsonFile<Shape extends z.ZodType>(
  path: string,
  bytes: Buffer,
  shape: Shape,
): z.output<Shape> {
  const parsed = shape.safeParse(parseJson(path, bytes));
  if (parsed.success) return parsed.data;
  throw new SnapshotError("SNAPSHOT_INVALID", `${path}: ${shapeComplaint(parsed.error)}`, { path });
}
