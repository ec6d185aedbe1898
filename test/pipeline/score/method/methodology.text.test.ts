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
    const { scored, measures } = await assessExample();
    const example = (sectionsOf("##").get("A worked example") ?? "").replaceAll(/\s+/g, " ");
    const [effective, nakamoto, top] = scored.components.dei.indicators.map(({ value }) => value ?? 0);
    const powers = measures.members.map(({ power }) => power ?? 0).sort((a, b) => b - a);
    const scale = powers[1] ?? 0;
    const last = measures.members.at(-1);
    const components = [0.3, 0.3, 0.2, 0.2];
    const points = Object.values(scored.components).map(({ score }) =>
      score.kind === "gap" ? 0 : score.points,
    );
    const gvs =
      Math.exp(
        points.reduce((sum, value, place) => sum + (components[place] ?? 0) * Math.log(1 + value), 0),
      ) - 1;
    expect((((last?.power ?? 0) / scale - 0.25) / 0.75).toFixed(9)).toBe(last?.attention.toFixed(9));
    const { effectiveProposals } = scored;
    const { headsMean } = scored.participation;
    const again = headsMean / measures.expectedHeads;
    const never = 1 / (effectiveProposals * (1 - (1 - 1 / effectiveProposals) ** 5));
    const loyalty = (again - never) / (1 - never);
    expect(loyalty).toBeCloseTo(scored.components.hpr.indicators[2]?.raw ?? 0, 9);
    const raw = (id: string) => scored.components.pdi.indicators.find((row) => row.id === id)?.raw ?? 0;
    const elapsed = raw("half_power_time");
    for (const number of [
      scale.toLocaleString("en", { maximumFractionDigits: 1 }),
      written(last?.attention ?? 0, 3),
      written(effective ?? 0, 3),
      written(nakamoto ?? 0, 1),
      written(top ?? 0, 3),
      ((10 * ((effective ?? 0) + (nakamoto ?? 0) + (top ?? 0))) / 3).toFixed(3),
      `= ${written(again, 3)}; with`,
      `= ${written(never, 3)}, and`,
      `= ${written(loyalty, 3)}: full marks`,
      `(1 − ${written(raw("contestedness"), 4)}) / .25 would be ${written((1 - raw("contestedness")) / 0.25, 3)}`,
      `of the mean f is ${written(4 * elapsed * (1 - elapsed), 3)}`,
      ...points.map((value) => `ln ${(1 + value).toFixed(4)}`),
      gvs.toFixed(4),
    ]) {
      expect(example).toContain(number);
    }
  });
});
