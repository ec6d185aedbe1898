import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readDocument } from "../../../../pipeline/sources/archive/read-document.ts";

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
