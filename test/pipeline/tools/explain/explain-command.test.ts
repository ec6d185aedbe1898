import { describe, expect, it } from "vitest";
import { Evidence } from "../../../../snapshots/format/evidence.ts";
import { publishedFiles } from "../../../support/published-files.ts";
import { BEGUN, BUSY, POWERLESS, publishVersions, RULED, UNUSED } from "../compare/versions-stage.ts";

const stage = await publishVersions([BUSY, RULED, POWERLESS, BEGUN, UNUSED], ["2026-10-30", "2026-10-31"]);
const [first = "", second = ""] = stage.versions;
const explain = (...args: readonly string[]) => stage.govdata("explain", ...args);

describe("the story", () => {
  it.each([
    { why: "one with everything", space: BUSY },
    { why: "one that somebody rules", space: RULED },
    { why: "one without power", space: POWERLESS },
    { why: "one with few proposals", space: BEGUN },
    { why: "one without anything", space: UNUSED },
  ])("of $why fits 80 columns and says nothing that is no value", async ({ space }) => {
    const end = await explain(space);
    expect(end).toMatchObject({ code: 0, stderr: "" });
    for (const line of end.stdout.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
    expect(end.stdout).not.toMatch(/NaN|Infinity|undefined|null|\[object| {2}$/m);
    expect(end.stdout).not.toMatch(/0x[0-9a-f]{40}\b/i);
  });

  it("leads from the score to components, indicators and proposals, with the published numbers", async () => {
    const { stdout } = await explain(BUSY);
    const evidence = Evidence.parse(publishedFiles(stage.snapshots).json(`evidence/${BUSY}.json`));
    const { gvs } = evidence;
    expect(stdout).toContain(`GVS ${gvs.point.toFixed(2)} of 10`);
    const between = `between ${gvs.low.toFixed(2)} and ${gvs.high.toFixed(2)}`;
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(between);
    expect(stdout).toMatch(/rank\s+\d\s+of\s+3/);
    for (const [key, component] of Object.entries(evidence.components)) {
      const points = component.point.toFixed(2);
      expect(stdout).toMatch(new RegExp(`^ {2}${key} \\w+ +${points} `, "m"));
      for (const { id } of component.indicators) {
        expect(stdout).toMatch(new RegExp(`^ {2}${id.replaceAll("_", " ")} +\\S`, "m"));
      }
    }
    expect(stdout).toContain(`The score uses ${evidence.frame.members} of ${evidence.frame.known} known`);
    expect(stdout).toMatch(/^RISK \d+\.\d of 100/m);
    const said = stdout.replaceAll(/\s+/g, " ");
    expect(said).toMatch(/By the intervals of all DAOs: rank \d( to \d)? of 3/);
    expect(said).toContain("(loyalty of the others, proposers and active voters kept constant)");
    expect(stdout.match(/^ {2}0x\w+… {2}\d{4}-\d\d-\d\d/gm)).toHaveLength(5);
  });

  it("counts what is left out by reason, as the evidence does", async () => {
    const { stdout } = await explain(RULED);
    const { frame } = Evidence.parse(publishedFiles(stage.snapshots).json(`evidence/${RULED}.json`));
    expect(Object.keys(frame.excluded).length).toBeGreaterThan(0);
    for (const [reason, count] of Object.entries(frame.excluded)) {
      expect(stdout).toMatch(new RegExp(`^ +${count} {2}${reason}: `, "m"));
    }
  });

  it("adds the points of a component up to its number, with a line for what is not known", async () => {
    const { stdout } = await explain(BUSY, "--component", "pdi");
    const [, table = ""] = stdout.match(/^ {2}indicator .*\n([\s\S]*?)^ {2}- /m) ?? [];
    const [, total = ""] = stdout.match(/^PDI deliberation (\d+\.\d\d),/m) ?? [];
    const given = [...table.matchAll(/^ {2}[a-z ]+? {2,}.*?(\d\.\d\d)(?: of 1\.67)?$/gm)].map(([, points]) =>
      Number(points),
    );
    expect(given).toHaveLength(7);
    expect(Math.abs(given.reduce((sum, loss) => sum + loss, 0) - Number(total))).toBeLessThan(0.04);
  });

  it("of an unscored DAO tells its interval, what is not known and what data would help", async () => {
    const { stdout } = await explain(POWERLESS);
    const said = stdout.replaceAll(/\s+/g, " ");
    expect(said).toMatch(/No score, and no rank: between \d\.\d\d and \d\.\d\d, \d+ % known\./);
    expect(said).toMatch(/top: .*; its source would be the voting power of each vote/);
    expect(stdout).toMatch(/dei decentralisation +2\.\d\d {2}Moderate/);
  });

  it("of a DAO without anything says so once", async () => {
    const { stdout } = await explain(UNUSED);
    expect(stdout.match(/No finished proposal/g)).toHaveLength(1);
  });

  it("of one component tells no other", async () => {
    const { stdout } = await explain(BUSY, "--component", "dei");
    expect(stdout).toMatch(/^DEI decentralisation/m);
    expect(stdout).not.toMatch(/^(HPR|PDI|GPI|RISK)/m);
    expect(stdout).toMatch(/^ {2}proposal .* dei +effective/m);
  });

  it("as JSON is the evidence and its lines, as published", async () => {
    const { stdout } = await explain(BUSY, "--json");
    const files = publishedFiles(stage.snapshots);
    const lines = files.bytes(`proposals/${BUSY}.ndjson`).toString("utf8").trimEnd().split("\n");
    expect(JSON.parse(stdout)).toEqual({
      evidence: files.json(`evidence/${BUSY}.json`),
      proposals: lines.map((line) => JSON.parse(line)),
    });
  });
});

describe("which version", () => {
  it.each([
    { why: "the current one", more: [], is: second },
    { why: "one by name", more: ["--version", first], is: first },
    { why: "the one before", more: ["--version", "previous"], is: first },
    { why: "one of exactly that day", more: ["--as-of", "2026-10-30"], is: first },
    { why: "the one current at a moment", more: ["--as-of", "2026-11-01T06:30:00Z"], is: second },
  ])("is $why", async ({ more, is }) => {
    const { stdout } = await explain(BUSY, ...more);
    expect(stdout).toContain(`version ${is}`);
    expect(/not\s+the\s+current/.test(stdout)).toBe(is === first);
  });

  it.each([
    { why: "no DAO", args: ["nobody"], code: 1, says: `nobody is not in version ${second}\nIt has ` },
    { why: "a part of a name", args: ["velvet"], code: 1, says: `Did you mean ${RULED}?` },
    { why: "a DAO that is a path", args: ["../daos"], code: 1, says: "NOT_FOUND" },
    {
      why: "no version",
      args: [BUSY, "--version", "x"],
      code: 1,
      says: `Kept versions: ${first} (as of 2026-10-30T`,
    },
    {
      why: "a moment before all",
      args: [BUSY, "--as-of", "2026-01-01"],
      code: 1,
      says: "no version as of 2026-01-01T23:59:59.999Z is kept",
    },
    { why: "the future", args: [BUSY, "--as-of", "2027-01-01"], code: 2, says: "in the future" },
    {
      why: "two",
      args: [BUSY, "--as-of", "2026-10-30", "--version", "x"],
      code: 2,
      says: "Use one of them.",
    },
    { why: "no component", args: [BUSY, "--component", "dgi"], code: 2, says: "Allowed choices" },
  ])("refuses $why and says what to do", async ({ args, code, says }) => {
    expect(await explain(...args)).toEqual({ code, stdout: "", stderr: expect.stringContaining(says) });
  });
});
