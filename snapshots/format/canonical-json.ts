import { createHash } from "node:crypto";
import type { z } from "zod";

/** A value as canonical JSON: compact, UTF-8, final newline. Its keys must stand in the order of its shape, as what was parsed has them. */
export function encodeParsed(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`, "utf8");
}

/** A value parsed by its shape, which also puts keys in the shape's order, as canonical JSON. Throws `ZodError`. */
export function encodeCanonical<Shape extends z.ZodType>(shape: Shape, value: z.input<Shape>): Buffer {
  return encodeParsed(shape.parse(value));
}

/** Values as lines, each canonical once they were parsed; no value, no byte. */
export function encodeLines(values: readonly object[]): Buffer {
  return Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(""), "utf8");
}

/** SHA-256 of bytes, as 64 lower-case hex digits. */
export function sha256Hex(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** JSON with keys sorted at every depth, for comparing configuration of upstreams and not for publishing. */
export function sortedJson(value: unknown): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(",")}]`;
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${sortedJson(item)}`).join(",")}}`;
}
