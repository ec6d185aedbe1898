import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, test } from "vitest";
import { parseJson, readDocument } from "../../../../pipeline/sources/archive/read-document.ts";

describe("read document", () => {
  const folder = mkdtempSync(join(tmpdir(), "govdata-document-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each([
    { why: "plain", bytes: Buffer.from('{"a":1}'), is: { a: 1 } },
    { why: "with the mark that some editors put first", bytes: Buffer.from('\uFEFF{"a":1}'), is: { a: 1 } },
  ])("a document is read $why", async ({ bytes, is }) => {
    writeFileSync(join(folder, "a.json"), bytes);
    expect((await readDocument(folder, "a.json"))?.()).toEqual(is);
  });

  test.each([
    { why: "two marks", bytes: Buffer.from("\uFEFF\uFEFF{}"), says: "it is not JSON" },
    { why: "bytes of another encoding", bytes: Buffer.from([0x7b, 0xff, 0x7d]), says: "it is not UTF-8" },
  ])("and refused with $why", async ({ bytes, says }) => {
    writeFileSync(join(folder, "b.json"), bytes);
    const document = await readDocument(folder, "b.json");
    expect(() => document?.()).toThrow(says);
  });
});

const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

describe("parseJson", () => {
  it.each([
    { why: "an object", text: '{"a":[1,{"b":null}]}', want: { a: [1, { b: null }] } },
    { why: "brackets in a text are no levels", text: `"${"[".repeat(200)}"`, want: "[".repeat(200) },
    {
      why: "an escaped quote does not end a text",
      text: `"\\"${"{".repeat(200)}"`,
      want: `"${"{".repeat(200)}`,
    },
    {
      why: "levels side by side",
      text: `[${"[],".repeat(100)}1]`,
      want: [...Array.from({ length: 100 }, () => []), 1],
    },
    { why: "1e309 is left to those who know what it is for", text: "1e309", want: Number.POSITIVE_INFINITY },
  ])("reads $why", ({ text, want }) => {
    expect(parseJson(text)).toEqual(want);
  });

  it.each([
    { why: "a level too deep", text: nested(65) },
    { why: "very much too deep", text: nested(1_000_000) },
    { why: "more values than any file of ours", text: `[${"1,".repeat(2_000_000)}1]` },
    { why: "nothing", text: "" },
    { why: "NaN", text: "NaN" },
    { why: "two values", text: "1 2" },
  ])("refuses $why without quoting it", ({ text }) => {
    expect(() => parseJson(text)).toThrow(expect.objectContaining({ code: "BAD_JSON" }));
  });

  it("reads the deepest level that may be", () => {
    expect(parseJson(nested(64))).toBeInstanceOf(Array);
  });

  it("keeps __proto__ a key like others", () => {
    const value = parseJson('{"__proto__":{"polluted":1}}');
    expect(Object.keys(Object(value))).toEqual(["__proto__"]);
    expect(Object(value).polluted).toBeUndefined();
  });
});
