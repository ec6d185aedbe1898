import { cpSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { recomputeVersion } from "../../../pipeline/recompute/recompute.ts";
import { UnscoredList } from "../../../snapshots/format/dao.ts";
import { RISK_DECIMALS, roundTo } from "../../../snapshots/format/ids.ts";
import type { PublishedSet } from "../../../snapshots/format/published-set.ts";
import { Rankings } from "../../../snapshots/format/rankings.ts";
import { TRENDS, type Trend } from "../../../snapshots/format/value-sets.ts";
import { readVersion } from "../../../snapshots/store/read/read-documents.ts";
import { currentDirectory, replaceFile, sealAgain } from "../../snapshots/store/temporary-root.ts";
import { partsOf } from "../../support/parts-of.ts";
import { govdata } from "../cli/stand.ts";
import { BEGUN, BUSY, POWERLESS, publishVersions, RULED, UNUSED } from "../tools/compare/versions-stage.ts";
import { type LeafPath, leafAt, leavesOf, withLeaf } from "./recompute-evidence.ts";

const OTHERS = ["copper-kettle.example", "moss-and-ember.example", "glass-meadow.example"];
const stage = await publishVersions([BUSY, RULED, POWERLESS, BEGUN, UNUSED, ...OTHERS], ["2026-10-31"]);
const { set } = readVersion(stage.snapshots);
const recomputeSet = (whole: PublishedSet) => recomputeVersion({ lists: whole, parts: () => partsOf(whole) });

/** The smallest change that a published number can have, or another word. */
function changed(leaf: unknown): unknown {
  if (typeof leaf === "number") return leaf + 0.1;
  return typeof leaf === "boolean" ? !leaf : `${String(leaf)}x`;
}

/** The differences outside the evidence, which is left as it is. */
const differencesIn = (forged: PublishedSet) =>
  recomputeSet(forged).differences.filter(({ path }) => !/^(evidence|proposals)\//.test(path));

/** One DAO's documents within the set. */
function documentLeaves(whole: PublishedSet, spaceId: string): LeafPath[] {
  const under = (prefix: LeafPath) => leavesOf(leafAt(whole, prefix), prefix);
  const placeOf = (list: readonly { readonly space_id: string }[]) =>
    list.findIndex((document) => document.space_id === spaceId);
  const history = placeOf(whole.histories);
  const last = (whole.histories[history]?.points.length ?? 0) - 1;
  return [
    ...under(["daos", placeOf(whole.daos)]),
    ...under(["details", placeOf(whole.details)]),
    ...under(["risks", placeOf(whole.risks)]),
    ...under(["histories", history, "points", last]),
    ...under(["dgi"]),
    ...under(["dgiHistory", "values", (whole.dgiHistory?.values.length ?? 0) - 1]),
  ];
}

describe("a version that is as it was published", () => {
  it("has no difference, in thousands of numbers", () => {
    const { numbers, daos, differences } = recomputeSet(set);
    expect(differences).toEqual([]);
    expect(daos).toBe(8);
    expect(numbers).toBeGreaterThan(10_000);
    expect(set.dgi, "an index is among them").toBeDefined();
    expect(set.unscored.map((dao) => dao.space_id)).toEqual([POWERLESS, UNUSED]);
  });

  it("needs no warehouse, and says so in one line", async () => {
    expect(await stage.govdata("recompute")).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^0 differences in \d\d,\d{3} numbers of 8 DAOs\n$/),
      stderr: "",
    });
  });
});

describe("a change is noticed", () => {
  // Who the strongest are is in no evidence; nor is who a DAO is, but there its documents must agree.
  const isDerived = (path: LeafPath) => !path.includes("top_entities");

  it("of any leaf of one DAO's documents, and of the index", () => {
    const paths = documentLeaves(set, BUSY).filter(isDerived);
    expect(paths.length).toBeGreaterThan(80);
    const unnoticed = paths.filter((path) => {
      const forged = withLeaf(set, path, changed(leafAt(set, path)));
      return differencesIn(forged).length === 0;
    });
    expect(unnoticed).toEqual([]);
  });

  it("of any leaf of the ranks and the unscored list, with its empty frames", () => {
    expect(set.unscored.map((dao) => dao.empty_frame === undefined)).toEqual([true, false]);
    const paths = [...leavesOf(set.unscored, ["unscored"]), ...leavesOf(set.rankings, ["rankings"])].filter(
      (path) => !["name", "category"].includes(String(path.at(-1))),
    );
    const unnoticed = paths.filter((path) => {
      const forged = withLeaf(set, path, changed(leafAt(set, path)));
      // No reader lets through what is against its shape.
      const isShaped =
        UnscoredList.safeParse(forged.unscored).success && Rankings.safeParse(forged.rankings).success;
      return isShaped && differencesIn(forged).length === 0;
    });
    expect(unnoticed).toEqual([]);
  });

  it("of a DAO or a risk that is left out", () => {
    expect(differencesIn({ ...set, daos: set.daos.slice(1) })).not.toEqual([]);
    expect(differencesIn({ ...set, risks: set.risks.slice(1) })).not.toEqual([]);
  });

  it.each([
    { why: "falls", days: 30, daily: -0.1, possible: ["improving"] },
    { why: "stands", days: 30, daily: 0, possible: ["stable"] },
    { why: "rises", days: 30, daily: 0.1, possible: ["declining"] },
    {
      why: "rises so that rounding hides by how much",
      days: 30,
      daily: 2 / 30,
      possible: ["stable", "declining"],
    },
    { why: "falls on just enough days", days: 14, daily: -0.1, possible: ["improving"] },
    { why: "falls on too few days", days: 13, daily: -0.1, possible: ["stable"] },
  ])("of a trend that does not follow from a risk that $why", ({ days, daily, possible }) => {
    const withTrend = (trend: Trend): PublishedSet => ({
      ...set,
      risks: set.risks.map((risk) => (risk.space_id === BUSY ? { ...risk, trend } : risk)),
      histories: set.histories.map((history) => ({
        ...history,
        points: history.points
          .slice(-days)
          .map((point, day) => ({ ...point, risk_score: roundTo(50 + daily * day, RISK_DECIMALS) })),
      })),
    });
    const isBelieved = (trend: Trend) =>
      recomputeSet(withTrend(trend)).differences.every(({ path }) => path !== `risk/${BUSY}.json trend`);
    expect(TRENDS.filter(isBelieved).toSorted()).toEqual(possible.toSorted());
  });

  it("of the documents of a DAO without evidence, or in no list", () => {
    const pathsOf = (forged: PublishedSet) => recomputeSet(forged).differences.map(({ path }) => path);
    const bare = { ...set, evidence: set.evidence.filter(({ evidence }) => evidence.space_id !== BUSY) };
    expect(pathsOf(bare)).toEqual(expect.arrayContaining([`daos/${BUSY}.json`, `risk/${BUSY}.json`]));
    const unlisted = { ...set, unscored: set.unscored.filter((dao) => dao.space_id !== UNUSED) };
    expect(pathsOf(unlisted)).toEqual([`proposals/${UNUSED}.ndjson`]);
  });
});

describe("on the disk", () => {
  const copyOf = (name: string): string => {
    const root = `${stage.snapshots}-${name}`;
    cpSync(stage.snapshots, root, { recursive: true });
    return root;
  };
  const run = (root: string, ...args: readonly string[]) =>
    govdata(["--home", `${root}-home`, "--snapshots", root, ...args]);

  it("an indicator that is changed, with every hash made to hold, is noticed by recompute alone", async () => {
    const root = copyOf("forged");
    const path = `evidence/${BUSY}.json`;
    const place: LeafPath = ["components", "dei", "indicators", 0, "low"];
    const file = join(currentDirectory(root), path);
    const value = JSON.parse(readFileSync(file, "utf8"));
    replaceFile(file, `${JSON.stringify(withLeaf(value, place, Number(leafAt(value, place)) / 2))}\n`);
    sealAgain(root, path);
    const version = basename(currentDirectory(root));
    expect(await run(root, "verify")).toMatchObject({ code: 0 });
    const end = await run(root, "recompute", version);
    expect(end.code).toBe(1);
    expect(end.stdout).toMatch(
      new RegExp(
        `^evidence/${BUSY}.json components.dei.indicators.0.low\n {2}published {2}\\S+\n {2}recomputed \\S+\n`,
      ),
    );
    expect(end.stdout).toMatch(/\n1 difference in [\d,]+ numbers of 8 DAOs\n$/);
    const json = JSON.parse((await run(root, "recompute", "--json")).stdout);
    expect(json).toMatchObject({
      version,
      daos: 8,
      problems: [],
      differences: [{ path: expect.any(String) }],
    });
  });

  it("a file that is changed without its hash is damage, and nothing is derived from it", async () => {
    const root = copyOf("damaged");
    const directory = currentDirectory(root);
    cpSync(join(directory, "unscored.json"), join(directory, "daos.json"));
    expect(await run(root, "recompute")).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^FILE_WRONG_SIZE .*daos\.json.*\n.*is damaged: nothing was recomputed/s),
    });
  });

  it("a version that is not kept is refused, with those that are", async () => {
    const end = await run(stage.snapshots, "recompute", "20200101T000000Z-00000000");
    expect(end).toMatchObject({ code: 1, stderr: expect.stringMatching(/NOT_FOUND.*\nKept versions: 2026/) });
  });
});
