import { describe, expect, it } from "vitest";
import { compareDaos } from "../../../../pipeline/tools/compare/compare-daos.ts";
import { readExplainedVersion } from "../../../../pipeline/tools/read-explained.ts";
import { BEGUN, BUSY, POWERLESS, publishVersions, RULED, UNUSED } from "./versions-stage.ts";

const stage = await publishVersions([BUSY, RULED, POWERLESS, BEGUN, UNUSED], ["2026-10-10"]);
const { set } = readExplainedVersion(stage.snapshots);
const unscored = new Map(set.unscored.map((dao) => [dao.space_id, dao.reason]));
const all = set.evidence.map(({ evidence }) => ({
  name: evidence.space_id,
  evidence,
  unscored: unscored.get(evidence.space_id),
  ranking: set.rankings.find(({ space_id: id }) => id === evidence.space_id),
}));

describe("DAOs side by side", () => {
  it("are each compared with each that comes after it", () => {
    const { daos, pairs } = compareDaos(all);
    expect(daos.map(({ spaceId }) => spaceId)).toEqual(all.map(({ name }) => name));
    expect(pairs).toHaveLength((all.length * (all.length - 1)) / 2);
    expect(new Set(pairs.map(({ a, b }) => `${a} ${b}`)).size).toBe(pairs.length);
  });

  it("differ in the gvs by what their components differ in it, and by nothing from themselves", () => {
    const scored = all.filter((dao) => dao.unscored === undefined);
    const { pairs } = compareDaos(scored);
    expect(pairs.length).toBeGreaterThan(1);
    for (const { gvs, components } of pairs) {
      const told = components.reduce((sum, { gvsPoints }) => sum + (gvsPoints ?? Number.NaN), 0);
      expect(told).toBeCloseTo(gvs.point ?? Number.NaN, 9);
    }
    for (const dao of scored) {
      const [pair] = compareDaos([dao, dao]).pairs;
      expect(pair).toMatchObject({ verdict: "unclear", gvs: { point: 0 } });
      expect(pair?.components.map(({ point, gvsPoints }) => [point, gvsPoints])).toEqual(
        Array(4).fill([0, 0]),
      );
    }
  });

  it("tell of one without a score its ends alone, and of one without power no risk", () => {
    const { daos, pairs } = compareDaos(all);
    const powerless = daos.find(({ spaceId }) => spaceId === POWERLESS);
    expect(powerless).toMatchObject({ unscored: { code: "TOO_LITTLE_KNOWN" }, gvs: { point: undefined } });
    expect(powerless?.components.every(({ point }) => point === undefined)).toBe(true);
    expect(powerless?.risk).toBeUndefined();
    const pairsOfPowerless = pairs.filter(({ a, b }) => a === POWERLESS || b === POWERLESS);
    expect(pairsOfPowerless.every(({ gvs, risk }) => gvs.point === undefined && risk === undefined)).toBe(
      true,
    );
    expect(pairs.find(({ a, b }) => [a, b].includes(UNUSED))?.verdict).toBe("incomparable");
  });
});

describe("the command", () => {
  it("answers in a sentence, then puts every number with its ends side by side in 80 columns", async () => {
    const end = await stage.govdata("compare", BUSY, RULED);
    expect(end).toMatchObject({ code: 0, stderr: "" });
    for (const line of end.stdout.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
    expect(end.stdout).not.toMatch(/NaN|undefined|null|Infinity| {1}$/m);
    const json = JSON.parse((await stage.govdata("--json", "compare", BUSY, RULED)).stdout);
    expect(end.stdout.replaceAll(/\s+/g, " ")).toContain(json.pairs[0].sentence);
    const [one, other] = json.daos.map(
      ({ gvs: { low, point, high } }: { gvs: Record<"low" | "point" | "high", number> }) =>
        `${point.toFixed(2)} \\[${low.toFixed(2)}-${high.toFixed(2)}\\]`,
    );
    expect(end.stdout).toMatch(new RegExp(`^gvs +${one} +${other} +[+-]\\d\\.\\d\\d \\[`, "m"));
    expect(end.stdout.match(/^ {2}[a-z ]+ {2,}(\[|not known)/gm)).toHaveLength(15);
  });

  it("is the same both ways round, but for the sign", async () => {
    const [forward, back] = await Promise.all(
      [
        [BUSY, RULED],
        [RULED, BUSY],
      ].map(async (pair) => JSON.parse((await stage.govdata("--json", "compare", ...pair)).stdout).pairs[0]),
    );
    expect(back.gvs.point).toBe(-forward.gvs.point);
    expect(back.components[0].low).toBe(-forward.components[0].high);
  });

  it("puts three abreast, and more below, without a column of differences", async () => {
    const { stdout } = await stage.govdata("compare", BUSY, RULED, POWERLESS, BEGUN);
    for (const line of stdout.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
    expect(stdout).toMatch(/^ +A +B +C$/m);
    expect(stdout).toMatch(/^ +D$/m);
    expect(stdout.match(/cannot be told apart|is ahead of/g)).toHaveLength(6);
  });

  it.each([
    { why: "one alone", args: [BUSY], code: 2, says: "missing required argument" },
    { why: "one twice", args: [BUSY, RULED, BUSY], code: 2, says: `${BUSY} is given twice` },
    {
      why: "more than fit",
      args: Array.from({ length: 11 }, (_, index) => `dao-${index}.example`),
      code: 2,
      says: "at most 10",
    },
    { why: "one that is not there", args: [BUSY, "paper.eth"], code: 1, says: `Did you mean ${BUSY}?` },
    { why: "no kept version", args: [BUSY, RULED, "--version", "x"], code: 1, says: "Kept versions:" },
  ])("$why: ends with $code", async ({ args, code, says }) => {
    const end = await stage.govdata("compare", ...args);
    expect(end.code).toBe(code);
    expect(end.stderr).toContain(says);
  });
});
