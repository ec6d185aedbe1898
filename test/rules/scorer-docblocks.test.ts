import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const FOLDER = join(import.meta.dirname, "../../pipeline/score");
const LINES = ["Range", "Unit", "Source", "Unknown"];
const FILES = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith(".ts"),
);
const SCORER =
  /^export function (score[A-Z]\w*|\w+Marks?|attend|breadthOf|cadenceOf|presenceOf|proposersSum|completenessPct|rankDaos|delegateCentralizationAt)\b/gm;
/** What adds marks up or makes them of two readings, and scores nothing itself. */
const HELPERS = ["addMark", "meanMark", "powerMarks"];

/** Scorers of one source text with the labelled lines that their docblock lacks. */
function scorersOf(text: string): { readonly name: string; readonly lacks: readonly string[] }[] {
  const found = [...text.matchAll(SCORER)].filter(([, name = ""]) => !HELPERS.includes(name));
  return found.map((match) => {
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
    expect.arrayContaining(["attend", "delegateCentralizationAt", "scoreRisk", "scoreMeasures"]),
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
