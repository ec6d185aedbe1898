import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { METHODOLOGY } from "../../../pipeline/score/method/methodology.ts";
import { ENVELOPES } from "../../../snapshots/format/envelope.ts";
import { commandPaths } from "../../support/command-paths.ts";
import { publishedFiles } from "../../support/published-files.ts";
import { publishFixture } from "../../support/published-set.ts";
import { runGovdata } from "../../support/run-in-process.ts";
import { JSON_SHAPES } from "./json-shapes.ts";
import { AS_OF, LEAF, makeStands, NOW_MS, type Stand, TOAST } from "./stand.ts";

const { published, root, world } = await makeStands();
const before = published();
const fixture = join(root, "fixture");
const paths = (await commandPaths(runGovdata)).map((path) => path.join(" "));
const ends = paths.filter((path) => !paths.some((other) => other.startsWith(`${path} `)));

/** Those that need a live hub, a DAO on a chain, object storage, or a client on stdin: tests of their own run them. */
const HELD_ELSEWHERE = /^(graph|dao check|push|pull|mcp)$/;

beforeAll(async () => {
  await publishFixture(fixture);
});

describe("--help", () => {
  it.each(paths)("of %s has an example that names it", async (path) => {
    const { code, stdout } = await runGovdata([...path.split(" "), "--help"]);
    expect(code).toBe(0);
    expect(stdout.split("\nExample:\n")[1]).toMatch(new RegExp(`^ .*\\bgovdata ${path}`));
  });
});

/** Options of commands that edit the home's registry. */
const ownRegistry = ({ home }: Stand) => ["--registry", join(home, "registry.yaml")];
const entityOf = () => world.entities.find(({ isOptedOut }) => !isOptedOut)?.entityId ?? "";
const versionOf = ({ snapshots }: Stand) => publishedFiles(snapshots).version;
const show = (...words: readonly string[]) => ["--snapshots", fixture, "show", ...words];
const spaceOf = () =>
  ENVELOPES.daos.shape.data.parse(publishedFiles(fixture).json("daos.json"))[0]?.space_id ?? "";
const entityPublished = () =>
  publishedFiles(fixture)
    .paths.find((path) => path.startsWith("entities/"))
    ?.replace(/^entities\/(.*)\.json$/, "$1") ?? "";

/** How each command is called so that it prints what its shape says. */
const LINES: Readonly<Record<string, (setup: Stand) => readonly string[]>> = {
  init: () => ["init"],
  doctor: () => ["doctor"],
  fetch: ({ archive }) => ["fetch", "--from", archive],
  compute: () => ["compute", "--as-of", AS_OF],
  backfill: () => ["backfill", LEAF, "--from", "2026-10-01", "--to", "2026-10-02"],
  publish: () => ["publish", "--as-of", AS_OF],
  run: ({ archive }) => ["run", "--from", archive, "--as-of", AS_OF],
  redact: () => ["redact", "--dry-run"],
  verify: () => ["verify"],
  status: () => ["status"],
  prune: () => ["prune", "--dry-run"],
  rollback: () => ["rollback", "previous"],
  repair: () => ["repair"],
  "sign-key": () => ["sign-key"],
  "show daos": () => show("daos"),
  "show dao": () => show("dao", spaceOf()),
  "show risk": () => show("risk", spaceOf()),
  "show delegates": () => show("delegates", spaceOf()),
  "show dgi": () => show("dgi"),
  "show entity": () => show("entity", entityPublished()),
  explain: () => ["explain", LEAF],
  compare: () => ["compare", LEAF, TOAST],
  recompute: () => ["recompute"],
  diff: (setup) => ["diff", versionOf(setup), "current"],
  feed: () => ["feed", "--min-delta", "0"],
  report: ({ directory }) => ["report", "-o", join(directory, "report")],
  badge: () => ["badge", LEAF],
  export: ({ directory }) => ["export", "daos", "-o", join(directory, "daos.csv")],
  methodology: () => ["methodology"],
  "dao list": () => ["dao", "list"],
  "entity list": () => ["entity", "list"],
  "entity add": (setup) => [...ownRegistry(setup), "entity", "add", "Labs", `0x${"0".repeat(38)}aa`],
  "entity opt-out": (setup) => [...ownRegistry(setup), "entity", "opt-out", entityOf()],
  correct: (setup) => [
    ...ownRegistry(setup),
    ...["correct", "Votes were counted twice.", "Once.", "--in", "20260401T010000Z-9dab89c3"],
  ],
  completion: () => ["completion", "bash"],
};

async function standFor(name: string): Promise<Stand> {
  const setup = published();
  if (/^(correct|entity (add|opt-out))/.test(name)) await setup.govdata(["init"]);
  if (name === "rollback") await setup.govdata(["publish", "--as-of", AS_OF]);
  return setup;
}

const later = { nowMs: () => NOW_MS + 60_000 };

it("every command is tried", () => {
  expect(Object.keys(LINES).sort()).toEqual(ends.filter((path) => !HELD_ELSEWHERE.test(path)).sort());
});

describe("--json prints one line of the documented shape", () => {
  it.each(Object.entries(LINES))("%s", async (name, args) => {
    const setup = await standFor(name);
    const end = await setup.govdata(["--json", "-q", "--no-color", ...args(setup)], later);
    expect(end.code, end.stderr).toBe(0);
    expect(end.stdout.split("\n"), "one line").toHaveLength(2);
    expect(JSON_SHAPES[name]?.parse(JSON.parse(end.stdout))).toBeDefined();
  });
});

describe("a command prints a table", () => {
  const version = METHODOLOGY.version.replaceAll(".", "\\.");
  it.each([
    ["fetch", `^space +status +proposals +votes +lists +logs +rejected\n${LEAF} +complete +\\d+ +\\d+`],
    ["compute", `^as of ${AS_OF}\n\nspace +gvs +hpr .*\n${LEAF} +\\d+\\.\\d\\d `],
    ["publish", `^published \\S+ \\(sequence 2\\), as of ${AS_OF}\n\\d DAOs scored, \\d unscored; `],
    ["run", "^published \\S+ \\(sequence 2\\)"],
    ["verify", "^\\S+ is intact: \\d+ files, \\d+ bytes\n$"],
    [
      "status",
      `^version +\\S+ \\(sequence 1\\)\npublished [^]* 0\\.0 hours ago\n[^]*${LEAF} +archive +complete`,
    ],
    ["show daos of a run", "^rank +ranks +space +gvs .*\n {3}1 +1-\\d+ {2}\\S"],
    ["methodology", `^methodology ${version}\n\nconstant +value\n`],
  ])("%s", async (name, table) => {
    const setup = await standFor(name);
    const { code, stdout } = await setup.govdata(LINES[name]?.(setup) ?? ["show", "daos"]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(new RegExp(table))]);
  });

  it("and the methodology as a tree for machines", async () => {
    const { stdout } = await before.govdata(["methodology", "--json"]);
    expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(METHODOLOGY)));
  });

  it("of one DAO only, if it is named", async () => {
    const args = ["compute", TOAST, TOAST, "--as-of", "2026-10-31"];
    const { stdout } = await before.govdata(args);
    expect(stdout).toMatch(new RegExp(`^as of ${AS_OF}\n\nspace .*\n${TOAST} .*\n$`));
    const asJson = JSON.parse((await before.govdata([...args, "--json"])).stdout);
    expect(asJson).toMatchObject({ asOf: AS_OF, daos: [{ spaceId: TOAST }], findings: [] });
  });
});

describe("a terminal of 80 columns gets lines that fit, and ids whole", () => {
  const TABLES = /^(doctor|fetch|compute|status|show|explain|compare|diff|methodology|dao|entity list)/;
  it.each(Object.entries(LINES).filter(([name]) => TABLES.test(name)))("%s", async (name, args) => {
    const { stdout } = await before.govdata(["-q", ...args(before)], { ...later, columns: 80 });
    for (const line of stdout.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
    if (/^(fetch|compute|status|dao list)$/.test(name))
      expect(stdout).toMatch(new RegExp(`${LEAF}[^]*${TOAST}`));
  });

  it("and a pipe gets every column on one line", async () => {
    const { stdout } = await before.govdata(["compute", "--as-of", AS_OF], later);
    expect(stdout).toMatch(/^space .* risk +known +complete +not known$/m);
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeGreaterThan(80);
  });
});

describe("a typo", () => {
  it.each([
    { args: ["shwo"], says: "Did you mean show?" },
    { args: ["entity", "lst"], says: "Did you mean list?" },
    { args: ["explain", LEAF, "--componant", "dei"], says: "Did you mean --component?" },
    { args: ["status", "--hom", "x"], says: "Did you mean --home?" },
  ])("$args: $says", async ({ args, says }) => {
    expect(await runGovdata(args)).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining(says),
    });
  });
});
