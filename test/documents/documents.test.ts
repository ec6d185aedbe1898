import { existsSync, readdirSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { PROJECT, ROOMS } from "../rules/source-files.ts";
import { anchorOf, blockNames, headingsOf, textOf, withBlocks } from "./documents.ts";
import { BLOCKS_OF } from "./generated-blocks.ts";

/** The most words that each document may have, tables and code too: what its reader is promised. */
const WORDS_MAX: Readonly<Record<string, number>> = {
  ".github/CONTRIBUTING.md": 810,
  ".github/SECURITY.md": 260,
  "README.md": 800,
  "fixtures/README.md": 1150,
  "pipeline/CHANGELOG.md": 510,
  "pipeline/COMMANDS.md": 1230,
  "pipeline/OPERATING.md": 2610,
  "pipeline/PERFORMANCE.md": 540,
  "pipeline/README.md": 1060,
  "pipeline/gate/README.md": 590,
  "pipeline/tools/export/partitioned/sql/README.md": 650,
  "pipeline/tools/export/README.md": 450,
  "pipeline/score/METHODOLOGY.md": 4620,
  "pipeline/warehouse/README.md": 370,
  "proxy/CALLING.md": 1330,
  "proxy/COMMANDS.md": 1040,
  "proxy/PRODUCTION.md": 1500,
  "proxy/README.md": 940,
  "proxy/SCALING.md": 1220,
  "snapshots/NOTEBOOK.md": 350,
  "snapshots/README.md": 1930,
  "snapshots/REMOTE.md": 840,
};

/** The most words of all documents together, below the sum of the limits above. */
const WORDS_MAX_TOGETHER = 24_000;

/** Words of a text as `wc -w` counts them, the bars of tables too. */
const wordsOf = (text: string): number => text.match(/\S+/g)?.length ?? 0;

const documents = [
  "README.md",
  ...[...ROOMS, "test", ".github"].flatMap((room) =>
    readdirSync(join(PROJECT, room), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md"))
      .map((name) => join(room, name))
      .sort(),
  ),
];

/** Links of a text that lead to no file, or to no heading of it. */
function brokenLinks(file: string, text: string): readonly string[] {
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
  return links.filter((link) => {
    if (/^https?:/.test(link)) return false;
    const [path = "", anchor] = link.split("#");
    const target = path === "" ? file : normalize(join(dirname(file), path));
    if (!existsSync(join(PROJECT, target))) return true;
    return (
      anchor !== undefined &&
      !headingsOf(path === "" ? text : textOf(target))
        .map(anchorOf)
        .includes(anchor)
    );
  });
}

describe.each(documents)("%s", (file) => {
  it("leads to files and headings that exist", () => {
    expect(brokenLinks(file, textOf(file))).toEqual([]);
  });

  it("is as short as its reader is promised", () => {
    expect(wordsOf(textOf(file))).toBeLessThanOrEqual(WORDS_MAX[file] ?? 0);
  });
});

describe.each(Object.entries(BLOCKS_OF))("the generated blocks of %s", (file, makeBlocks) => {
  it("say what the code says; if not, run `npm run docs`", async () => {
    const text = textOf(file);
    const blocks = await makeBlocks();
    expect(text).toBe(withBlocks(text, blocks));
    expect([...blockNames(text)].sort()).toEqual([...blocks.keys()].sort());
  });
});

it("the changelog has at most eight lines for each version", () => {
  const [, ...versions] = textOf("pipeline/CHANGELOG.md").split(/^## /m);
  expect(versions.length).toBeGreaterThan(5);
  for (const section of versions) {
    const [title, ...lines] = section.split("\n").filter((line) => line !== "");
    expect(lines.length, title).toBeLessThanOrEqual(8);
  }
});

it("all documents together are as short as readers are promised", () => {
  const words = documents.reduce((sum, file) => sum + wordsOf(textOf(file)), 0);
  expect(words).toBeLessThanOrEqual(WORDS_MAX_TOGETHER);
});

it("every document with generated blocks has something that makes them", () => {
  const asking = documents.filter((file) => blockNames(textOf(file)).length > 0);
  expect(asking.sort()).toEqual(Object.keys(BLOCKS_OF).sort());
});

describe("the rules", () => {
  const text = "# A b\n[x](#a-b)\n<!-- generated: n -->\nold\n<!-- end -->\n";

  it("write a block anew, and nothing else", () => {
    expect(withBlocks(text, new Map([["n", "new"]]))).toBe(text.replace("old", "new"));
  });

  it("refuse a block that nothing makes", () => {
    expect(() => withBlocks(text, new Map())).toThrow('nothing makes the block "n"');
  });

  it.each([
    { why: "a heading that exists", link: "#a-b", broken: false },
    { why: "a heading that does not", link: "#a-c", broken: true },
    { why: "a file that does not", link: "nowhere.md", broken: true },
    { why: "a heading of another file that does not", link: "proxy/README.md#nowhere", broken: true },
    { why: "a page elsewhere", link: "https://example.org/x#y", broken: false },
  ])("judge a link to $why", ({ link, broken }) => {
    expect(brokenLinks("README.md", text.replace("#a-b", link))).toEqual(broken ? [link] : []);
  });
});
