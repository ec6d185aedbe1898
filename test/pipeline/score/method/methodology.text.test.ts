import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { methodologyConstants } from "../../../../pipeline/cli/commands/methodology.ts";
import { CONSTANT_MEANINGS } from "./constant-meanings.ts";
import { generatedBlocks, METHODOLOGY_PATH, withBlocks } from "./generated-blocks.ts";
import { publishedFields } from "./published-fields.ts";
import { assessExample } from "./worked-example.ts";

const text = readFileSync(METHODOLOGY_PATH, "utf8");

/** The text under each heading of one level, by heading. */
function sectionsOf(level: string): ReadonlyMap<string, string> {
  const parts = text.split(new RegExp(`^${level} `, "m")).slice(1);
  return new Map(
    parts.map((part) => {
      const end = part.search(/^## /m);
      const [heading = "", ...lines] = (end < 0 ? part : part.slice(0, end)).split("\n");
      return [heading.replaceAll("`", ""), lines.join("\n")];
    }),
  );
}

/** How a heading is linked to. */
const anchorOf = (heading: string): string =>
  `#${heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .replaceAll(" ", "-")}`;

/** How a person would write a number into a sentence: without the nought before the point. */
const written = (value: number, decimals: number): string => value.toFixed(decimals).replace(/^0\./, ".");

describe("METHODOLOGY.md", () => {
  let blocks: ReadonlyMap<string, string>;
  beforeAll(async () => {
    blocks = await generatedBlocks();
  });

  it("holds what the code says; if not: npx tsx test/pipeline/score/methodology-text/generated-blocks.ts", () => {
    expect(text).toBe(withBlocks(text, blocks));
  });

  it("has a place for every generated part, so for every constant", () => {
    const marks = [...text.matchAll(/<!-- generated: ([^>]+) -->/g)].map(([, name]) => name);
    expect(marks.sort()).toEqual([...blocks.keys()].sort());
    for (const { name } of methodologyConstants().constants) expect(text).toContain(`| \`${name}\` |`);
  });

  it("says what each constant means, and of none that is gone", () => {
    const names = methodologyConstants().constants.map(({ name }) => name);
    expect(Object.keys(CONSTANT_MEANINGS).sort()).toEqual(names.sort());
  });

  it.each([
    {
      why: "another value",
      changed: text.replace("| `frame.windowDays` | 180 |", "| `frame.windowDays` | 90 |"),
    },
    { why: "a constant left out", changed: text.replace(/\| `risk\.whales` .*\n/, "") },
    { why: "another result of the example", changed: text.replace("| gvs | 5.", "| gvs | 6.") },
  ])("would not hold with $why", ({ changed }) => {
    expect(changed).not.toBe(text);
    expect(changed).not.toBe(withBlocks(changed, blocks));
  });

  it("does not ask for what nothing makes", () => {
    expect(() => withBlocks("<!-- generated: nothing -->\n<!-- end -->", blocks)).toThrow("nothing makes");
  });

  it.each([
    "What is looked at",
    "Likely coordinated wallets",
    "Participation (HPR)",
    "Decentralisation (DEI)",
    "Deliberation (PDI)",
    "Process (GPI)",
    "Thin evidence and the GVS",
    "How sure a score is",
    "Risk",
    "Delegates",
    "Data completeness",
    "Entities",
  ])("%s: question, range or gap, source, and how it is gamed or what it does not know", (heading) => {
    const section = sectionsOf("##").get(heading) ?? "";
    expect(section).toContain("**Question.**");
    expect(section).toMatch(/\*\*Gap\b/);
    expect(section).toMatch(/\*\*Source\b/);
    expect(section).toMatch(/ways to game it|What it does not know/i);
  });

  it("links to headings that exist", () => {
    const anchors = new Set([...sectionsOf("##").keys()].map(anchorOf));
    const links = [...text.matchAll(/\]\((#[^)]+)\)/g)].map(([, anchor = ""]) => anchor);
    expect(links.length).toBeGreaterThan(40);
    expect(links.filter((anchor) => !anchors.has(anchor))).toEqual([]);
  });

  it.each([...publishedFields()])(
    "explains every field of %s, and none that is not published",
    (name, fields) => {
      const section = sectionsOf("###").get(name) ?? "";
      const explained = section.split("\n").flatMap((line) => {
        const [, cell = "", where = ""] = line.split("|");
        return where.includes("](#") ? [...cell.matchAll(/`([^`]+)`/g)].map(([, field]) => field) : [];
      });
      expect(explained.sort()).toEqual([...fields].sort());
    },
  );

  it("counts by hand as the code does: the example's sentences", async () => {
    const { score, measures } = await assessExample();
    const example = (sectionsOf("##").get("A worked example") ?? "").replaceAll(/\s+/g, " ");
    const { hpr, dei, pdi, gpi } = score.components;
    const gvs =
      (1 + hpr.point) ** 0.3 * (1 + dei.point) ** 0.3 * (1 + pdi.point) ** 0.2 * (1 + gpi.point) ** 0.2 - 1;
    expect(gvs).toBeCloseTo(score.gvs.point, 9);
    const low = (10 * score.presence[0] * dei.indicators.reduce((sum, { mark }) => sum + mark[0], 0)) / 3;
    expect(low).toBeCloseTo(dei.low, 9);
    const last = measures.proposals.at(-1);
    for (const number of [
      written(last?.attention ?? 0, 3),
      dei.low.toFixed(2),
      dei.high.toFixed(2),
      dei.point.toFixed(2),
      gvs.toFixed(2),
    ])
      expect(example).toContain(number);
  });
});
