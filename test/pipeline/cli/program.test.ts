import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { publishedFiles } from "../../support/published-files.ts";
import { AS_OF, govdata, LEAF, makeStands, PACKAGE_DIRECTORY, type Stand } from "./stand.ts";

const { fresh, published } = await makeStands();
const before = published();

const fetchArgs = (setup: Stand) => ["fetch", "--from", setup.archive];

describe("init", () => {
  it("makes a home for its owner alone, with the registry that was named, and never writes over one", async () => {
    const setup = fresh();
    const registry = join(setup.home, "registry.yaml");
    const made = await setup.govdata(["init", "--json"]);
    expect(made).toMatchObject({ code: 0, stderr: "" });
    const asExpected = { registryWasThere: false, isOpenToOthers: false };
    expect(JSON.parse(made.stdout)).toEqual({ home: setup.home, registry, ...asExpected });
    for (const [path, mode] of [
      [setup.home, 0o700],
      [registry, 0o600],
      [join(setup.home, "warehouse.db"), 0o600],
    ] as const)
      expect(statSync(path).mode & 0o777, path).toBe(mode);
    expect(readFileSync(registry)).toEqual(readFileSync(join(setup.archive, "registry.yaml")));

    writeFileSync(registry, "daos: []\n");
    const again = await setup.govdata(["init"]);
    expect(again.code).toBe(0);
    expect(readFileSync(registry, "utf8")).toBe("daos: []\n");
    expect(again.stdout).toContain("kept the existing registry, not the one of --registry:");
    expect(again.stdout).toContain(`publishes a version into ${setup.snapshots}\n`);
    expect(again.stdout).not.toContain("chmod");
    expect(await setup.govdata(["init", "-q"])).toEqual({ code: 0, stdout: "", stderr: "" });
    chmodSync(setup.home, 0o755);
    const open = `other users can enter the home: chmod 700 ${setup.home}\n`;
    expect((await setup.govdata(["init"])).stdout).toContain(open);
    expect((await setup.govdata(["init", "-q"])).stdout, "-q prints only problems").toBe(open);
    expect(statSync(setup.home).mode & 0o777, "which is the operator's to do").toBe(0o755);
  });

  it("takes the curated registry where none is named", async () => {
    const home = join(fresh().directory, "home");
    expect(await govdata(["init", "--home", home])).toMatchObject({ code: 0 });
    const curated = readFileSync(join(PACKAGE_DIRECTORY, "pipeline/registry/registry.yaml"));
    expect(readFileSync(join(home, "registry.yaml"))).toEqual(curated);
  });

  it("makes nothing out of a registry that is invalid", async () => {
    const setup = fresh();
    writeFileSync(join(setup.archive, "registry.yaml"), "daos: [");
    expect(await setup.govdata(["init"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("registry.yaml"),
    });
    expect(() => statSync(setup.home)).toThrow(/ENOENT/);
  });
});

describe("settings", () => {
  it("come from flags, then from GOVDATA_*, then from defaults", async () => {
    const setup = fresh();
    const environment = {
      GOVDATA_HOME: setup.home,
      GOVDATA_SNAPSHOTS: setup.snapshots,
      GOVDATA_REGISTRY: join(setup.archive, "registry.yaml"),
      GOVDATA_SOURCE: "archive",
      GOVDATA_FROM: setup.archive,
      GOVDATA_AS_OF: "2026-10-30",
    };
    const fromVariables = await govdata(["run", "--json"], { environment });
    expect(fromVariables).toMatchObject({ code: 0 });
    expect(JSON.parse(fromVariables.stdout)).toMatchObject({
      published: { asOf: "2026-10-30T23:59:59.999Z", sequence: 1 },
    });
    const fromFlag = await govdata(["publish", "--json", "--as-of", AS_OF], { environment });
    expect(JSON.parse(fromFlag.stdout)).toMatchObject({ asOf: AS_OF, sequence: 2 });
  });

  it.each([
    { name: "GOVDATA_HOME", args: ["status"] },
    { name: "GOVDATA_SNAPSHOTS", args: ["status"] },
    { name: "GOVDATA_REGISTRY", args: ["status"] },
    { name: "GOVDATA_AS_OF", args: ["publish"] },
    { name: "GOVDATA_FROM", args: ["fetch"] },
  ])("that are empty are refused, not taken for a place: $name", async ({ name, args }) => {
    expect(await govdata(args, { environment: { [name]: "" } })).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/^error BAD_OPTION/),
    });
  });

  it("score as of now where no moment is given", async () => {
    const { stdout } = await published().govdata(["compute", "--json"], {
      nowMs: () => Date.parse(AS_OF) + 1,
    });
    expect(JSON.parse(stdout)).toMatchObject({ asOf: "2026-11-01T00:00:00.000Z" });
  });
});

describe("progress", () => {
  it("is a line a DAO where nobody watches, one line on a terminal, and nothing when quiet", async () => {
    const setup = fresh();
    const inLog = await setup.govdata(fetchArgs(setup));
    expect(inLog).toMatchObject({ code: 0, stderr: expect.stringMatching(/^stage=fetch done=1\/2 /) });
    expect(inLog.stderr.split("\n")).toHaveLength(3);
    const watched = await setup.govdata(fetchArgs(setup), { isErrTerminal: true });
    expect(watched.stderr).toMatch(
      /^\r\S+fetch \S+ …(\r\S+fetch [^\n\r]*)*\r\S+fetch 1\/2 [^\n]*\r\S+fetch 2\/2 [^\n]*\n$/,
    );
    const quiet = await setup.govdata([...fetchArgs(setup), "-q"], { isErrTerminal: true });
    expect(quiet.stderr).toBe("");
    expect([inLog.stdout, watched.stdout]).toEqual([quiet.stdout, quiet.stdout]);
  });
});

describe("-v", () => {
  it.each([
    {
      why: "what was expected",
      args: ["show", "dao", "nobody"],
      says: /^error NOT_FOUND: .*\n.*\nFailure: .*\n +at /m,
    },
    {
      why: "what was not",
      args: ["status"],
      says: /^error UNEXPECTED: no clock\n.*\nError: no clock\n +at /m,
    },
  ])("says where an error comes from: $why", async ({ args, says }) => {
    const nowMs = () => {
      throw new Error("no clock");
    };
    const end = await published().govdata(["-v", ...args], { nowMs });
    expect(end).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(says) });
  });
});

test("verify names the damaged file, once, and ends with 1", async () => {
  const setup = published();
  const { version } = publishedFiles(setup.snapshots);
  const file = join(setup.snapshots, version, `risk/${LEAF}.json`);
  writeFileSync(file, readFileSync(file, "utf8").replace('"trend":"', '"trend": "'));
  const plain = await setup.govdata(["verify"]);
  expect(plain).toMatchObject({ code: 1, stderr: "" });
  expect(plain.stdout).toMatch(
    new RegExp(`^FILE_\\w+ risk/${LEAF}\\.json: [^/\n]+\n${version} is damaged: 1 problem\n$`),
  );
  const asJson = await setup.govdata(["verify", version, "--json"]);
  expect(asJson.code).toBe(1);
  expect(JSON.parse(asJson.stdout)).toMatchObject({ problems: [{ path: `risk/${LEAF}.json` }] });
});

test.each([
  { why: "no version yet", args: [], problem: "SNAPSHOT_MISSING current.json: is missing\n" },
  { why: "an unknown version", args: ["20200101T000000Z-00000000"], problem: "SNAPSHOT_MISSING" },
  { why: "a version that is a path", args: ["../archive"], problem: "SNAPSHOT_MISSING" },
  { why: "a lower sequence", args: ["--min-sequence", "2"], problem: "SNAPSHOT_ROLLED_BACK" },
])("verify ends with 1: $why", async ({ why, args, problem }) => {
  const setup = why === "no version yet" ? fresh() : before;
  const end = await setup.govdata(["verify", ...args]);
  expect(end).toMatchObject({ code: 1, stdout: expect.stringContaining(problem) });
});

test("verify prints a hundred problems and counts the others, each on one line", async () => {
  const setup = published();
  const { version } = publishedFiles(setup.snapshots);
  // A name that would steer a terminal, or add a line.
  const names = [
    "\u001B[2J\u202E\nit is intact",
    ...Array.from({ length: 99 }, (_, index) => `extra-${index}`),
  ];
  for (const name of names) writeFileSync(join(setup.snapshots, version, name), "");
  const verify = async () => (await setup.govdata(["verify"])).stdout.trimEnd().split("\n");
  const hundred = await verify();
  expect(hundred.slice(100)).toEqual([`${version} is damaged: 100 problems`]);
  expect(hundred[0]).toMatch(/^FILE_\w+ \?\[2J\?\?it is intact: [^/]+$/);
  writeFileSync(join(setup.snapshots, version, "one-more"), "");
  expect((await verify()).slice(100)).toEqual([
    "and 1 more; --json lists all",
    `${version} is damaged: 101 problems`,
  ]);
  const asJson = await setup.govdata(["verify", "--json"]);
  expect(JSON.parse(asJson.stdout).problems).toHaveLength(101);
});
