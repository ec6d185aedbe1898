import "../../../support/no-public-hub.ts";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runProgram } from "../../../../pipeline/cli/program.ts";
import { DATASET_NAMES as DATASETS } from "../../../../pipeline/tools/export/choices.ts";
import { sha256Hex } from "../../../../snapshots/format/canonical-json.ts";
import { shortAddress } from "../../../../snapshots/format/text.ts";
import { FIXTURE_ENTITY_ID, walletOf } from "../../../support/published-set.ts";
import { govdata, NOW_MS, PACKAGE_DIRECTORY } from "../../cli/stand.ts";
import { makeExportStage } from "./export-stage.ts";

const stage = await makeExportStage();
const fresh = (name: string) => join(mkdtempSync(join(stage.root, "out-")), name);

/** What a command writes to a stdout that takes bytes, as a pipe does. */
async function piped(...args: readonly string[]): Promise<{ readonly code: number; readonly bytes: Buffer }> {
  const chunks: Uint8Array[] = [];
  const code = await runProgram([...stage.places, ...args], {
    packageDirectory: PACKAGE_DIRECTORY,
    environment: {},
    nowMs: () => NOW_MS,
    pause: async () => {},
    terminal: {
      out: (data) => void chunks.push(Buffer.from(data)),
      err: () => {},
      isErrTerminal: false,
      hasColour: false,
    },
  });
  return { code, bytes: Buffer.concat(chunks) };
}

describe("govdata export", () => {
  it.each(DATASETS)("writes the same bytes of %s twice, to a file as to stdout", async (dataset) => {
    for (const format of ["csv", "ndjson", "parquet"]) {
      const args = ["export", dataset, "--format", format, "--version", stage.versions[0] ?? ""];
      const first = await piped(...args);
      expect(first.code).toBe(0);
      expect((await piped(...args)).bytes.equals(first.bytes), format).toBe(true);
      const file = fresh("data");
      const end = await stage.govdata("--json", ...args, "-o", file);
      expect(readFileSync(file).equals(first.bytes), format).toBe(true);
      expect(JSON.parse(end.stdout)).toEqual({
        file: "data",
        dataset,
        format,
        versions: [stage.versions[0]],
        rows: expect.any(Number),
        bytes: first.bytes.length,
        sha256: sha256Hex(first.bytes),
      });
    }
  });

  it("takes the current version where none is named, and the one before by its place", async () => {
    const rowsOf = async (...more: readonly string[]) =>
      (await stage.govdata("export", "daos", ...more)).stdout.trimEnd().split("\n").length - 1;
    expect(await rowsOf()).toBe(3);
    expect(await rowsOf("--version", "current")).toBe(3);
    expect(await rowsOf("--version", "previous")).toBe(1);
    expect(await rowsOf("--all-versions")).toBe(4);
  });

  it("takes the form from the ending, and with --json prints lines of JSON", async () => {
    const file = fresh("daos.ndjson");
    const end = await stage.govdata("export", "daos", "-o", file);
    expect(end.stdout).toMatch(/daos\.ndjson: 3 rows, [\d.]+ kB\n$/);
    expect((await stage.govdata("--json", "export", "daos")).stdout).toBe(readFileSync(file, "utf8"));
  });

  it("keeps a file that is there unless it is told otherwise, and leaves nothing beside it", async () => {
    const file = fresh("daos.csv");
    writeFileSync(file, "mine");
    expect(await stage.govdata("export", "daos", "-o", file)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("already exists"),
    });
    expect(readFileSync(file, "utf8")).toBe("mine");
    expect((await stage.govdata("export", "daos", "-o", file, "--force")).code).toBe(0);
    expect(readFileSync(file, "utf8")).toMatch(/^rank,space_id,/);
    expect(readdirSync(join(file, ".."))).toEqual(["daos.csv"]);
    const nowhere = await stage.govdata("export", "daos", "-o", fresh("no-folder/daos.csv"));
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining("error OUTPUT_FAILED: ")]);
  });

  it("prints the dictionary, as Markdown and as JSON", async () => {
    expect((await stage.govdata("export", "--dictionary")).stdout).toContain("## daos\n");
    const { stdout } = await stage.govdata("--json", "export", "--dictionary");
    expect(Object.keys(JSON.parse(stdout))).toEqual([...DATASETS, "all_versions"]);
  });

  it("writes the data package to a file too", async () => {
    const file = fresh("datapackage.json");
    const end = await stage.govdata("--json", "export", "--datapackage", "-o", file);
    const bytes = readFileSync(file);
    const written = { file: "datapackage.json", bytes: bytes.length, sha256: sha256Hex(bytes) };
    expect(JSON.parse(end.stdout)).toEqual(written);
    expect(JSON.parse(bytes.toString("utf8")).version).toBe(stage.versions[1]);
  });
});

describe("what nobody can have meant ends with 2 and writes nothing", () => {
  it.each([
    { why: "nothing named", args: [], says: "exactly one thing can be exported" },
    { why: "a dataset that is none", args: ["votes"], says: "Allowed choices are daos, tracked" },
    { why: "a form that is none", args: ["daos", "--format", "xlsx"], says: "Allowed choices are csv" },
    { why: "two things", args: ["daos", "--dictionary"], says: "exactly one thing" },
    {
      why: "one version and all",
      args: ["daos", "--version", "x", "--all-versions"],
      says: "cannot be used",
    },
    {
      why: "a form of the package",
      args: ["--datapackage", "--format", "csv"],
      says: "cannot be combined with --format",
    },
    {
      why: "all versions of it",
      args: ["--datapackage", "--all-versions"],
      says: "cannot be combined with --all-versions",
    },
    {
      why: "a version of the dictionary",
      args: ["--dictionary", "--version", "x"],
      says: "cannot be combined with --version",
    },
    { why: "no folder for all tables", args: ["--partitioned"], says: "needs a folder to write" },
    { why: "a folder that is there", args: ["--partitioned", "-o", stage.root], says: "already exists" },
    {
      why: "a folder of something else, even if forced",
      args: ["--partitioned", "--force", "-o", stage.root],
      says: "is not a partitioned export",
    },
    { why: "a file for it", args: ["--dictionary", "-o", "x.md"], says: "it has no --output" },
    { why: "no file's name", args: ["daos", "-o", ""], says: "--output must name a file" },
    {
      why: "Parquet for a spreadsheet",
      args: ["daos", "--excel", "--format", "parquet", "-o", "x.md"],
      says: "--excel writes CSV, not parquet",
    },
    {
      why: "no table for a spreadsheet",
      args: ["--dictionary", "--excel"],
      says: "cannot be combined with --excel",
    },
    { why: "CSV as JSON", args: ["--json", "daos", "--format", "csv"], says: "--json prints JSON, not csv" },
  ])("$why", async ({ args, says }) => {
    const end = await stage.govdata("export", ...args);
    expect(end).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(says) });
    expect(existsSync("x.md")).toBe(false);
  });

  it("Parquet on a terminal", async () => {
    const args = [...stage.places, "export", "daos", "--format", "parquet"];
    expect(await govdata(args, { columns: 80 })).toEqual({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("cannot be printed to a terminal"),
    });
  });

  it("a file among the versions", async () => {
    const file = join(stage.snapshots, "daos.csv");
    const end = await stage.govdata("export", "daos", "-o", file);
    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining("must not be in") });
    expect(existsSync(file)).toBe(false);
  });
});

describe("who opted out", () => {
  const tellsOf = (text: string) =>
    ["Lantern", FIXTURE_ENTITY_ID, "delegate-1.example"].filter((name) => text.includes(name));

  it("would be told by name without it, in one of them at least", async () => {
    const end = await stage.govdata("export", "delegates", "--version", "current");
    expect(tellsOf(end.stdout)).toEqual(["delegate-1.example"]);
  });

  it.each([
    { why: "in the registry", more: () => ["--registry", stage.optedOutRegistry] },
    { why: "on the live list", more: () => ["--optouts", stage.liveList] },
    { why: "unknown, as the list is lost", more: () => ["--optouts", join(stage.root, "lost.db")] },
  ])("$why, is in none, and keeps a bare place among delegates", async ({ why, more }) => {
    const warned = why.startsWith("unknown");
    if (warned) writeFileSync(join(stage.root, "lost.db"), "no list any more");
    for (const dataset of DATASETS) {
      for (const format of ["csv", "ndjson"]) {
        const end = await stage.govdata(...more(), "export", dataset, "--all-versions", "--format", format);
        expect(end.code, end.stderr).toBe(0);
        expect(end.stderr === "", end.stderr).toBe(!warned);
        expect(tellsOf(end.stdout), `${dataset} ${format}`).toEqual([]);
      }
      const { bytes } = await piped(...more(), "export", dataset, "--all-versions", "--format", "parquet");
      expect(tellsOf(bytes.toString("latin1")), dataset).toEqual([]);
    }
    const { stdout } = await stage.govdata(...more(), "export", "delegates");
    expect(stdout).toContain(`1,${walletOf(1)},,${shortAddress(walletOf(1))},`);
    expect(stdout, "others stay as they are").toContain("delegate-41.example");
  });
});

describe("a broken version", () => {
  const spoiled = (version: string, path: string, text: string) => {
    const snapshots = mkdtempSync(join(stage.root, "broken-"));
    cpSync(stage.snapshots, snapshots, { recursive: true });
    rmSync(join(snapshots, version, path));
    if (text !== "") writeFileSync(join(snapshots, version, path), text);
    return snapshots;
  };
  const [first = "", second = ""] = stage.versions;

  it.each([
    { why: "a changed file", version: second, path: "daos.json", text: "[]\n", args: ["daos"] },
    { why: "a missing one", version: second, path: "history/orchard.json", text: "", args: ["history"] },
    { why: "a ranking", version: second, path: "delegates/orchard/all.csv", text: "x", args: ["delegates"] },
    {
      why: "lines",
      version: first,
      path: "proposals/varied.eth.ndjson",
      text: "{}",
      args: ["proposals", "--all-versions"],
    },
    {
      why: "an old manifest",
      version: first,
      path: "manifest.json",
      text: "{}\n",
      args: ["dgi", "--all-versions"],
    },
    { why: "the manifest", version: second, path: "manifest.json", text: "{}\n", args: ["dgi"] },
    {
      why: "who may not be named",
      version: second,
      path: `entities/${FIXTURE_ENTITY_ID}.json`,
      text: "",
      args: ["delegates"],
    },
  ])("is told by its file, and nothing is written: $why", async ({ version, path, text, args }) => {
    const snapshots = spoiled(version, path, text);
    const file = fresh("out.csv");
    const places = [...stage.places, "--snapshots", snapshots];
    const end = await govdata([...places, "export", ...args, "-o", file]);
    expect(end).toMatchObject({ code: 1, stderr: expect.stringContaining("error SNAPSHOT_INVALID: ") });
    expect(end.stderr).toContain(path);
    expect(readdirSync(join(file, ".."))).toEqual([]);
    const toStdout = await govdata([...places, "export", ...args]);
    expect(toStdout).toMatchObject({ code: 1, stdout: "" });
  });

  it("does not hinder the export of another", async () => {
    const snapshots = spoiled(first, "daos.json", "[]\n");
    const end = await govdata([...stage.places, "--snapshots", snapshots, "export", "daos"]);
    expect(end.code).toBe(0);
  });
});
