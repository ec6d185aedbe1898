import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Line, readLines } from "../../../../pipeline/sources/archive/read-lines.ts";

async function linesOf(content: string | Uint8Array, lineBytesMax = 100): Promise<Line[]> {
  const directory = mkdtempSync(join(tmpdir(), "govdata-lines-"));
  try {
    writeFileSync(join(directory, "file"), content);
    const lines: Line[] = [];
    await readLines(directory, "file", lineBytesMax, (line) => lines.push(line));
    return lines;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const MEGABYTE = 1024 * 1024;

describe("readLines", () => {
  it.each([
    { why: "nothing", content: "", want: [] },
    { why: "a line end alone", content: "\n", want: [] },
    {
      why: "numbers of lines count empty ones",
      content: "a\n\n \nb\n",
      want: [
        [1, "a"],
        [4, "b"],
      ],
    },
    {
      why: "a last line without its end",
      content: "a\nb",
      want: [
        [1, "a"],
        [2, "b"],
      ],
    },
    { why: "as long as may be", content: `${"x".repeat(100)}\n`, want: [[1, "x".repeat(100)]] },
    {
      why: "a byte too long, then a good one",
      content: `${"x".repeat(101)}\nb\n`,
      want: [
        [1, "too long"],
        [2, "b"],
      ],
    },
    {
      why: "too long over several chunks",
      content: `${"x".repeat(3 * MEGABYTE)}\nb\n`,
      want: [
        [1, "too long"],
        [2, "b"],
      ],
    },
    {
      why: "too long without an end",
      content: `a\n${"x".repeat(3 * MEGABYTE)}`,
      want: [
        [1, "a"],
        [2, "too long"],
      ],
    },
    {
      why: "not UTF-8",
      content: Uint8Array.of(0xc3, 0x28, 10, 0x61),
      want: [
        [1, "not UTF-8"],
        [2, "a"],
      ],
    },
    {
      why: "a byte order mark",
      content: "\uFEFFa\n\uFEFFb\n",
      want: [
        [1, "a"],
        [2, "\uFEFFb"],
      ],
    },
  ])("$why", async ({ content, want }) => {
    const lines = await linesOf(content);
    expect(lines.map(({ line, text, problem }) => [line, problem ?? text])).toEqual(want);
  });

  it("tells a last line without its end from others", async () => {
    expect((await linesOf("a\nb")).map(({ isUnterminated }) => isUnterminated)).toEqual([false, true]);
  });

  it("puts lines together that lie across chunks", async () => {
    const line = "é€😀".repeat(50_000);
    const lines = await linesOf(`${line}\n${line}\n${line}`, 2 * MEGABYTE);
    expect(lines.map(({ text }) => text === line)).toEqual([true, true, true]);
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
