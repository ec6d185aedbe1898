import { expect, test } from "vitest";
import { type SourceFile, sourceFiles, withoutComments } from "./source-files.ts";

// Fields are spelt as they are published (`space_id`) only where documents are made, read or shown. A floor that
// computes with them would have to change with every change of the wire.
const PLACES: readonly { readonly path: string; readonly why: string }[] = [
  { path: "pipeline/documents/", why: "makes the documents" },
  { path: "pipeline/registry/", why: "the registry is a file with the same names" },
  { path: "pipeline/sources/", why: "the shapes of what upstream says" },
  { path: "pipeline/warehouse/queries/", why: "columns of its own tables, in SQL" },
  { path: "pipeline/gate/", why: "judges documents that are ready to be written, and the ones before" },
  { path: "pipeline/run/run-report.ts", why: "makes run.json" },
  { path: "pipeline/run/reconciliation-findings.ts", why: "makes findings of run.json" },
  { path: "pipeline/run/history-finding.ts", why: "makes a finding of run.json" },
  { path: "pipeline/run/publish.ts", why: "hands the gates' findings to run.json" },
  { path: "pipeline/run/check-version.ts", why: "reads the version before" },
  { path: "pipeline/run/status.ts", why: "reads the current version" },
  { path: "pipeline/run/rollback.ts", why: "reads the version that is gone back to" },
  { path: "pipeline/run/show.ts", why: "reads the current version" },
  { path: "pipeline/run/explain", why: "reads the evidence of a version" },
  { path: "pipeline/run/recompute", why: "reads a whole version" },
  { path: "pipeline/run/diff", why: "reads two versions" },
  { path: "pipeline/exports/", why: "is made of published documents" },
  { path: "pipeline/run/feed.ts", why: "reads the kept versions" },
  { path: "pipeline/run/export-partitioned.ts", why: "writes about.json" },
  { path: "pipeline/run/partitioned/", why: "makes the columns of a partitioned export" },
  { path: "pipeline/run/report", why: "reads what the report is made of" },
  { path: "pipeline/run/doctor", why: "looks at the pointer and the current version" },
  { path: "pipeline/cli/format-shown.ts", why: "shows published documents" },
  { path: "pipeline/cli/format-graph.ts", why: "shows a published document" },
];

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

test("published words stand where documents are made, read or shown", () => {
  const elsewhere = sourceFiles(["pipeline"]).filter(
    ({ path }) => !PLACES.some((place) => path.startsWith(place.path)),
  );
  expect(elsewhere.length).toBeGreaterThan(60);
  expect(
    elsewhere.flatMap(({ path, text }) => fieldsIn(text, fields).map((word) => `${path}: ${word}`)),
  ).toEqual([]);
});

test.each(PLACES)("$path is still such a place ($why)", ({ path }) => {
  const files = sourceFiles(["pipeline"]).filter((file) => file.path.startsWith(path));
  expect(files.some(({ text }) => fieldsIn(text, fields).length > 0)).toBe(true);
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
