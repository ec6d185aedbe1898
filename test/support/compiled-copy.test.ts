import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { compileCopy } from "./compiled-copy.ts";

const project = mkdtempSync(join(tmpdir(), "govdata-copy-"));
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** Writes a source as of so many seconds after the copies of now. */
function write(name: string, text: string, secondsLater: number): void {
  const path = join(project, name);
  writeFileSync(path, text);
  const atSeconds = Math.floor(Date.now() / 1000) + secondsLater;
  utimesSync(path, atSeconds, atSeconds);
}

const compiled = () => compileCopy(join(project, "entry.ts"), project, join(project, "copies"));
const copyOf = (name: string) => join(project, "copies", name);

it("compiles what was changed since, what it imports now, and nothing else again", () => {
  write("entry.ts", 'import { one } from "./one.ts";\nexport const all: number = one;\n', -60);
  write("one.ts", "export const one: number = 1;\n", -60);
  expect(compiled()).toBe(copyOf("entry.js"));
  expect(readFileSync(copyOf("entry.js"), "utf8")).toContain('from "./one.js"');
  expect(readFileSync(copyOf("one.js"), "utf8")).toContain("one = 1;");

  writeFileSync(copyOf("entry.js"), "kept");
  write("one.ts", 'export { two as one } from "./two.ts";\n', 60);
  write("two.ts", "export const two: number = 2;\n", -60);
  compiled();
  expect(readFileSync(copyOf("one.js"), "utf8")).toContain('from "./two.js"');
  expect(readFileSync(copyOf("two.js"), "utf8")).toContain("two = 2;");
  expect(readFileSync(copyOf("entry.js"), "utf8")).toBe("kept");

  rmSync(copyOf("two.js"));
  compiled();
  expect(readFileSync(copyOf("two.js"), "utf8")).toContain("two = 2;");
});
