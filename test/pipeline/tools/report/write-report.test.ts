import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { writeReport } from "../../../../pipeline/tools/report/write-report.ts";

const root = mkdtempSync(join(tmpdir(), "govdata-report-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const MARK = { version: "v", as_of: "2026-03-31T23:59:59.999Z", is_full: false };
const write = (directory: string, files: Readonly<Record<string, string>>) =>
  writeReport(directory, new Map(Object.entries(files)), MARK, "0123456789abcdef");

it("writes a new folder with those above it, and replaces a report as a whole", () => {
  const directory = join(root, "new", "report");
  write(directory, { "index.html": "1", "daos/a.html": "2" });
  expect(readFileSync(join(directory, "daos", "a.html"), "utf8")).toBe("2");
  write(directory, { "index.html": "3" });
  expect(readdirSync(directory).sort()).toEqual(["index.html", "report.json"]);
  expect(readFileSync(join(directory, "index.html"), "utf8")).toBe("3");
  expect(readdirSync(join(root, "new"))).toEqual(["report"]);
});

it.each([
  { why: "somebody's files", make: (path: string) => mkdirSync(path) },
  {
    why: "another program's report.json",
    make: (path: string) => {
      mkdirSync(path);
      writeFileSync(join(path, "report.json"), "{}");
    },
  },
])("refuses a folder with $why, and leaves it alone", ({ why, make }) => {
  const directory = join(root, why);
  make(directory);
  writeFileSync(join(directory, "thesis.txt"), "ten years");
  expect(() => write(directory, { "index.html": "" })).toThrow("exists and is not a report");
  expect(existsSync(join(directory, "index.html"))).toBe(false);
  expect(readFileSync(join(directory, "thesis.txt"), "utf8")).toBe("ten years");
});

it("refuses a file, and takes an empty folder", () => {
  const file = join(root, "file");
  writeFileSync(file, "x");
  expect(() => write(file, {})).toThrow("is not a report");
  const empty = join(root, "empty");
  mkdirSync(empty);
  write(empty, { "index.html": "" });
  expect(existsSync(join(empty, "index.html"))).toBe(true);
});

it("leaves the old report where writing the new one fails halfway", () => {
  const directory = join(root, "old");
  write(directory, { "index.html": "old" });
  // A folder cannot lie below a file.
  expect(() => write(directory, { a: "1", "a/b": "2" })).toThrow("cannot be written");
  expect(readFileSync(join(directory, "index.html"), "utf8")).toBe("old");
  expect(readdirSync(root).filter((name) => name.startsWith("."))).toEqual([]);
});
