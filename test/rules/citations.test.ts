import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { PROJECT, ROOMS, type SourceFile } from "./source-files.ts";

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

it("comments cite nothing that is not in the repository", () => {
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

it.each([
  { why: "a document elsewhere", text: "/** As plan.md has it. */", cited: ["plan.md"] },
  { why: "a source that is gone", text: "  // See ./gone-long-ago.ts first.", cited: ["./gone-long-ago.ts"] },
  { why: "a section of no standard", text: "// By the method's §9.", cited: ["§"] },
  { why: "a section of a standard", text: "// RFC 9110 §11.6.1 asks for it.", cited: [] },
  { why: "a file of ours", text: "// As in pipeline/score/METHODOLOGY.md.", cited: [] },
  { why: "code", text: 'open("plan.md");', cited: [] },
])("the rule judges $why", ({ text, cited }) => {
  expect(strangeCitations({ text }, names)).toEqual(cited);
});
