import { expect, test } from "vitest";
import { type SourceFile, sourceFiles, withoutComments } from "./source-files.ts";

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
