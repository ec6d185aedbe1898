import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { METHODOLOGY } from "../../../pipeline/score/method/methodology.ts";
import { publishedFiles } from "../../support/published-files.ts";
import { AS_OF, govdata, LEAF, makeStands, PACKAGE_DIRECTORY, type Stand, TOAST } from "./stand.ts";

const { fresh, published } = await makeStands();
const before = published();

const fetchArgs = (setup: Stand) => ["fetch", "--from", setup.archive];

describe("every command prints a table, and with --json one line for machines", () => {
  it.each([
    {
      command: "fetch",
      args: fetchArgs,
      table: new RegExp(
        `^space +status +proposals +votes +lists +logs +rejected\n${LEAF} +complete +\\d+ +\\d+`,
      ),
      json: [{ spaceId: LEAF, status: "complete" }, { spaceId: TOAST }],
    },
    {
      command: "compute",
      args: () => ["compute", "--as-of", AS_OF],
      table: new RegExp(`^as of ${AS_OF}\n\nspace +gvs +hpr .*\n${LEAF} +\\d+\\.\\d\\d `),
      json: {
        asOf: AS_OF,
        daos: [{ spaceId: LEAF, gvs: { point: expect.any(Number) } }, { spaceId: TOAST }],
        findings: [],
      },
    },
    {
      command: "compute of one DAO",
      args: () => ["compute", TOAST, TOAST, "--as-of", "2026-10-31"],
      table: new RegExp(`^as of ${AS_OF}\n\nspace .*\n${TOAST} .*\n$`),
      json: { asOf: AS_OF, daos: [{ spaceId: TOAST }] },
    },
    {
      command: "publish",
      args: () => ["publish", "--as-of", AS_OF],
      table: new RegExp(`^published \\S+ \\(sequence 2\\), as of ${AS_OF}\n\\d DAOs scored, \\d unscored; `),
      json: { sequence: 2, asOf: AS_OF, daosFailed: [], findings: [] },
    },
    {
      command: "run",
      args: (setup: Stand) => ["run", "--from", setup.archive, "--as-of", AS_OF],
      table: /^published \S+ \(sequence 2\)/,
      json: { fetched: { failedCount: 0, records: [{ spaceId: LEAF }, {}] }, published: { sequence: 2 } },
    },
    {
      command: "verify",
      args: () => ["verify", "--deep", "--min-sequence", "1"],
      table: /^\S+ is intact: \d+ files, \d+ bytes\n$/,
      json: { sequence: 1, problems: [] },
    },
    {
      command: "status",
      args: () => ["status"],
      table: new RegExp(
        `^version +\\S+ \\(sequence 1\\)\npublished .* 0\\.0 hours ago\n.*${LEAF} +archive +complete`,
        "s",
      ),
      json: { published: { sequence: 1, asOf: AS_OF }, daos: [{ spaceId: LEAF }, { spaceId: TOAST }] },
    },
    {
      command: "show daos",
      args: () => ["show", "daos"],
      table: /^rank +ranks +space +gvs .*\n {3}1 +1-2 {2}\S/,
      json: publishedFiles(before.snapshots).json("daos.json"),
    },
    {
      command: "methodology",
      args: () => ["methodology"],
      table: new RegExp(`^methodology ${METHODOLOGY.version.replaceAll(".", "\\.")}\n\nconstant +value\n`),
      json: JSON.parse(JSON.stringify(METHODOLOGY)),
    },
  ])("$command", async ({ args, table, json }) => {
    const plain = published();
    const asTable = await plain.govdata(args(plain));
    expect(asTable).toMatchObject({ code: 0, stdout: expect.stringMatching(table) });

    const other = published();
    const asJson = await other.govdata([...args(other), "--json", "--quiet"]);
    expect(asJson).toMatchObject({ code: 0, stderr: "" });
    expect(asJson.stdout.split("\n"), "one line").toHaveLength(2);
    expect(JSON.parse(asJson.stdout)).toMatchObject(json);
  });
});

describe("init", () => {
  it("makes a home for its owner alone, with the registry that was named, and never writes over one", async () => {
    const setup = fresh();
    const registry = join(setup.home, "registry.yaml");
    const made = await setup.govdata(["init", "--json"]);
    expect(made).toMatchObject({ code: 0, stderr: "" });
    const isOpenToOthers = false;
    expect(JSON.parse(made.stdout)).toEqual({
      home: setup.home,
      registry,
      registryWasThere: false,
      isOpenToOthers,
    });
    for (const [path, mode] of [
      [setup.home, 0o700],
      [registry, 0o600],
      [join(setup.home, "warehouse.db"), 0o600],
    ] as const)
      expect(statSync(path).mode & 0o777, path).toBe(mode);
    expect(readFileSync(registry)).toEqual(readFileSync(join(setup.archive, "registry.yaml")));

    writeFileSync(registry, "daos: []\n");
    const again = await setup.govdata(["init"]);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("kept the existing registry") });
    expect(readFileSync(registry, "utf8")).toBe("daos: []\n");
    expect(again.stdout).toContain("kept the existing registry, not the one of --registry:");
    expect(again.stdout).toContain(`publishes a version into ${setup.snapshots}\n`);
    expect(again.stdout).not.toContain("chmod");
    chmodSync(setup.home, 0o755);
    expect((await setup.govdata(["init"])).stdout).toContain(`chmod 700 ${setup.home}\n`);
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
  { why: "no version yet", args: ["verify"], says: "SNAPSHOT_MISSING current.json: is missing\n" },
  {
    why: "a version that never was",
    args: ["verify", "20200101T000000Z-00000000"],
    says: "SNAPSHOT_MISSING",
  },
  { why: "a version that is a path", args: ["verify", "../archive"], says: "SNAPSHOT_MISSING" },
  {
    why: "a lower sequence than was seen",
    args: ["verify", "--min-sequence", "2"],
    says: "SNAPSHOT_ROLLED_BACK",
  },
])("verify ends with 1: $why", async ({ why, args, says }) => {
  const setup = why === "no version yet" ? fresh() : before;
  const end = await setup.govdata(args);
  expect(end).toMatchObject({ code: 1, stdout: expect.stringContaining(says) });
});

test("status before anything happened: nothing published, nothing fetched, and a limit of age is broken", async () => {
  const setup = fresh();
  const end = await setup.govdata(["status"]);
  expect(end).toMatchObject({ code: 0, stderr: "" });
  expect(end.stdout).toMatch(
    new RegExp(
      `^nothing is published yet\nregistry {3}registry.yaml, named by --registry, 2 DAOs\n\nspace .*\n${LEAF} +never\n${TOAST} +never\n$`,
    ),
  );
  const old = await setup.govdata(["status", "--max-age", "1"]);
  expect(old).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("SNAPSHOT_STALE: nothing is published"),
  });
});
