import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { z } from "zod";
import { JSON_SHAPES } from "../pipeline/cli/json-shapes.ts";
import { commandPaths } from "../support/command-paths.ts";
import { runGovdata, runProxyCommand } from "../support/run-in-process.ts";
import { PROJECT } from "./source-files.ts";

/** One line of a table that says what commands print. */
interface Row {
  readonly commands: readonly string[];
  readonly text: string;
}

const readme = (path: string) => readFileSync(join(PROJECT, path, "README.md"), "utf8");

/** What stands between the signs for code. */
const codes = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? "");

function rowsOf(text: string, heading: string): readonly Row[] {
  const [, after = ""] = text.split(`\n${heading}\n|---|---|\n`);
  return after
    .split("\n\n", 1)
    .flatMap((table) => table.split("\n"))
    .filter((line) => line.startsWith("| "))
    .map((line) => {
      const [commands = "", ...cells] = line.slice(2).split(" | ");
      return { commands: codes(commands), text: cells.join(" | ") };
    });
}

/** The commands that a row is about: `show …` stands for all below `show`. */
function meantBy({ commands }: Row, ends: readonly string[]): readonly string[] {
  return commands.flatMap((command) =>
    command.endsWith(" …") ? ends.filter((end) => end.startsWith(command.slice(0, -1))) : [command],
  );
}

async function endsOf(run: typeof runProxyCommand): Promise<readonly string[]> {
  const paths = (await commandPaths(run)).map((path) => path.join(" "));
  return paths.filter((path) => !paths.some((other) => other.startsWith(`${path} `)));
}

const programs = [
  {
    page: "pipeline/README.md",
    heading: "| command | prints |",
    ends: await endsOf((args) => runGovdata(args)),
  },
  {
    page: "proxy/OPERATING.md",
    heading: "| command | prints with `--json` |",
    ends: await endsOf(runProxyCommand),
  },
];

describe.each(programs)("$page, where it says what --json prints", ({ page, heading, ends }) => {
  const rows = rowsOf(readFileSync(join(PROJECT, page), "utf8"), heading);

  it("has one row for every command, and none for another", () => {
    expect(rows.length).toBeGreaterThan(7);
    expect(rows.flatMap((row) => meantBy(row, ends)).sort()).toEqual([...ends].sort());
  });
});

type Schema = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;

/** The fields of an object, or of the objects of a list. */
function fieldsAtTop(schema: Schema): readonly string[] {
  if (isSchema(schema["items"])) return fieldsAtTop(schema["items"]);
  return isSchema(schema["properties"]) ? Object.keys(schema["properties"]) : [];
}

/** Every field at any depth, and every word that a value may be. */
function wordsWithin(schema: unknown): readonly string[] {
  if (!isSchema(schema)) return [];
  const { properties, enum: words, const: word, ...rest } = schema;
  const fields = isSchema(properties) ? properties : {};
  return [
    ...Object.keys(fields),
    ...(Array.isArray(words) ? words.map(String) : []),
    ...(typeof word === "string" ? [word] : []),
    ...[...Object.values(fields), ...Object.values(rest)].flatMap(wordsWithin),
  ];
}

/** They print what is published, which the formats describe. */
const DOCUMENTS = /^(show |graph$)/;

const leadsOn = ({ text }: Row): boolean => text.includes("cli/README.md");

/** The words of a row, and of the section it leads to where it is not said there. */
function saidIn({ commands, text }: Row): readonly string[] {
  if (!leadsOn({ commands, text })) return codes(text);
  const section = readme("pipeline/cli").split(`\n## \`${commands[0]}\`\n`)[1]?.split("\n## ")[0] ?? "";
  return codes(text + section);
}

const isField = (code: string) => /^[a-z][a-z\d]*([A-Z][a-z\d]*)*$/.test(code);

describe("a field of what govdata prints", () => {
  const [{ page, heading, ends } = { page: "", heading: "", ends: [] }] = programs;
  const rows = rowsOf(readFileSync(join(PROJECT, page), "utf8"), heading);
  const held = rows.flatMap((row) =>
    meantBy(row, ends)
      .filter((command) => !DOCUMENTS.test(command))
      .map((command) => ({ command, row, shape: JSON_SHAPES[command] })),
  );

  it.each(held)("stands in the row of $command, and no other does", ({ row, shape }) => {
    expect(shape, "a shape in json-shapes.ts").toBeDefined();
    if (shape === undefined) return;
    const schema = z.toJSONSchema(shape, { unrepresentable: "any", io: "input" });
    const said = saidIn(row);
    expect(fieldsAtTop(schema).filter((field) => !said.includes(field))).toEqual([]);
    // A section of its own tells more than fields.
    if (leadsOn(row)) return;
    const known = new Set([...wordsWithin(schema), ...ends.flatMap((end) => end.split(" "))]);
    expect(said.filter((code) => isField(code) && !known.has(code))).toEqual([]);
  });
});

test.each([
  { why: "a row", text: "\n| a |\n|---|---|\n| `x`, `y z` | `one` |\n\nafter", is: [["x", "y z"]] },
  { why: "no table", text: "\n| b |\n|---|---|\n| `x` | `one` |\n", is: [] },
])("the rule finds $why", ({ text, is }) => {
  expect(rowsOf(text, "| a |").map(({ commands }) => commands)).toEqual(is);
});

test("the rule sees fields at every depth, and words", () => {
  const shape = z.array(
    z.strictObject({ one: z.object({ two: z.enum(["three"]) }), four: z.literal("five") }),
  );
  const schema = z.toJSONSchema(shape);
  expect(fieldsAtTop(schema)).toEqual(["one", "four"]);
  expect(wordsWithin(schema)).toEqual(expect.arrayContaining(["one", "two", "three", "four", "five"]));
});
