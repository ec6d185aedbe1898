/** Ways to spoil bytes, by name. */
export const MUTATIONS = ["flip", "cut", "insert", "swap", "overwrite", "repeat"] as const;
export type Mutation = (typeof MUTATIONS)[number];

/** What parsers stumble over: numbers out of every range, names of prototypes, broken UTF-8, controls, quotes, nesting. */
const MORSELS: readonly Buffer[] = [
  "1e309",
  "-0",
  "NaN",
  "null",
  '"__proto__":{"polluted":1},',
  '"constructor":{"prototype":1},',
  "9".repeat(400),
  "[".repeat(5000),
  '{"a":'.repeat(2000),
  "\u0000",
  "\u202e",
  "\n\n",
  "=HYPERLINK(0)",
  '"',
  ",",
]
  .map((text) => Buffer.from(text, "utf8"))
  .concat([Buffer.from([0xff, 0xfe, 0xc0, 0x80]), Buffer.alloc(65_536), Buffer.alloc(300, 0xff)]);

/** Bytes spoilt in one of the ways at a place that `random` draws; sometimes they come out as they were. */
export function mutateBytes(bytes: Buffer, mutation: Mutation, random: () => number): Buffer {
  const offset = Math.floor(random() * bytes.length);
  const to = Math.min(bytes.length, offset + 1 + Math.floor(random() * random() * bytes.length));
  const morsel = MORSELS[Math.floor(random() * MORSELS.length)] ?? Buffer.alloc(1);
  const copy = Buffer.from(bytes);
  switch (mutation) {
    case "flip":
      copy[offset] = (copy[offset] ?? 0) ^ (1 << Math.floor(random() * 8));
      return copy;
    case "cut":
      return random() < 0.5
        ? copy.subarray(0, offset)
        : Buffer.concat([copy.subarray(0, offset), copy.subarray(to)]);
    case "insert":
      return Buffer.concat([copy.subarray(0, offset), morsel, copy.subarray(offset)]);
    case "swap": {
      const other = Math.floor(random() * bytes.length);
      const length = Math.min(64, bytes.length - Math.max(offset, other));
      bytes.copy(copy, offset, other, other + length);
      bytes.copy(copy, other, offset, offset + length);
      return copy;
    }
    case "overwrite":
      morsel.copy(copy, offset);
      return copy;
    case "repeat":
      return Buffer.concat([copy.subarray(0, to), copy.subarray(offset)]);
  }
}
