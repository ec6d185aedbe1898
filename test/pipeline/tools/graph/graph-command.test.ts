import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JSDOM } from "jsdom";
import { afterAll, describe, expect, it } from "vitest";
import { currentDirectory, replaceFile, sealAgain } from "../../../snapshots/store/temporary-root.ts";
import { withGraph } from "../../../support/delegation-graph.ts";
import { FIXTURE_AS_OF_MS, publishedSet, publishFixture } from "../../../support/published-set.ts";
import { runGovdata } from "../../../support/run-in-process.ts";
import { writeOptOuts } from "../export/export-stage.ts";

const HOUR_MS = 3_600_000;
const root = mkdtempSync(join(tmpdir(), "govdata-graph-"));
const snapshots = join(root, "published");
const NAME = "delegate-1.example";
afterAll(() => rmSync(root, { recursive: true, force: true }));
const { registry, optedOutRegistry, liveList } = writeOptOuts(root);
mkdirSync(join(root, "home"));
await publishFixture(snapshots, { createdAtMs: FIXTURE_AS_OF_MS + HOUR_MS });
const { version } = await publishFixture(snapshots, {
  set: withGraph(publishedSet()),
  createdAtMs: FIXTURE_AS_OF_MS + 2 * HOUR_MS,
});

const govdata = (...args: string[]) =>
  runGovdata(["--home", join(root, "home"), "--snapshots", snapshots, "--registry", registry, ...args]);

describe("govdata graph", () => {
  it("prints who stands behind each delegate", async () => {
    const { code, stdout } = await govdata("graph", "orchard", "--limit", "2");
    expect(code).toBe(0);
    expect(stdout).toContain("orchard: 14 delegators, 4 delegates\n");
    expect(stdout).toContain("By the logs up to block 19000000, 2026-03-31T23:59:59.999Z.\n");
    expect(stdout).toContain("The delegators of 75.01 % of the power are known.");
    expect(stdout).toMatch(
      / 1 {2}0x0{39}1 {2}delegate-1\.example +25\.01 +5 {2}itself 5\.00 %, 0x[0-9a-f]{40} .+, 2 more 10\.00 %/,
    );
    expect(stdout).toContain("2 more delegates: --limit");
    const whole = await govdata("graph", "orchard");
    expect(whole.stdout).toContain("2 whose votes are not in the logs");
    expect(whole.stdout).not.toContain("more delegates");
  });

  it("gives the very document with --json, twice the same", async () => {
    const { stdout } = await govdata("graph", "orchard", "--json");
    expect(stdout).toBe(readFileSync(join(snapshots, version, "graph", "orchard.json"), "utf8"));
    expect((await govdata("graph", "orchard", "--json")).stdout).toBe(stdout);
  });

  it("draws a picture that stands alone and asks for nothing", async () => {
    const { stdout } = await govdata("graph", "orchard", "--svg");
    const { documentElement: svg } = new JSDOM(stdout, { contentType: "image/svg+xml" }).window.document;
    expect([svg.namespaceURI, svg.querySelector("title")?.textContent]).toEqual([
      "http://www.w3.org/2000/svg",
      "Who delegates to whom in orchard",
    ]);
    expect([...svg.querySelectorAll("[href], image, script, style")]).toEqual([]);
    expect(stdout).not.toContain("var(");
    expect((await govdata("graph", "orchard", "--svg")).stdout).toBe(stdout);
  });

  it("names nobody who opted out since", async () => {
    expect((await govdata("graph", "orchard", "--json")).stdout).toContain(NAME);
    for (const form of ["--json", "--svg", "--limit=20"]) {
      const { code, stdout } = await govdata("--registry", optedOutRegistry, "graph", "orchard", form);
      // Its place and its numbers stay: a hole would reveal what the row does not.
      expect([code, stdout.includes(NAME), stdout.includes("0x0000…0001")]).toEqual([0, false, true]);
    }
  });

  it.each([
    { why: "has its delegates from a list", args: ["tidewater.example"], says: "not from a published list" },
    { why: "has no delegates", args: ["harbor-lights"], says: "harbor-lights has no delegation graph" },
    { why: "is not tracked", args: ["nobody"], says: "is not in" },
    { why: "is no DAO but a path", args: ["../orchard"], says: "is not in" },
    { why: "had none yet", args: ["orchard", "--version", "previous"], says: "has no delegation graph" },
  ])("says why where a DAO $why", async ({ args, says }) => {
    const end = await govdata("graph", ...args);
    expect([end.code, end.stdout, end.stderr]).toEqual([1, "", expect.stringContaining(says)]);
    expect(end.stderr).toContain("NOT_FOUND");
  });

  it.each(["0", "101", "many"])("refuses --limit %s", async (limit) => {
    expect((await govdata("graph", "orchard", "--limit", limit)).code).toBe(2);
  });
});

it("stands in a full report, not in an open one, and without the name of who opted out", async () => {
  const page = async (name: string, ...more: string[]): Promise<string> => {
    expect((await govdata("report", "-o", join(root, name), ...more)).code).toBe(0);
    return readFileSync(join(root, name, "daos", "orchard.html"), "utf8");
  };
  const heading = "Who delegates to whom";
  expect(await page("open")).not.toContain(heading);
  const full = await page("full", "--full");
  expect(full).toContain(heading);
  expect(full).toContain(NAME);
  const since = await page("since", "--full", "--optouts", liveList);
  expect([since.includes(heading), since.includes(NAME)]).toEqual([true, false]);
});

it.each([
  { why: "is that of another DAO", from: '"space_id":"orchard"', to: '"space_id":"harbor-lights"' },
  { why: "shares out no power", from: /"totals":\{(.+?)"votes":"\d+"/, to: '"totals":{$1"votes":"0"' },
])("is shown nowhere where it $why, and nothing is written", async ({ from, to }) => {
  const file = join(currentDirectory(snapshots), "graph", "orchard.json");
  const before = readFileSync(file, "utf8");
  expect(before.replace(from, to)).not.toBe(before);
  replaceFile(file, before.replace(from, to));
  const sealed = sealAgain(snapshots, "graph/orchard.json");
  const out = join(root, "refused");
  try {
    for (const args of [
      ["graph", "orchard"],
      ["graph", "orchard", "--svg"],
      ["report", "--full", "-o", out],
    ]) {
      const end = await govdata(...args);
      expect([end.code, end.stdout], args.join(" ")).toEqual([1, ""]);
      expect(end.stderr).toContain("SNAPSHOT_INVALID: graph/orchard.json: ");
    }
    expect(existsSync(out)).toBe(false);
  } finally {
    sealed.undo();
    replaceFile(file, before);
  }
});
