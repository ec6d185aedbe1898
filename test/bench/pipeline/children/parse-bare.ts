import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";

// node parse-bare.js ARCHIVE lines|pages: JSON.parse of everything that a run reads, and nothing else. Prints the seconds of
// parsing alone and of reading, decoding and cutting as well.

const CHUNK_BYTES = 64 * 2 ** 20;
const PAGE_LINES = 1_000;
const NEWLINE = 0x0a;

type Variant = "lines" | "pages";

interface Spent {
  wallMs: number;
  processorUs: number;
}

function spend<Result>(spent: Spent, work: () => Result): Result {
  const began = process.cpuUsage();
  const beganMs = performance.now();
  const result = work();
  const { user, system } = process.cpuUsage(began);
  spent.wallMs += performance.now() - beganMs;
  spent.processorUs += user + system;
  return result;
}

/** The JSON texts of a chunk: a line each, or a thousand lines as one array. */
function textsOf(chunk: Buffer, variant: Variant): string[] {
  const lines = chunk.toString("utf8").split("\n");
  if (lines.at(-1) === "") lines.pop();
  if (variant === "lines") return lines;
  const pages: string[] = [];
  for (let from = 0; from < lines.length; from += PAGE_LINES)
    pages.push(`[${lines.slice(from, from + PAGE_LINES).join(",")}]`);
  return pages;
}

function parseAll(texts: readonly string[]): void {
  for (const text of texts) JSON.parse(text);
}

/** Reads a file in chunks of whole lines. */
function parseFile(path: string, variant: Variant, preparing: Spent, parsing: Spent): number {
  const file = openSync(path, "r");
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let held = 0;
  let bytes = 0;
  try {
    for (;;) {
      const got = spend(preparing, () => readSync(file, buffer, held, CHUNK_BYTES - held, null));
      const end = held + got;
      bytes += got;
      const cut = got === 0 ? end : buffer.lastIndexOf(NEWLINE, end - 1) + 1;
      if (cut > 0) {
        const texts = spend(preparing, () => textsOf(buffer.subarray(0, cut), variant));
        spend(parsing, () => parseAll(texts));
      }
      if (got === 0) return bytes;
      buffer.copy(buffer, 0, cut, end);
      held = end - cut;
    }
  } finally {
    closeSync(file);
  }
}

function main(): void {
  const [archive, variant] = process.argv.slice(2);
  if (archive === undefined || (variant !== "lines" && variant !== "pages"))
    throw new Error("bench: parse-bare ARCHIVE lines|pages");
  const preparing: Spent = { wallMs: 0, processorUs: 0 };
  const parsing: Spent = { wallMs: 0, processorUs: 0 };
  let bytes = 0;
  for (const folder of ["spaces", "proposals", "votes"])
    for (const name of readdirSync(join(archive, folder)))
      bytes += parseFile(join(archive, folder, name), variant, preparing, parsing);
  const costs = [
    { stage: "parse", wallS: parsing.wallMs / 1e3, processorS: parsing.processorUs / 1e6 },
    {
      stage: "read and parse",
      wallS: (parsing.wallMs + preparing.wallMs) / 1e3,
      processorS: (parsing.processorUs + preparing.processorUs) / 1e6,
    },
  ];
  process.stdout.write(`${JSON.stringify({ costs, bytes })}\n`);
}

main();
