import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  encodeCanonical,
  encodeParsed,
  sha256Hex,
  sortedJson,
} from "../../../snapshots/format/canonical-json.ts";

const Shape = z.strictObject({ first: z.number(), second: z.string().optional() });

describe("encodeCanonical", () => {
  it.each([
    {
      why: "keys in the order of the shape",
      value: { second: "b", first: 1 },
      want: '{"first":1,"second":"b"}\n',
    },
    { why: "an absent field stays absent", value: { first: 0 }, want: '{"first":0}\n' },
    { why: "UTF-8, not escapes", value: { first: 1, second: "é…" }, want: '{"first":1,"second":"é…"}\n' },
  ])("$why", ({ value, want }) => {
    expect(encodeCanonical(Shape, value).toString("utf8")).toBe(want);
  });

  it.each([
    { why: "NaN", value: { first: Number.NaN } },
    { why: "infinity", value: { first: Number.POSITIVE_INFINITY } },
    { why: "null where a number is required", value: { first: null } },
    { why: "a field too many", value: { first: 1, third: 1 } },
    { why: "nothing", value: undefined },
  ])("refuses $why", ({ value }) => {
    expect(() => encodeCanonical(Shape, value as never)).toThrow(z.ZodError);
  });

  it("gives the same bytes again for what it gave", () => {
    const value = fc.record({
      first: fc.double({ noNaN: true, noDefaultInfinity: true }),
      second: fc.string(),
    });
    fc.assert(
      fc.property(value, (document) => {
        const bytes = encodeCanonical(Shape, document);
        expect(encodeCanonical(Shape, JSON.parse(bytes.toString())).equals(bytes)).toBe(true);
      }),
    );
  });
});

describe("encodeParsed", () => {
  const items = Array.from({ length: 1_011 }, (_, index) => ({ id: index, text: `é… 🌱 ${index}` }));

  it.each<{ why: string; value: unknown }>([
    { why: "a list that is spelled at once", value: items.slice(0, 1_000) },
    { why: "one more", value: items.slice(0, 1_001) },
    { why: "whole pieces", value: items.slice(0, 1_010) },
    { why: "one less than whole pieces", value: items.slice(0, 1_009) },
    { why: "lists in an object", value: { first: items, absent: undefined, between: [1], last: items } },
    { why: "a list that is all there is", value: { items } },
    { why: "a short list of long ones, which is no object", value: [items, items] },
  ])("spells a long value as JSON does, in pieces: $why", ({ value }) => {
    expect(encodeParsed(value).toString("utf8")).toBe(`${JSON.stringify(value)}\n`);
  });
});

it.each([0, 1, 9, 10, 11, 1_500])("spells a list that is made as it is taken: %i items", (count) => {
  const made = Array.from({ length: count }, (_, id) => ({ id }));
  const rows = { [Symbol.iterator]: () => made[Symbol.iterator]() };
  const given = encodeParsed({ about: "rows", absent: undefined, rows });
  expect(given.toString("utf8")).toBe(`${JSON.stringify({ about: "rows", rows: made })}\n`);
});

describe("sha256Hex", () => {
  it.each([
    { why: "nothing", input: "", want: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
    {
      why: "the test vector of the standard",
      input: "abc",
      want: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    },
  ])("$why", ({ input, want }) => {
    expect(sha256Hex(input)).toBe(want);
    expect(sha256Hex(Buffer.from(input))).toBe(want);
  });
});

describe("sortedJson", () => {
  it.each([
    {
      why: "keys at every depth",
      value: { b: [{ d: 1, c: 2 }], a: null },
      want: '{"a":null,"b":[{"c":2,"d":1}]}',
    },
    { why: "lists keep their order", value: [2, 1], want: "[2,1]" },
    { why: "undefined fields are left out", value: { a: undefined }, want: "{}" },
    { why: "no value at all", value: undefined, want: "null" },
    {
      why: "a key that looks like a prototype",
      value: JSON.parse('{"__proto__":1}'),
      want: '{"__proto__":1}',
    },
  ])("$why", ({ value, want }) => {
    expect(sortedJson(value)).toBe(want);
  });

  it("does not depend on the order in which keys came", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const reversed = Object.fromEntries(Object.entries(value).toReversed());
        expect(sortedJson(reversed)).toBe(sortedJson(value));
      }),
    );
  });
});
