import { describe, expect, it } from "vitest";
import type { CompareResult } from "../../../../pipeline/tools/compare/compare-daos.ts";
import { makeStands } from "../../cli/stand.ts";
import { BEGUN, BUSY, expectReadable, POWERLESS, publishVersions, RULED, UNUSED } from "./versions-stage.ts";

const stage = await publishVersions([BUSY, RULED, POWERLESS, BEGUN, UNUSED], ["2026-10-10"]);
const ALL = [BUSY, RULED, POWERLESS, BEGUN, UNUSED];
const compared: CompareResult = JSON.parse((await stage.govdata("--json", "compare", ...ALL)).stdout);

describe("DAOs side by side", () => {
  it("are each compared with each that comes after it", () => {
    expect(compared.daos.map(({ spaceId }) => spaceId)).toEqual(ALL);
    expect(compared.pairs.map(({ a, b }) => `${a} ${b}`)).toEqual(
      ALL.flatMap((a, index) => ALL.slice(index + 1).map((b) => `${a} ${b}`)),
    );
  });

  it("differ in the gvs by what their components differ in it", () => {
    const scored = compared.pairs.filter(({ gvs }) => gvs.point !== undefined);
    expect(scored.length).toBeGreaterThan(0);
    for (const { gvs, components } of scored) {
      const told = components.reduce((sum, { gvsPoints }) => sum + (gvsPoints ?? Number.NaN), 0);
      expect(told).toBeCloseTo(gvs.point ?? Number.NaN, 9);
    }
  });

  it("tell of one without a score its ends alone, and of one without power no risk", () => {
    const { daos, pairs } = compared;
    const powerless = daos.find(({ spaceId }) => spaceId === POWERLESS);
    expect(powerless?.unscored?.code).toBe("TOO_LITTLE_KNOWN");
    expect([powerless?.gvs, ...(powerless?.components ?? [])].map((span) => span?.point)).toEqual(
      Array(5).fill(undefined),
    );
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
    expectReadable(end.stdout);
    expect(end.stdout).not.toMatch(/ $/m);
    const json = JSON.parse((await stage.govdata("--json", "compare", BUSY, RULED)).stdout);
    expect(end.stdout.replaceAll(/\s+/g, " ")).toContain(json.pairs[0].sentence);
    const [one, other] = json.daos.map(
      ({ gvs: { low, point, high } }: { gvs: Record<"low" | "point" | "high", number> }) =>
        `${point.toFixed(2)} \\[${low.toFixed(2)}-${high.toFixed(2)}\\]`,
    );
    expect(end.stdout).toMatch(new RegExp(`^gvs +${one} +${other} +[+-]\\d\\.\\d\\d \\[`, "m"));
    expect(end.stdout.match(/^ {2}[a-z ]+ {2,}(\[|not known)/gm)).toHaveLength(15);
  });

  it("puts three abreast, and more below, without a column of differences", async () => {
    const { stdout } = await stage.govdata("compare", BUSY, RULED, POWERLESS, BEGUN);
    expectReadable(stdout);
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

it("says which DAO is ahead, in which components whatever is unknown, and shows a row for each", async () => {
  const tide = "tidewater-credit.example";
  const harbour = "harbour-lanterns.example";
  const setup = (await makeStands([tide, harbour])).published();
  const json = await setup.govdata(["compare", tide, harbour, "--json"]);
  const { daos, pairs }: CompareResult = JSON.parse(json.stdout);
  const [pair] = pairs;
  const nameOf = (key: string) => daos[0]?.components.find((component) => component.key === key)?.name;
  const weaker = pair?.components.filter(({ high }) => high < 0).map(({ key }) => nameOf(key)) ?? [];
  expect(weaker.length, "the world has a clear case").toBeGreaterThan(1);
  const { code, stdout } = await setup.govdata(["compare", tide, harbour]);
  expect(code).toBe(0);
  const said = stdout.replaceAll(/\s+/g, " ");
  const names = `${weaker.slice(0, -1).join(", ")} and ${weaker.at(-1)}`;
  expect(said).toContain(
    `${pair?.sentence} Whatever the unknown values are, Harbour Lanterns is ahead in ${names}.`,
  );
  for (const { key, name } of daos[0]?.components ?? [])
    expect(stdout).toMatch(new RegExp(`^${key} ${name} `, "m"));
});
