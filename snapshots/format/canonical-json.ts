import { createHash } from "node:crypto";
import type { z } from "zod";

/** A value as canonical JSON: compact, UTF-8, final newline. Its keys must stand in the order of its shape, as what was parsed has them. */
export function encodeParsed(value: unknown): Buffer {
  if (!isLong(value)) return Buffer.from(`${JSON.stringify(value)}\n`, "utf8");
  // Twice, so that the bytes are all that is ever there: one text of a long list takes four times as much beside them.
  let size = 1;
  for (const text of textsOf(value)) size += Buffer.byteLength(text);
  const bytes = Buffer.alloc(size, "\n");
  let end = 0;
  for (const text of textsOf(value)) end += bytes.write(text, end);
  return bytes;
}

/** Bytes of a piece; a larger text is a piece of its own. */
const PIECE_BYTES = 1024 * 1024;

/** A parsed object as the same bytes in pieces, made as they are taken: for one that is too large to be held whole. Its lists may be any iterables. */
export function* encodeInPieces(value: object): Generator<Buffer> {
  let piece = Buffer.alloc(PIECE_BYTES);
  let end = 0;
  for (const text of textsOf(value)) {
    const size = Buffer.byteLength(text);
    if (end + size > PIECE_BYTES) {
      yield piece.subarray(0, end);
      piece = Buffer.alloc(Math.max(size, PIECE_BYTES));
      end = 0;
    }
    end += piece.write(text, end);
  }
  yield piece.subarray(0, end);
  yield Buffer.from("\n");
}

/** A list of more items than this is spelled in pieces. */
const LONG_FROM = 1_000;

/** So many items at once: texts that are small enough are let go of at once, larger ones when there is nothing better to do. */
const ITEMS_AT_ONCE = 10;

/** A list of which nobody wants the whole text: a long one, or one whose items are made as they are taken. */
const isLongList = (value: unknown): value is Iterable<unknown> =>
  Array.isArray(value)
    ? value.length > LONG_FROM
    : typeof value === "object" && value !== null && Symbol.iterator in value;

/** A long list, or an object that holds one. */
const isLong = (value: unknown): value is object =>
  isLongList(value) ||
  (typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).some(isLongList));

/** The JSON of a long value in pieces: of its lists some items at a time. */
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
