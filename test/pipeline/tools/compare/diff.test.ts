import { describe, expect, it } from "vitest";
import { METHODOLOGY } from "../../../../pipeline/score/method/methodology.ts";
import { diffVersions } from "../../../../pipeline/tools/compare/diff.ts";
import { diffChanges } from "../../../../pipeline/tools/compare/moves.ts";
import { readVersion, type WholeVersion } from "../../../../snapshots/store/read/read-documents.ts";
import { everywhere, evidenceOf, type Marks } from "./random-evidence.ts";
import { BEGUN, BUSY, expectReadable, POWERLESS, publishVersions, RULED, UNUSED } from "./versions-stage.ts";

const stage = await publishVersions(
  [BUSY, RULED, POWERLESS, BEGUN, UNUSED],
  ["2026-09-15", "2026-10-10", "2026-10-10"],
);
const [first, second, third] = stage.versions.map((version) => readVersion(stage.snapshots, version));
if (first === undefined || second === undefined || third === undefined)
  throw new Error("three are published");

/** A version with other documents. */
const withSet = (
  whole: WholeVersion,
  change: (set: WholeVersion["set"]) => Partial<WholeVersion["set"]>,
) => ({
  ...whole,
  set: { ...whole.set, ...change(whole.set) },
});

const without = (whole: WholeVersion, spaceId: string): WholeVersion =>
  withSet(whole, ({ daos, unscored, evidence }) => ({
    daos: daos.filter((dao) => dao.space_id !== spaceId),
    unscored: unscored.filter((dao) => dao.space_id !== spaceId),
    evidence: evidence.filter((document) => document.evidence.space_id !== spaceId),
  }));

describe("two versions", () => {
  it("of the same data have nothing to tell", () => {
    const nothing = { daos: [], hidden: 0, unchanged: 5, constants: [] };
    expect(diffVersions(second, third, 0)).toMatchObject(nothing);
  });

  it("tell what moved, the strongest first, and both ways alike", () => {
    const forward = diffVersions(first, second, 0);
    const back = diffVersions(second, first, 0);
    expect(forward.daos.length).toBeGreaterThan(2);
    const scored = forward.daos.filter(({ gvs }) => gvs.before !== undefined || gvs.after !== undefined);
    const moved = scored.map(({ gvs }) => Math.abs((gvs.after ?? 0) - (gvs.before ?? 0)));
    expect(moved).toEqual(moved.toSorted((a, b) => b - a));
    expect(new Set(moved).size, "of different strength").toBeGreaterThan(1);
    expect(forward.daos.map(({ spaceId }) => spaceId)).toEqual(back.daos.map(({ spaceId }) => spaceId));
    forward.daos.forEach((dao, index) => {
      expect(back.daos[index]?.gvs).toEqual({ before: dao.gvs.after, after: dao.gvs.before });
      expect(dao.frame.entered.map(({ id }) => id)).toEqual(back.daos[index]?.frame.left.map(({ id }) => id));
    });
  });

  const half = everywhere([0.5, 0.5]);
  const some = half.with(5, [0.8, 0.8]).with(6, [0.3, 0.3]).with(7, [0.3, 0.3]);
  it.each([
    { moved: "presence", marks: half, presence: 0.72, says: /^presence −\d\.\d\d$/ },
    // Another of its indicators moved more, but the other way.
    { moved: "deliberation", marks: some, presence: 1, says: /^deliberation −\d\.\d\d \((period|delay)\)$/ },
  ])("name $moved where it is what moved", ({ moved, marks, presence, says }) => {
    const made = (marks: Marks, share: number) =>
      withSet(first, () => {
        const evidence = { ...evidenceOf(BUSY, marks, { presence: [share, share] }), unscored: null };
        return { evidence: [{ evidence, proposals: [] }] };
      });
    const changes = diffChanges(made(half, 1), made(marks, presence), { isFull: true, minDelta: 0 });
    const why = expect.stringMatching(says);
    expect(changes.daos).toMatchObject([{ spaceId: BUSY, mostly: moved, why }]);
  });

  it("name the proposals that came into a frame and went out of it, with where they were", () => {
    const busy = diffVersions(first, second, 0).daos.find(({ spaceId }) => spaceId === RULED);
    expect(busy?.frame.entered.length).toBeGreaterThan(0);
    expect(busy?.frame.entered.every(({ other }) => other === "NOT_ENDED")).toBe(true);
    const back = diffVersions(second, first, 0).daos.find(({ spaceId }) => spaceId === RULED);
    expect(new Set(back?.frame.left.map(({ other }) => other))).toEqual(new Set(["NOT_ENDED"]));
  });

  it("count what moved less than was asked for", () => {
    const all = diffVersions(first, second, 0);
    const none = diffVersions(first, second, 10);
    expect(none).toMatchObject({ daos: [], hidden: all.daos.length, unchanged: all.unchanged });
    const [strongest] = all.daos.filter(({ gvs }) => gvs.before !== undefined);
    const least = Math.abs((strongest?.gvs.after ?? 0) - (strongest?.gvs.before ?? 0));
    const some = diffVersions(first, second, least);
    expect(
      some.daos.map(({ spaceId }) => spaceId),
      "boundary: exactly as much",
    ).toContain(strongest?.spaceId);
    expect(some.daos.length + some.hidden).toBe(all.daos.length);
  });

  it.each([
    { why: "new", from: without(second, BUSY), to: third, fate: "appeared" },
    { why: "gone", from: second, to: without(third, BUSY), fate: "vanished" },
  ])("list a DAO that is $why, however little is asked for", ({ from, to, fate }) => {
    const { daos } = diffVersions(from, to, 10);
    expect(daos).toMatchObject([{ spaceId: BUSY, fate }]);
  });

  it("say when a DAO gets its first score, or loses it", () => {
    const gapped = withSet(second, ({ daos, unscored, evidence }) => ({
      daos: daos.filter((dao) => dao.space_id !== RULED),
      unscored: [...unscored, ...unscored.slice(0, 1).map((dao) => ({ ...dao, space_id: RULED }))],
      evidence: evidence.map((document) =>
        document.evidence.space_id === RULED
          ? { ...document, evidence: { ...document.evidence, unscored: "TOO_LITTLE_KNOWN" } }
          : document,
      ),
    }));
    expect(diffVersions(gapped, third, 10).daos).toMatchObject([{ spaceId: RULED, fate: "scored" }]);
    expect(diffVersions(third, gapped, 10).daos).toMatchObject([{ spaceId: RULED, fate: "unscored" }]);
  });

  it("name constants that differ", () => {
    const other = withSet(third, () => ({ methodologyVersion: "99.0.0" }));
    expect(diffVersions(second, other, 0).constants).toEqual([
      { name: "methodology", before: METHODOLOGY.version, after: "99.0.0" },
    ]);
  });

  it("compare what is listed where a version has no evidence yet", () => {
    const old = withSet(first, () => ({ evidence: [] }));
    const { daos } = diffVersions(old, second, 0);
    const ruled = daos.find(({ spaceId }) => spaceId === RULED);
    expect(ruled).toMatchObject({ components: [], frame: { entered: [], left: [], remeasured: [] } });
    expect(ruled?.gvs.before).toBe(first.set.daos.find((dao) => dao.space_id === RULED)?.gvs);
  });
});

describe("the command", () => {
  it("prints a table of 80 columns and why, and ends with 0", async () => {
    const end = await stage.govdata("diff", first.version, "current");
    expect(end).toMatchObject({ code: 0, stderr: "" });
    expectReadable(end.stdout);
    expect(end.stdout).toMatch(/^ {2}space +gvs +change +rank +risk$/m);
    expect(end.stdout).toMatch(/^ {2}entered the frame \(was NOT_ENDED\): 0x/m);
    expect(end.stdout).toMatch(/\n\d changed, \d unchanged\n$/);
    const [moved] = diffVersions(first, third, 0).daos;
    const [low, high] = third.set.evidence.flatMap(({ evidence: { space_id: spaceId, gvs } }) =>
      spaceId === moved?.spaceId ? [gvs.low, gvs.high] : [],
    );
    expect(end.stdout, "between which ends the score lies").toContain(
      `to ${moved?.gvs.after?.toFixed(2)} [${low?.toFixed(2)}-${high?.toFixed(2)}] `,
    );
    const said = end.stdout.replaceAll(/\s+/g, " ");
    expect(said, "parts are rounded").toMatch(/, [+-]0\.\d\d in gvs.* Each change is rounded separately/);
    expect(said, "attention moves with the frame").toMatch(
      /measured otherwise \(attention[^)]*\).* A proposal can be measured otherwise/,
    );
    const json = JSON.parse((await stage.govdata("--json", "diff", first.version, "current")).stdout);
    expect(json).toMatchObject({ from: { version: first.version }, to: { version: third.version } });
  });

  it.each([
    { why: "nothing changed", args: ["previous", "current"], code: 0, says: "0 changed, 5 unchanged" },
    { why: "one version only", args: ["current"], code: 2, says: "two versions or two days" },
    { why: "no number", args: ["previous", "current", "--min-delta", "-1"], code: 2, says: "from 0 to 10" },
  ])("$why: ends with $code", async ({ args, code, says }) => {
    const end = await stage.govdata("diff", ...args);
    expect(end.code).toBe(code);
    expect(end.stdout + end.stderr).toContain(says);
    expect(end.stdout, "nothing to be explained").not.toMatch(/rounded separately|can be measured otherwise/);
  });
});
