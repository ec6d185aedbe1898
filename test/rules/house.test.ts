import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { PROJECT, type SourceFile, sourceFiles } from "./source-files.ts";

/** The three rooms: what is said here holds in all of them. */
const ROOMS = ["pipeline", "snapshots", "proxy"] as const;

const FILES_A_FOLDER_MAX = 26;
const LONE_LINES_MIN = 40;

/** Folders whose files have one shape, so that their number says nothing about how hard they are to find one's way in. */
const ONE_SHAPE: ReadonlyMap<string, string> = new Map([
  ["pipeline/cli/commands", "a file a command: options, call, output"],
  ["proxy/routes", "a file an endpoint: shape, words and rule"],
]);

/** Short files with one importer beside them, each with its reason. */
const LONE_FILES: ReadonlyMap<string, string> = new Map();

const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*|new URL\(\s*)"(\.{1,2}\/[^"]+\.ts)"/g;

/** Who imports each file, by path. */
function importersOf(files: readonly SourceFile[]): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>();
  for (const { path, text } of files) {
    for (const target of new Set(
      [...text.matchAll(IMPORT)].map((match) => join(dirname(path), match[1] ?? "")),
    )) {
      importers.set(target, [...(importers.get(target) ?? []), path]);
    }
  }
  return importers;
}

/** Short files that only a file beside them imports: they usually belong into it. */
function loneFiles(files: readonly SourceFile[]): readonly string[] {
  const importers = importersOf(files);
  return files
    .filter(({ path, text }) => {
      const [only, ...others] = importers.get(path) ?? [];
      const isLone = only !== undefined && others.length === 0 && dirname(only) === dirname(path);
      return isLone && text.split("\n").length - 1 < LONE_LINES_MIN && !ONE_SHAPE.has(dirname(path));
    })
    .map(({ path }) => path);
}

/** Folders with more files than one can overlook. */
function crowdedFolders(files: readonly SourceFile[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { path } of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > FILES_A_FOLDER_MAX).map(([folder]) => folder);
}

const file = (path: string, text = "x\n".repeat(LONE_LINES_MIN)): SourceFile => ({ path, text });

describe("the house", () => {
  const files = sourceFiles(ROOMS);

  it("has no crowded folder but those of one shape", () => {
    expect(files.length, "the rule must have seen the project").toBeGreaterThan(150);
    expect(crowdedFolders(files).filter((folder) => !ONE_SHAPE.has(folder))).toEqual([]);
    for (const folder of ONE_SHAPE.keys())
      expect(files.some(({ path }) => dirname(path) === folder)).toBe(true);
  });

  it("has no short file that only its neighbour imports, but for the listed ones", () => {
    expect(loneFiles(files)).toEqual([...LONE_FILES.keys()]);
  });

  it("sees a crowd and a lone file", () => {
    const crowd = Array.from({ length: FILES_A_FOLDER_MAX + 1 }, (_, nth) => file(`pipeline/a/${nth}.ts`));
    expect(crowdedFolders(crowd)).toEqual(["pipeline/a"]);
    expect(crowdedFolders(crowd.slice(1))).toEqual([]);

    const importing = file("pipeline/a/b.ts", 'import { c } from "./c.ts";\n'.repeat(LONE_LINES_MIN));
    const short = file("pipeline/a/c.ts", "export const c = 1;\n");
    expect(loneFiles([importing, short])).toEqual(["pipeline/a/c.ts"]);
    const again = file("pipeline/a/d.ts", 'import { c } from "./c.ts";\n');
    expect(loneFiles([importing, again, short])).toEqual([]);
    expect(loneFiles([importing, file("pipeline/a/c.ts")])).toEqual([]);
    const above = file("pipeline/b.ts", 'const { c } = await import("./a/c.ts");\n');
    expect(loneFiles([above, short])).toEqual([]);
  });
});

/** Tests of these rooms that stand where no source stands: `a/b.test.ts` and `a/b.<aspect>.test.ts` are of `a/b.ts` or `a/b.sql`. */
function withoutSource(tests: readonly string[], exists: (path: string) => boolean): readonly string[] {
  return tests.filter((path) => {
    const source = join(dirname(path), basename(path).split(".")[0] ?? "");
    return !exists(`${source}.ts`) && !exists(`${source}.sql`);
  });
}

test("a test stands where its source stands", () => {
  const tests = ROOMS.flatMap((room) =>
    readdirSync(join(PROJECT, "test", room), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".test.ts"))
      .map((name) => join(room, name)),
  );
  expect(tests.length).toBeGreaterThan(150);
  expect(withoutSource(tests, (path) => existsSync(join(PROJECT, path)))).toEqual([]);
  const isThere = (path: string) => path === "pipeline/a/b.ts";
  expect(withoutSource(["pipeline/a/b.test.ts", "pipeline/a/b.crash.test.ts"], isThere)).toEqual([]);
  expect(withoutSource(["pipeline/a/c.test.ts", "pipeline/b.test.ts"], isThere)).toHaveLength(2);
});
