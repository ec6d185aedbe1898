import { tmpdir } from "node:os";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Line, readLines } from "../../../../pipeline/sources/archive/read-lines.ts";
import { archiveOf } from "./small-archive.ts";

async function linesOf(content: string | Uint8Array, lineBytesMax = 100): Promise<Line[]> {
  const lines: Line[] = [];
  await readLines(archiveOf({ file: content }), "file", lineBytesMax, (line) => lines.push(line));
  return lines;
}

const MEGABYTE = 1024 * 1024;

describe("readLines", () => {
  it.each<readonly [why: string, content: string | Uint8Array, lines: Readonly<Record<number, string>>]>([
    ["nothing", "", {}],
    ["a line end alone", "\n", {}],
    ["numbers of lines count empty ones", "a\n\n \nb\n", { 1: "a", 4: "b" }],
    ["a last line without its end", "a\nb", { 1: "a", 2: "b" }],
    ["as long as may be", `${"x".repeat(100)}\n`, { 1: "x".repeat(100) }],
    ["a byte too long, then a good one", `${"x".repeat(101)}\nb\n`, { 1: "too long", 2: "b" }],
    ["too long over several chunks", `${"x".repeat(3 * MEGABYTE)}\nb\n`, { 1: "too long", 2: "b" }],
    ["too long without an end", `a\n${"x".repeat(3 * MEGABYTE)}`, { 1: "a", 2: "too long" }],
    ["not UTF-8", Uint8Array.of(0xc3, 0x28, 10, 0x61), { 1: "not UTF-8", 2: "a" }],
    ["a byte order mark", "\uFEFFa\n\uFEFFb\n", { 1: "a", 2: "\uFEFFb" }],
  ])("%s", async (_why, content, want) => {
    const lines = await linesOf(content);
    const texts = lines.map(({ line, text, problem }) => [String(line), problem ?? text]);
    expect(texts).toEqual(Object.entries(want));
  });

  it("tells a last line without its end from others", async () => {
    expect((await linesOf("a\nb")).map(({ isUnterminated }) => isUnterminated)).toEqual([false, true]);
  });

  it("puts lines together that lie across chunks", async () => {
    const line = "é€😀".repeat(50_000);
    const lines = await linesOf(`${line}\n${line}\n${line}`, 2 * MEGABYTE);
    expect(lines.map(({ text }) => text === line)).toEqual([true, true, true]);
    const stride = Buffer.byteLength(line) + 1;
    expect(lines.map(({ range }) => range?.from)).toEqual([0, stride, 2 * stride]);
  });

  it("gives any lines back", async () => {
    const text = fc
      .string({ unit: "grapheme", maxLength: 20 })
      .map((item) => `x${item.replaceAll("\n", "")}`);
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 10 }), fc.boolean(), async (texts, isTerminated) => {
        const lines = await linesOf(texts.join("\n") + (isTerminated ? "\n" : ""), 1_000);
        expect(lines.map((line) => line.text)).toEqual(texts);
      }),
      { numRuns: 50 },
    );
  });

  it("fails where there is no file", async () => {
    const reading = readLines(tmpdir(), "govdata-there-is-no-such-file", 10, () => undefined);
    await expect(reading).rejects.toMatchObject({ code: "ENOENT" });
  });
});
