import { createHash } from "node:crypto";
import type { z } from "zod";
import { canonicalValue } from "./canonical-value.ts";

/**
 * The one way a document becomes bytes: parsed by its shape (which also puts keys in the shape's
 * order), then compact JSON, UTF-8, final newline. Throws `ZodError` where the shape does not hold.
 */
export function encodeCanonical<Shape extends z.ZodType>(shape: Shape, value: z.input<Shape>): Buffer {
  return Buffer.from(`${JSON.stringify(canonicalValue(shape, value))}\n`, "utf8");
}

/** Many documents of one shape as lines, each canonical; no line, no byte. */
export function encodeLines<Shape extends z.ZodType>(
  shape: Shape,
  values: readonly z.input<Shape>[],
): Buffer {
  const lines = values.map((value) => `${JSON.stringify(canonicalValue(shape, value))}\n`);
  return Buffer.from(lines.join(""), "utf8");
}

/** SHA-256 of bytes, as 64 lower-case hex digits. */
export function sha256Hex(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/**
 * JSON with keys sorted at every depth: equal values give equal text, whatever order they came in.
 * For comparing upstream configuration (strategies), not for publishing.
 */
export function sortedJson(value: unknown): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(",")}]`;
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${sortedJson(item)}`).join(",")}}`;
}
