import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { canonicalValue, isCanonical } from "../../../snapshots/format/canonical-json.ts";
import { DaoHistory, DaoList } from "../../../snapshots/format/dao.ts";
import { FILE_SHAPES, type FileKind } from "../../../snapshots/format/documents.ts";
import { Evidence } from "../../../snapshots/format/evidence.ts";
import { Manifest } from "../../../snapshots/format/manifest.ts";
import { ProposalLine } from "../../../snapshots/format/proposal-line.ts";
import { FIXTURE_AS_OF_MS, publishedSet, runReport } from "../../support/published-set.ts";

/** What is meant, slowly: zod takes the value and spells it as it stands. */
function isSpelledByZod(shape: z.ZodType, value: unknown): boolean {
  const parsed = shape.safeParse(value);
  return parsed.success && JSON.stringify(parsed.data) === JSON.stringify(value);
}

const set = publishedSet();
const [listing] = set.listings;
const DOCUMENTS: readonly { readonly kind: FileKind; readonly value: unknown }[] = [
  { kind: "daos", value: set.daos },
  { kind: "dao", value: set.details[0] },
  { kind: "risk", value: set.risks[0] },
  { kind: "entity", value: set.entities[0] },
  { kind: "history", value: set.histories[0] },
  { kind: "latest-listing", value: listing?.latest },
  { kind: "dgi", value: set.dgi },
  { kind: "unscored", value: set.unscored },
  { kind: "run", value: runReport(set, FIXTURE_AS_OF_MS) },
  ...set.evidence.slice(0, 1).map(({ evidence }) => ({ kind: "evidence" as const, value: evidence })),
  ...set.graphs.slice(0, 1).map((graph) => ({ kind: "graph" as const, value: graph })),
];

/** What may stand where something else should: of every type, near the right ones and far from them. */
const anything = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    undefined,
    true,
    "",
    "2026-03-31",
    "high",
    -0,
    0,
    1,
    0.005,
    10.01,
    -1,
    2 ** 60,
  ),
  fc.constantFrom<unknown>(
    Number.NaN,
    Number.POSITIVE_INFINITY,
    [],
    {},
    [1],
    { points: 1 },
    new Date(0),
    "a\u202eb",
  ),
  fc.double(),
  fc.string(),
);

/** Every place in a value: the object or array, and the key. */
function placesIn(value: unknown): { readonly owner: { [key: string]: unknown }; readonly key: string }[] {
  if (typeof value !== "object" || value === null) return [];
  const owner = value as { [key: string]: unknown };
  return Object.keys(owner).flatMap((key) => [{ owner, key }, ...placesIn(owner[key])]);
}

/** Changes one place of a copy: another value, no value, one more key, or another order of the keys. */
function changed(value: unknown, at: number, how: number, put: unknown): unknown {
  const copy = structuredClone(value);
  const places = placesIn(copy);
  const place = places[at % Math.max(places.length, 1)];
  if (place === undefined) return put;
  const { owner, key } = place;
  const had = owner[key];
  if (how === 0) owner[key] = put;
  else if (how === 1) delete owner[key];
  else if (how === 2) owner[`${key}x`] = put;
  else {
    delete owner[key];
    owner[key] = had;
  }
  return copy;
}

describe("isCanonical", () => {
  it.each(DOCUMENTS)("takes a $kind as it stands", ({ kind, value }) => {
    expect(value).toBeDefined();
    expect(isCanonical(FILE_SHAPES[kind], value)).toBe(true);
    expect(canonicalValue(FILE_SHAPES[kind], value)).toBe(value);
  });

  it("says what zod says of documents with a fault in them", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...DOCUMENTS),
        fc.nat(),
        fc.nat({ max: 3 }),
        anything,
        ({ kind, value }, at, how, put) => {
          const faulty = changed(value, at, how, put);
          const shape = FILE_SHAPES[kind];
          const isSpelled = isSpelledByZod(shape, faulty);
          const found = isCanonical(shape, faulty);
          if (found) expect(isSpelled).toBe(true);
          // A field that is there and undefined is spelled as if it were not: that may be left to zod.
          else expect(isSpelled && put !== undefined).toBe(false);
        },
      ),
      { numRuns: 1500 },
    );
  });

  const Strict = z.strictObject({ a: z.number(), b: z.string().optional(), c: z.int().nullable() });
  class Holder {
    a = 1;
    c = null;
  }
  const holes = [1, 2];
  delete holes[0];
  it.each<{ why: string; shape: z.ZodType; value: unknown; want: boolean }>([
    { why: "every field in its place", shape: Strict, value: { a: 1, b: "x", c: null }, want: true },
    { why: "an optional field left out", shape: Strict, value: { a: 1, c: 3 }, want: true },
    {
      why: "an optional field that is undefined",
      shape: Strict,
      value: { a: 1, b: undefined, c: 3 },
      want: false,
    },
    { why: "another order", shape: Strict, value: { c: 3, a: 1 }, want: false },
    { why: "a field too few", shape: Strict, value: { a: 1 }, want: false },
    { why: "a field too many", shape: Strict, value: { a: 1, c: 3, d: 4 }, want: false },
    { why: "no whole number", shape: Strict, value: { a: 1, c: 3.5 }, want: false },
    { why: "an object with a class", shape: Strict, value: new Holder(), want: false },
    {
      why: "a key that is no field",
      shape: Strict,
      value: JSON.parse('{"a":1,"__proto__":3,"c":1}'),
      want: false,
    },
    { why: "an array with a hole", shape: z.array(z.number()), value: holes, want: false },
    { why: "an array that is too long", shape: z.array(z.number()).max(1), value: [1, 2], want: false },
    {
      why: "a shape that drops what it does not know",
      shape: z.object({ a: z.number() }),
      value: { a: 1, b: 2 },
      want: false,
    },
    { why: "a shape that changes what it takes", shape: z.string().trim(), value: " a", want: false },
    { why: "one that has nothing to change", shape: z.string().trim(), value: "a", want: true },
    { why: "a shape that converts", shape: z.coerce.number(), value: "1", want: false },
    { why: "a default that is not needed", shape: z.number().default(3), value: 1, want: true },
    {
      why: "a rule about the whole object",
      shape: Strict.refine(({ a }) => a > 1),
      value: { a: 1, c: 3 },
      want: false,
    },
    { why: "a union, by its second branch", shape: z.union([Strict, z.literal(7)]), value: 7, want: true },
    {
      why: "a record",
      shape: z.record(z.string(), z.int()),
      value: { x: 1 },
      want: true,
    },
  ])("$why", ({ shape, value, want }) => {
    expect(isCanonical(shape, value)).toBe(want);
  });

  it("asks zod what is wrong, and gives what zod makes of it", () => {
    expect(() => canonicalValue(Strict, { a: 1, c: "3" })).toThrow(z.ZodError);
    expect(JSON.stringify(canonicalValue(Strict, { c: 3, a: 1 }))).toBe('{"a":1,"c":3}');
  });

  it("leaves a rule that answers later to zod, which refuses to wait", () => {
    const later = z.string().refine(async () => true);
    expect(() => canonicalValue(later, "a")).toThrow();
  });
});

/** Where the short cut is worth most it must not be lost: a kind of field it does not know would be parsed, and slow. */
describe("the shapes of which there are millions", () => {
  it.each([
    { name: "history", shape: DaoHistory },
    { name: "lines", shape: ProposalLine },
    { name: "list", shape: DaoList },
    { name: "manifest", shape: Manifest },
    { name: "evidence", shape: Evidence },
  ])("$name: are of kinds that need no parsing", ({ shape }) => {
    const known = new Set(["string", "number", "boolean", "enum", "nullable", "optional", "array", "object"]);
    const kindsOf = (each: z.ZodType): string[] => {
      const def = each.def as { type: string; shape?: object; element?: z.ZodType; innerType?: z.ZodType };
      const inner = [...Object.values(def.shape ?? {}), def.element, def.innerType].filter(
        (one) => one !== undefined,
      );
      return [def.type, ...inner.flatMap((one) => kindsOf(one as z.ZodType))];
    };
    // Of a document's few unions, records and literals zod is asked.
    const slow = kindsOf(shape).filter((kind) => !known.has(kind));
    expect(slow.length).toBeLessThanOrEqual(12);
    if (shape === DaoHistory || shape === ProposalLine || shape === DaoList) expect(slow).toEqual([]);
  });
});
