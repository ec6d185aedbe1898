import { createHash } from "node:crypto";
import type { z } from "zod";

/** Encodes a parsed value as canonical JSON: compact, UTF-8, final newline. Keys keep their order; lists may be iterables. */
export function encodeParsed(value: unknown): Buffer {
  if (!isLong(value)) return Buffer.from(`${JSON.stringify(value)}\n`, "utf8");
  // Two passes, size then bytes: one string of a long list would take four times the memory of its bytes.
  let size = 1;
  for (const text of textsOf(value)) size += Buffer.byteLength(text);
  const bytes = Buffer.alloc(size, "\n");
  let end = 0;
  for (const text of textsOf(value)) end += bytes.write(text, end);
  return bytes;
}

const LONG_FROM = 1_000;

/** Items per `JSON.stringify` call: the garbage collector frees short strings early, long ones late. */
const ITEMS_AT_ONCE = 10;

const isLongList = (value: unknown): value is Iterable<unknown> =>
  Array.isArray(value)
    ? value.length > LONG_FROM
    : typeof value === "object" && value !== null && Symbol.iterator in value;

const isLong = (value: unknown): value is object =>
  isLongList(value) ||
  (typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).some(isLongList));

function* textsOf(value: object): Generator<string> {
  if (isLongList(value)) {
    let before = "[";
    let items: unknown[] = [];
    for (const item of value) {
      if (items.push(item) < ITEMS_AT_ONCE) continue;
      yield `${before}${JSON.stringify(items).slice(1, -1)}`;
      before = ",";
      items = [];
    }
    if (items.length > 0) yield `${before}${JSON.stringify(items).slice(1, -1)}`;
    yield before === "[" && items.length === 0 ? "[]" : "]";
    return;
  }
  let before = "{";
  for (const [key, field] of Object.entries(value)) {
    if (field === undefined) continue;
    yield `${before}${JSON.stringify(key)}:`;
    if (isLongList(field)) yield* textsOf(field);
    else yield JSON.stringify(field);
    before = ",";
  }
  yield before === "{" ? "{}" : "}";
}

/** Parses a value, which puts its keys in the shape's order, and encodes it canonically. Throws `ZodError`. */
export function encodeCanonical<Shape extends z.ZodType>(shape: Shape, value: z.input<Shape>): Buffer {
  return encodeParsed(shape.parse(value));
}

/** Encodes parsed values as lines of canonical JSON; no values give no bytes. */
export function encodeLines(values: readonly object[]): Buffer {
  return Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(""), "utf8");
}

export function sha256Hex(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** JSON with keys sorted at every depth; for comparing, not for publishing. */
export function sortedJson(value: unknown): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(",")}]`;
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${sortedJson(item)}`).join(",")}}`;
}
