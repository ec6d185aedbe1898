import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { COVERED_BY } from "./covered-by.ts";
import { PROJECT, sourceFiles } from "./source-files.ts";

/** The three rooms whose tests mirror them. */
const ROOMS = ["pipeline", "snapshots", "proxy"] as const;

/** The source that a test is of: `a/b.test.ts` and `a/b.<aspect>.test.ts` are of `a/b`. */
const sourceOf = (test: string): string => join(dirname(test), basename(test).split(".")[0] ?? "");

/** Tests of these rooms that stand where no source stands. */
function withoutSource(tests: readonly string[], exists: (path: string) => boolean): readonly string[] {
  return tests.filter((path) => !exists(`${sourceOf(path)}.ts`) && !exists(`${sourceOf(path)}.sql`));
}

/** Sources that neither have a test of their own name nor a row. */
function withoutTest(
  sources: readonly string[],
  tests: readonly string[],
  rows: typeof COVERED_BY,
): readonly string[] {
  const tested = new Set(tests.map(sourceOf));
  return sources.filter(
    (path) =>
      !tested.has(path.replace(/\.ts$/, "")) &&
      !rows.some(([folder, names]) =>
        names === "*"
          ? path.startsWith(`${folder}/`)
          : dirname(path) === folder && names.split(" ").includes(basename(path, ".ts")),
      ),
  );
}

describe("the mirror of sources and tests", () => {
  const tests = ROOMS.flatMap((room) =>
    readdirSync(join(PROJECT, "test", room), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".test.ts"))
      .map((name) => join(room, name)),
  );
  const sources = sourceFiles(ROOMS).map(({ path }) => path);
  const isThere = (path: string) => existsSync(join(PROJECT, path));

  it("has a test where its source stands, and no other", () => {
    expect(tests.length, "the rule must have seen the tests").toBeGreaterThan(150);
    expect(withoutSource(tests, isThere)).toEqual([]);
  });

  it("has for each source a test of its name, or a row that names one", () => {
    expect(sources.length, "the rule must have seen the sources").toBeGreaterThan(300);
    expect(withoutTest(sources, tests, COVERED_BY)).toEqual([]);
  });

  it.each(COVERED_BY)("has a row for %s: %s", (folder, names, test) => {
    expect(isThere(join("test", test)), test).toBe(true);
    const tested = new Set(tests.map(sourceOf));
    for (const name of names === "*" ? [] : names.split(" ")) {
      expect(isThere(join(folder, `${name}.ts`)), `${name} is there`).toBe(true);
      expect(tested.has(join(folder, name)), `${name} has a test of its own`).toBe(false);
    }
  });

  it("can be broken, and only by what it is about", () => {
    const exists = (path: string) => path === "pipeline/a/b.ts";
    expect(withoutSource(["pipeline/a/b.test.ts", "pipeline/a/b.crash.test.ts"], exists)).toEqual([]);
    expect(withoutSource(["pipeline/a/c.test.ts", "pipeline/b.test.ts"], exists)).toHaveLength(2);
    const two = ["pipeline/a/b.ts", "pipeline/a/c.ts"];
    expect(withoutTest(two, ["pipeline/a/b.x.test.ts"], [])).toEqual(["pipeline/a/c.ts"]);
    expect(withoutTest(two, [], [["pipeline/a", "c", "x"]])).toEqual(["pipeline/a/b.ts"]);
    expect(withoutTest(two, [], [["pipeline", "*", "x"]])).toEqual([]);
    expect(withoutTest(two, [], [["pipeline", "b c", "x"]])).toEqual(two);
  });
});
