import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { DEMO_END_DAY, DEMO_SEED, writeWorld } from "../../fixtures/world.ts";
import { govdata, LEAF, makeStands, TOAST } from "../pipeline/cli/stand.ts";
import { PROJECT } from "../rules/source-files.ts";
import { publishedFiles } from "../support/published-files.ts";
import { runFolder } from "../support/run-folder.ts";
import { textOf } from "./guide.ts";

const python = process.env["GOVDATA_TEST_PYTHON"] ?? "python3";
const hasDuckdb = spawnSync(python, ["-c", "import duckdb"]).status === 0;
const here = hasDuckdb ? "" : ` (skipped: no duckdb in ${python}; GOVDATA_TEST_PYTHON names one that has it)`;

/** Too little is known of it for a score. */
const BEACON = "unlit-beacon.example";

/** The demo's folder, made as the demo makes it. */
const demo = mkdtempSync(join(runFolder(), "notebook-"));

const print = (snapshots: string) =>
  spawnSync(python, ["snapshots/notebook.py"], {
    cwd: PROJECT,
    env: { PATH: process.env["PATH"], GOVDATA_SNAPSHOTS: snapshots },
    encoding: "utf8",
  });

/** A copy of what is published, with one document changed. */
function changed(path: string, change: (document: never) => void): string {
  const folder = join(mkdtempSync(join(runFolder(), "notebook-")), "published");
  cpSync(join(demo, "published"), folder, { recursive: true });
  const file = join(folder, publishedFiles(folder).version, path);
  const document = JSON.parse(readFileSync(file, "utf8")) as never;
  change(document);
  writeFileSync(file, JSON.stringify(document));
  return folder;
}

describe.skipIf(!hasDuckdb)(`snapshots/notebook.py${here}`, () => {
  beforeAll(async () => {
    const world = join(demo, "world");
    const { asOf } = writeWorld({ directory: world, seed: DEMO_SEED, endDay: DEMO_END_DAY });
    const stores = ["--home", join(demo, "home"), "--snapshots", join(demo, "published")];
    const source = ["--from", world, "--registry", join(world, "registry.yaml"), "--as-of", asOf];
    const { code, stderr } = await govdata(["run", ...source, ...stores]);
    if (code !== 0) throw new Error(stderr);
  });

  it("prints snapshots/NOTEBOOK.md of the demo's world", () => {
    const { status, stdout, stderr } = print(join(demo, "published"));
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toBe(textOf("snapshots/NOTEBOOK.md"));
  });

  it.each([
    {
      why: "a score that does not follow from its proposals",
      path: "evidence/second-breakfast.example.json",
      change: (evidence: { gvs: { point: number } }) => {
        evidence.gvs.point += 1e-8;
      },
    },
    {
      why: "a concentration that does not follow from the delegates",
      path: "evidence/tidewater-credit.example.json",
      change: (evidence: { measures: { delegation: { hhi_points: number } } }) => {
        evidence.measures.delegation.hhi_points += 1e-4;
      },
    },
  ])("stops at $why", ({ path, change }) => {
    const { status, stderr } = print(changed(path, change));
    expect(status).toBe(1);
    expect(stderr).toContain("AssertionError");
  });

  it.each([
    {
      why: "two DAOs, without delegates",
      spaceIds: [LEAF, TOAST],
      status: 0,
      says: /not ranked in \S+: \S+ and \S+ instead\n/,
    },
    { why: "one DAO, with itself", spaceIds: [LEAF], status: 0, says: /: (\S+) and \1 instead\n/ },
    { why: "no score", spaceIds: [BEACON], status: 1, says: /^No DAO of \S+ has a score/ },
  ])("goes through own data: $why", async ({ spaceIds, status, says }) => {
    const { snapshots } = (await makeStands(spaceIds)).published();
    const end = print(snapshots);
    expect(end).toMatchObject({ status, stderr: expect.stringMatching(says) });
    expect(end.stderr).not.toContain("Traceback");
    if (status === 0) expect(end.stdout).toMatch(/numbers equal the evidence to 1e-9/);
  });

  it("goes through a history that is shorter than its days", async () => {
    const { snapshots } = (await makeStands([LEAF])).published();
    const file = join(snapshots, publishedFiles(snapshots).version, `history/${LEAF}.json`);
    const history = JSON.parse(readFileSync(file, "utf8")) as { points: unknown[] };
    rmSync(file);
    writeFileSync(file, JSON.stringify({ ...history, points: history.points.slice(-5) }));
    const { status, stdout } = print(snapshots);
    expect(status).toBe(0);
    expect(stdout).toContain("No DAO has a score on both of two days that are 30 days apart.");
  });

  it("says what to run where nothing is published", () => {
    const { status, stderr } = print(join(demo, "nothing"));
    expect(status).toBe(1);
    expect(stderr).toContain("npm run demo -- --once");
    expect(stderr).not.toContain("Traceback");
  });
});
