import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type SourceFile, sourceFiles, withoutComments } from "./source-files.ts";

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

describe("every source file", () => {
  /** Names with a digit that are the field's own words. */
  const WORDS_WITH_DIGITS: ReadonlySet<string> = new Set(["key-format.ts"]);

  const LINES_MAX = 400;
  const VAGUE = /(^|[/-])(utils?|helpers?|common|misc)([/.-]|$)/;

  /** Where the world is let in: only here is there a clock. */
  const EDGES: ReadonlySet<string> = new Set(["pipeline/cli/start.ts", "proxy/start.ts"]);

  /** Words that say nothing of what they stand beside. */
  const EMPTY_WORDS = new Set(
    "a an the of or and to in for is as its this that one each every what needs returns makes builds creates reads".split(
      " ",
    ),
  );

  const wordsOf = (text: string): readonly string[] =>
    text
      .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];

  /** Docblocks of a line whose every word is in the line below: they say what name and type say already. */
  function repeatedNames(text: string): readonly string[] {
    const lines = text.split("\n");
    return lines.filter((line, index) => {
      const said = /^\/\*\* ([^.`0-9]*)\. \*\/$/.exec(line)?.[1];
      if (said === undefined) return false;
      const named = wordsOf(lines[index + 1] ?? "").map((word) => word.slice(0, 4));
      return wordsOf(said).every((word) => EMPTY_WORDS.has(word) || named.includes(word.slice(0, 4)));
    });
  }

  /** What exists once: its code, and the only files that have it. */
  const ONLY_IN: readonly {
    readonly what: string;
    readonly pattern: RegExp;
    readonly files: readonly string[];
  }[] = [
    { what: "the length of a day", pattern: /86_?400_?000/, files: ["snapshots/base/days.ts"] },
    {
      what: "flushing to the disk",
      pattern: /\bfsync|handle\.sync\(\)|flush: true/,
      // The second is the disk of the store, which tests replace by a failing one.
      files: ["snapshots/base/durable-files.ts", "snapshots/store/write/snapshot-disk.ts"],
    },
    {
      what: "a lock of the kernel",
      pattern: /journal_mode = MEMORY/,
      files: ["snapshots/base/sqlite.ts"],
    },
    {
      what: "the stamp of a SQLite file",
      pattern: /(application_id|user_version)( = |")/,
      files: ["snapshots/base/sqlite.ts"],
    },
  ];

  interface Rule {
    readonly name: string;
    /** What breaks the rule in a file; nothing where it holds. */
    readonly breaks: (file: SourceFile) => readonly string[];
    /** Files that must break it. */
    readonly canaries: readonly SourceFile[];
    /** Files that look much like it and must not. */
    readonly innocent: readonly SourceFile[];
  }

  const matches = (pattern: RegExp, text: string) => text.match(pattern) ?? [];
  const file = (path: string, text = ""): SourceFile => ({ path, text });

  const RULES: readonly Rule[] = [
    {
      name: `no file has more than ${LINES_MAX} lines: past that it is two files`,
      breaks: ({ text }) => (text.split("\n").length - 1 > LINES_MAX ? ["too long"] : []),
      canaries: [file("a.ts", "x\n".repeat(LINES_MAX + 1))],
      innocent: [file("a.ts", "x\n".repeat(LINES_MAX))],
    },
    {
      name: "files and folders are kebab-case, without digits",
      breaks: ({ path }) =>
        path
          .split("/")
          .filter((part) => !WORDS_WITH_DIGITS.has(part) && !/^[a-z]+(-[a-z]+)*(\.ts)?$/.test(part)),
      canaries: [
        file("pipeline/aB.ts"),
        file("pipeline/a_b/c.ts"),
        file("pipeline/a-2.ts"),
        file("pipeline/a.b.ts"),
      ],
      innocent: [file("pipeline/score/dao-score.ts")],
    },
    {
      name: "no file or folder is a drawer for everything",
      breaks: ({ path }) => (VAGUE.test(path) ? [basename(path)] : []),
      canaries: ["utils/a", "score/helper", "common", "string-utils", "misc-of/a"].map((name) =>
        file(`pipeline/${name}.ts`),
      ),
      innocent: [file("pipeline/commonwealth.ts"), file("pipeline/futile.ts")],
    },
    {
      name: "a docblock says more than the name below it",
      breaks: ({ text }) => repeatedNames(text),
      canaries: [
        file("a.ts", "/** The parts of a book. */\nexport interface BookParts {\n"),
        file("a.ts", "/** Reads one block. */\nexport function readBlock() {\n"),
      ],
      innocent: [
        file("a.ts", "/** Reads one block by its hash. */\nexport function readBlock() {\n"),
        file("a.ts", "/** Lower case. */\nexport type Address = string;\n"),
        file("a.ts", "export type Address = string;\n"),
      ],
    },
    {
      name: "exports have names",
      breaks: ({ text }) => matches(/^export (default|\*).*$/gm, text),
      canaries: [file("a.ts", "export default 1;\n"), file("a.ts", 'export * from "./b.ts";\n')],
      innocent: [file("a.ts", 'export { b } from "./b.ts";\n')],
    },
    {
      name: "the clock is an argument: it is read at the edges alone",
      breaks: ({ path, text }) =>
        EDGES.has(path) ? [] : matches(/Date\.now\b|new Date\(\)|performance\.now\b/g, withoutComments(text)),
      canaries: ["Date.now()", "const clock = Date.now;", "new Date()", "performance.now()"].map((text) =>
        file("pipeline/run/a.ts", text),
      ),
      innocent: [
        file("pipeline/cli/start.ts", "Date.now()"),
        file("a.ts", "// no Date.now() here\nnew Date(atMs)"),
      ],
    },
    {
      name: "nobody writes to the console: what is said goes through a terminal or a log",
      breaks: ({ text }) => matches(/\bconsole\./g, withoutComments(text)),
      canaries: [file("a.ts", "console.log(1)"), file("a.ts", "  globalThis.console.error(1)")],
      innocent: [file("a.ts", "/** Not to console.log. */")],
    },
    {
      name: "the checkers are not told to look away",
      breaks: ({ text }) => matches(/@ts-(ignore|expect-error|nocheck)|\bTODO\b|\bFIXME\b/g, text),
      canaries: ["// @ts-ignore", "// @ts-expect-error why", "// TODO later", "// FIXME"].map((text) =>
        file("a.ts", text),
      ),
      innocent: [file("a.ts", "const TODOS = 1;")],
    },
    {
      name: "what the base does is done nowhere else",
      breaks: ({ path, text }) =>
        ONLY_IN.filter(
          ({ files, pattern }) => !files.includes(path) && pattern.test(withoutComments(text)),
        ).map(({ what }) => what),
      canaries: [
        "fsyncSync(file)",
        "await handle.sync()",
        "writeFileSync(a, b, { flush: true })",
        'lock.pragma("journal_mode = MEMORY")',
        "database.pragma(`user_version = 3`)",
        "const DAY_MS = 86_400_000",
        "days * 86400000",
      ].map((text) => file("pipeline/a.ts", text)),
      innocent: [file("snapshots/base/days.ts", "86_400_000"), file("a.ts", "// not flush: true\nsyncNow()")],
    },
  ];

  describe.each(RULES)("$name", ({ breaks, canaries, innocent }) => {
    it("holds in the project", () => {
      const files = sourceFiles();
      expect(files.length, "the rule must have seen the project").toBeGreaterThan(150);
      expect(new Set(files.map(({ path }) => dirname(path).split("/")[0])).size).toBe(4);
      expect(files.flatMap((file) => breaks(file).map((what) => `${file.path}: ${what}`))).toEqual([]);
    });

    it("can be broken, and only by what it is about", () => {
      for (const canary of canaries)
        expect(breaks(canary), canary.path + canary.text.slice(0, 80)).not.toEqual([]);
      for (const text of innocent) expect(breaks(text), text.path + text.text.slice(0, 80)).toEqual([]);
    });
  });
});
