import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { PROJECT, ROOMS, type SourceFile, sourceFiles, withoutComments } from "./source-files.ts";

// Fields are spelt as they are published (`space_id`) where documents are made, read or shown. A floor that computes
// with them would have to change with every change of the wire.
const COMPUTING = ["pipeline/facts/", "pipeline/score/"] as const;

/** The published fields of more than one word, from the shapes themselves. */
function publishedFields(files: readonly SourceFile[]): ReadonlySet<string> {
  const keys = files.flatMap(({ text }) => [...text.matchAll(/^\s+([a-z]+(?:_[a-z0-9]+)+):/gm)]);
  return new Set(keys.map((match) => match[1] ?? ""));
}

/** Published fields that a text reads or writes: after a dot, before a colon, or taken apart. */
function fieldsIn(text: string, fields: ReadonlySet<string>): readonly string[] {
  const uses = [
    ...withoutComments(text).matchAll(/(?:\.|[{,]\s*|^\s+)([a-z]+(?:_[a-z0-9]+)+)(?=\s*[:,})\].;]|\b)/gm),
  ];
  return uses.map((match) => match[1] ?? "").filter((word) => fields.has(word));
}

const fields = publishedFields(
  sourceFiles(["snapshots"]).filter(({ path }) => path.startsWith("snapshots/format/")),
);

test("the shapes have been seen", () => {
  expect([...fields]).toEqual(expect.arrayContaining(["space_id", "as_of", "gvs_confidence", "votes_human"]));
  expect(fields.size).toBeGreaterThan(40);
});

test.each(COMPUTING)("%s names nothing as it is published", (folder) => {
  const files = sourceFiles(["pipeline"]).filter(({ path }) => path.startsWith(folder));
  expect(files.length).toBeGreaterThan(10);
  expect(files.flatMap(({ path, text }) => fieldsIn(text, fields).map((word) => `${path}: ${word}`))).toEqual(
    [],
  );
});

test.each([
  { why: "reading", text: "const id = dao.space_id;", is: ["space_id"] },
  { why: "writing", text: "const row = { space_id: id };", is: ["space_id"] },
  { why: "writing on a line of its own", text: "return {\n  space_id: id,\n};", is: ["space_id"] },
  { why: "taking apart", text: "const { space_id } = dao;", is: ["space_id"] },
  { why: "a comment", text: "/** By space_id. */\nconst a = 1; // dao.space_id", is: [] },
  { why: "a word that is not published", text: "const { voter_number } = row;", is: [] },
])("the rule sees $why", ({ text, is }) => {
  expect(fieldsIn(text, fields)).toEqual(is);
});

const FOLDER = join(import.meta.dirname, "../../pipeline/score");
const LINES = ["Range", "Unit", "Source", "Unknown"];
const FILES = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith(".ts"),
);
const SCORERS = [
  /^export function (score[A-Z]\w*|\w+Marks?)\b/gm,
  /^(?:export )?function (attend|breadthOf|cadenceOf|presenceOf|proposersSum|completenessPct|rankDaos|delegateCentralizationAt)\b/gm,
];
/** What adds marks up or makes them of two readings, and scores nothing itself. */
const HELPERS = ["addMark", "meanMark", "powerMarks"];

/** Scorers of one source text with the labelled lines that their docblock lacks. */
function scorersOf(text: string): { readonly name: string; readonly lacks: readonly string[] }[] {
  const named = SCORERS.flatMap((pattern) => [...text.matchAll(pattern)]);
  const scorers = named.filter(([, name = ""]) => !HELPERS.includes(name));
  return scorers.map((match) => {
    const before = text.slice(0, match.index).trimEnd();
    const block = before.endsWith("*/") ? before.slice(before.lastIndexOf("/**")) : "";
    const lacks = LINES.filter((line) => !new RegExp(`^ \\* ${line}: \\S.*$`, "m").test(block));
    return { name: match[1] ?? "", lacks };
  });
}

test("every scorer says its range, unit and source, and what is unknown", () => {
  const scorers = FILES.flatMap((file) => scorersOf(readFileSync(join(FOLDER, file), "utf8")));
  expect(scorers.filter(({ lacks }) => lacks.length > 0)).toStrictEqual([]);
  expect(scorers.map(({ name }) => name).sort()).toEqual(
    expect.arrayContaining([
      "attend",
      "delegateCentralizationAt",
      "presenceOf",
      "scoreRisk",
      "scoreMeasures",
    ]),
  );
  expect(scorers.length, "the rule must have seen the scorers").toBeGreaterThanOrEqual(12);
});

test.each([
  { why: "no docblock", text: "export function scoreIt() {}", lacks: LINES },
  {
    why: "a line is missing",
    text: "/**\n * It.\n *\n * Range: 0.\n * Unit: one.\n * Source: here.\n */\nexport function scoreIt() {}",
    lacks: ["Unknown"],
  },
  {
    why: "a line is empty",
    text: "/**\n * Range: 0.\n * Unit:\n * Source: here.\n * Unknown: none.\n */\nexport function attend() {}",
    lacks: ["Unit"],
  },
  {
    why: "the docblock of somebody else",
    text: "/**\n * Range: 0.\n * Unit: one.\n * Source: here.\n * Unknown: none.\n */\nconst a = 1;\nexport function scoreIt() {}",
    lacks: LINES,
  },
])("the rule can fail: $why", ({ text, lacks }) => {
  expect(scorersOf(text)[0]?.lacks).toStrictEqual(lacks);
});

test("no scorer knows who has opted out, so opting out can change no score", () => {
  expect(FILES.length).toBeGreaterThan(20);
  for (const file of FILES) expect(readFileSync(join(FOLDER, file), "utf8"), file).not.toMatch(/isOptedOut/);
});

/** Names of files, each with its suffix. */
const FILE_NAME = /(?<![)*\w./-])[\w./-]*\b[\w-]+\.(?:md|ts|mjs|cjs|py|sql)\b/g;

/** Sections are cited of a standard alone, by its number. */
const SECTION = /(?<!\bRFC \d{1,5} )§/g;

const COMMENT = /\/\*[\s\S]*?\*\/|(?:^|\s)\/\/[^\n]*/gm;

/** Documents and sections in a file's comments that a reader of the repository cannot open. */
function strangeCitations({ text }: Pick<SourceFile, "text">, names: ReadonlySet<string>): readonly string[] {
  return (text.match(COMMENT) ?? []).flatMap((comment) => [
    ...(comment.match(FILE_NAME) ?? []).filter((name) => !names.has(basename(name))),
    ...(comment.match(SECTION) ?? []),
  ]);
}

const paths = [...ROOMS, "test", ".github"].flatMap((room) =>
  readdirSync(join(PROJECT, room), { recursive: true, encoding: "utf8" }).map((name) => join(room, name)),
);
const names: ReadonlySet<string> = new Set(["README.md", ...paths.map((path) => basename(path))]);

test("comments cite nothing that is not in the repository", () => {
  // This file and that of the house show made-up names.
  const files = paths.filter((path) => path.endsWith(".ts") && !path.startsWith("test/rules/"));
  expect(files.length, "the rule must have seen the project").toBeGreaterThan(700);
  const citations = files.flatMap((path) =>
    strangeCitations({ text: readFileSync(join(PROJECT, path), "utf8") }, names).map(
      (cited) => `${path}: ${cited}`,
    ),
  );
  expect(citations).toEqual([]);
});

test.each([
  { why: "a document elsewhere", text: "/** As plan.md has it. */", cited: ["plan.md"] },
  { why: "a source that is gone", text: "  // See ./gone-long-ago.ts first.", cited: ["./gone-long-ago.ts"] },
  { why: "a section of no standard", text: "// By the method's §9.", cited: ["§"] },
  { why: "a section of a standard", text: "// RFC 9110 §11.6.1 asks for it.", cited: [] },
  { why: "a file of ours", text: "// As in pipeline/score/METHODOLOGY.md.", cited: [] },
  { why: "code", text: 'open("plan.md");', cited: [] },
])("the rule judges $why", ({ text, cited }) => {
  expect(strangeCitations({ text }, names)).toEqual(cited);
});
