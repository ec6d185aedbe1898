import { describe, expect, it } from "vitest";
import { METHODOLOGY } from "../../../pipeline/score/method/methodology.ts";
import { readVersion } from "../../../snapshots/store/read/read-documents.ts";
import { BUSY, publishVersions } from "../tools/compare/versions-stage.ts";

const [first = ""] = METHODOLOGY.version.split(".");
const DAYS = ["2026-10-30", "2026-10-31"];

describe.each([
  { why: "has other numbers", method: `${first}.99.0`, isExplained: true },
  { why: "has another meaning", method: "99.0.0", isExplained: false },
])("an intact version of a method that $why", async ({ method, isExplained }) => {
  const { govdata, snapshots, versions } = await publishVersions([BUSY], DAYS, [method]);
  const [old = "", newest = ""] = versions;

  it("is verified as intact, in depth too", async () => {
    for (const args of [[], ["--deep"]]) {
      const { code, stdout } = await govdata("verify", old, ...args);
      expect([code, stdout.split(":")[0]]).toEqual([0, `${old} is intact`]);
    }
  });

  it("is recomputed by its own method only: both numbers are named", async () => {
    const { code, stderr } = await govdata("recompute", old);
    expect(code).toBe(1);
    expect(stderr).toContain(method);
    expect(stderr).toContain(METHODOLOGY.version);
    expect((await govdata("recompute", newest)).stdout).toContain("0 differences");
  });

  it(`is ${isExplained ? "" : "not "}explained and compared, and both methods are named`, async () => {
    const explained = await govdata("explain", BUSY, "--version", old);
    const compared = await govdata("diff", old, newest);
    expect([explained.code, compared.code]).toEqual(isExplained ? [0, 0] : [1, 1]);
    expect(explained.stdout + explained.stderr).toContain(`method ${method}`);
    expect(compared.stdout + compared.stderr).toContain(method);
    expect(compared.stdout + compared.stderr).toContain(METHODOLOGY.version);
  });

  it("keeps its history, which the next version does not mix with its own", () => {
    for (const [version, made] of [
      [old, method],
      [newest, METHODOLOGY.version],
    ] as const) {
      const points = readVersion(snapshots, version).set.histories.flatMap((history) => history.points);
      expect([...new Set(points.map((point) => point.methodology_version))]).toEqual([made]);
    }
  });
});
