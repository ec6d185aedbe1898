import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { EXIT, exitOf } from "../../../../pipeline/cli/terminal/exit-codes.ts";
import { PIPELINE_ERROR_CODES, pipelineFailure } from "../../../../pipeline/facts/errors.ts";
import { openSqlite } from "../../../../snapshots/base/sqlite.ts";
import { createSnapshotDisk } from "../../../../snapshots/store/write/snapshot-disk.ts";
import { editFile, everyByte } from "../../../support/journey/stage.ts";
import { publishedFiles } from "../../../support/published-files.ts";
import { AS_OF, LEAF, makeStands, NOW_MS, type RunWith, type Stand, TOAST } from "../stand.ts";

const { world, published } = await makeStands();

/** Runs a command line on a stand; `run` and `publish` are of its archive, as of the world's last moment. */
const runLine = (setup: Stand, line: string, runWith?: RunWith) =>
  setup.govdata(
    line
      .replace(/^run$/, `run --from ARCHIVE --as-of ${AS_OF}`)
      .replace(/^publish\b/, `publish --as-of ${AS_OF}`)
      .split(" ")
      .filter((word) => word !== "")
      .map((word) => (word === "ARCHIVE" ? setup.archive : word)),
    runWith,
  );

const inRegistry = (edit: (text: string) => string) => (setup: Stand) =>
  editFile(setup.archive, "registry.yaml", edit);
const inArchive = (path: string, text: string) => (setup: Stand) =>
  writeFileSync(join(setup.archive, path), text);
const inHome = (name: string, text: string) => (setup: Stand) => writeFileSync(join(setup.home, name), text);
const currentOf = ({ snapshots }: Stand) => join(snapshots, publishedFiles(snapshots).version);
const OTHER_DAO = "daos:\n  - { space_id: elsewhere.example, name: Elsewhere, category: social }\n";

interface Ending {
  readonly why: string;
  readonly spoil?: (setup: Stand) => void;
  readonly line?: string;
  readonly runWith?: RunWith;
  readonly code: number;
  readonly stderr: RegExp;
}

const FAILED: readonly Ending[] = [
  {
    why: "a registry that is invalid, at its line",
    spoil: inRegistry((all) => all.replace("category: social", "category: games")),
    code: 1,
    stderr: /^error REGISTRY_INVALID: registry\.yaml:\d+: daos\[1\]\.category: must be one of .*\n\S/,
  },
  {
    why: "no registry",
    spoil: ({ archive }) => rmSync(join(archive, "registry.yaml")),
    code: 1,
    stderr: /^error REGISTRY_INVALID: registry\.yaml: there is no such file/,
  },
  {
    why: "an archive that is not there",
    line: "run --from no-such-folder",
    code: 1,
    stderr: /^error ARCHIVE_MISSING: no-such-folder is not a folder\nGive --from/,
  },
  {
    why: "a warehouse that is no database",
    spoil: inHome("warehouse.db", "garbage ".repeat(2000)),
    code: 1,
    stderr: /^error WAREHOUSE_CORRUPT: /,
  },
  {
    why: "a home that is a file",
    spoil: ({ home }) => {
      rmSync(home, { recursive: true });
      writeFileSync(home, "");
    },
    code: 1,
    stderr: /^error HOME_INVALID: the home .* cannot be used \(\w+\)\nSet --home \(GOVDATA_HOME\)/,
  },
  {
    why: "a state that cannot be read",
    spoil: inHome("state.json", '{"opted_out_entities":"some"}'),
    code: 1,
    stderr: /error HOME_INVALID: state\.json in the home cannot be read\nCheck the registry's opt-outs/,
  },
  {
    why: "nothing was ever fetched into this home",
    spoil: ({ home }) => rmSync(home, { recursive: true }),
    line: "publish",
    code: 1,
    stderr: /^error NOTHING_TO_SCORE: .*\nRun `govdata fetch` or `govdata run` first/,
  },
  {
    why: "a registry without DAOs",
    spoil: inArchive("registry.yaml", "daos: []\n"),
    line: "publish",
    code: 1,
    stderr: /^error NOTHING_TO_SCORE: the registry tracks no DAO\n/,
  },
  {
    why: "a registry of other DAOs than were fetched",
    spoil: inArchive("registry.yaml", OTHER_DAO),
    line: "publish",
    code: 1,
    stderr: /^error NOTHING_TO_SCORE: .*\n.* --home and --registry: this home has data of 2 other DAOs\.\n$/,
  },
  {
    why: "the version to compare with is damaged",
    spoil: (setup) => writeFileSync(join(currentOf(setup), "daos.json"), "[]\n"),
    line: "publish",
    code: 6,
    stderr: /PREVIOUS_DAMAGED: .*daos\.json: .*\nNothing was published\. .*--allow previous/,
  },
  {
    why: "the version to compare with is gone",
    spoil: (setup) => rmSync(currentOf(setup), { recursive: true }),
    line: "publish",
    code: 6,
    stderr: /PREVIOUS_DAMAGED: .*there is no such version/,
  },
  {
    why: "the pointer is older than versions beside it",
    spoil: (setup) => {
      for (const sequence of [7, 8]) {
        const newer = `${currentOf(setup).slice(0, -8)}0000000${sequence}`;
        mkdirSync(newer);
        writeFileSync(join(newer, "manifest.json"), JSON.stringify({ sequence }));
      }
    },
    line: "publish",
    code: 1,
    stderr: /error SNAPSHOT_INVALID: current\.json: is older than versions beside it: /,
  },
  { why: "an unknown DAO", line: "show dao nobody", code: 1, stderr: /^error NOT_FOUND: nobody / },
  {
    why: "an unexpected error, in one line and without its stack",
    runWith: {
      nowMs: () => {
        throw new Error("the clock\nfell down");
      },
    },
    code: 1,
    stderr: /^error UNEXPECTED: the clock fell down\nRun again with -v for details to report\.\n$/,
  },
  {
    why: "an archive that holds nothing",
    spoil: ({ archive }) => {
      for (const folder of ["spaces", "proposals", "votes"])
        rmSync(join(archive, folder), { recursive: true });
    },
    code: 4,
    stderr: /^error NOTHING_FETCHED: .* for any of the 2 tracked DAOs, nor for any other DAO\nCheck --source/,
  },
  {
    why: "every DAO of an archive fails",
    spoil: ({ archive }) => {
      for (const spaceId of world.spaceIds) writeFileSync(join(archive, `spaces/${spaceId}.json`), "{");
    },
    code: 4,
    stderr: /error NOTHING_FETCHED: none of 2 DAOs could be fetched\nCheck --source and --from/,
  },
  {
    why: "an archive of other DAOs: one line names them and the right registry",
    spoil(setup) {
      inArchive("registry.yaml", OTHER_DAO)(setup);
      inArchive("spaces/\u001B[2J no id.json", "{}")(setup);
    },
    code: 4,
    stderr:
      /^error NOTHING_FETCHED: .* nothing for elsewhere\.example; it holds 2 others: paper-orchard\.example, second-breakfast\.example\n.* use --registry \S+registry\.yaml \(GOVDATA_REGISTRY\).*\n$/,
  },
  {
    why: "most votes are gone",
    spoil: inArchive(`votes/${LEAF}.ndjson`, ""),
    code: 6,
    stderr:
      /error GATE_REFUSED: .*:\n {2}DAO_COUNT_FELL: .*\n {2}VOTES_FELL: .*\n {2}VOTES_FELL: paper-orchard[^\n]*\nNothing was published\. If this is right: --allow dao-count --allow votes\n$/,
  },
];

const USAGE: readonly (readonly [why: string, line: string, stderr: RegExp])[] = [
  ["no command", "", /Usage: govdata/],
  ["an unknown command", "frobnicate", /unknown command 'frobnicate'\n\(add --help/],
  ["an unknown option", "status --force", /unknown option '--force'/],
  ["quiet and verbose at once", "status -q -v", /cannot be used with/],
  ["one argument too many", "status now", /too many arguments/],
  ["a missing argument", "show dao", /missing required argument 'space'\n\(add --help/],
  ["an unknown gate", "publish --allow all", /Allowed choices are first-version, dao-count, votes/],
  ["an unknown category", "show daos --category x", /Allowed choices are/],
  ["a moment of the future", "compute --as-of 2062-04-28", /^error BAD_OPTION: --as-of is in the future\n\S/],
  ["a day that does not exist", "compute --as-of 2026-02-30", /^error BAD_OPTION: --as-of/],
  ["no archive", "run --source archive", /^error BAD_OPTION: --source archive needs --from\nExample:/],
  ["an unknown source", "run --source rumours", /--source is not one of archive/],
  ["an untracked DAO", "fetch nobody --from ARCHIVE", /^error BAD_OPTION: nobody is not in the registry\n`/],
  ["an invalid limit", `show delegates ${LEAF} --limit 0`, /^error BAD_OPTION: --limit/],
  ["an invalid day of a listing", `show delegates ${LEAF} --date ../x`, /^error BAD_OPTION: --date/],
  ["an invalid age", "status --max-age -1", /^error BAD_OPTION: --max-age/],
  ["an invalid sequence", "verify --min-sequence x", /^error BAD_OPTION: --min-sequence/],
];

describe("a failure leaves what is published unchanged, to the byte", () => {
  it.each<Ending>([...FAILED, ...USAGE.map(([why, line, stderr]) => ({ why, line, code: 2, stderr }))])(
    "$code: $why",
    async ({ spoil, line = "run", runWith, code, stderr }) => {
      const setup = published();
      spoil?.(setup);
      const before = everyByte(setup);
      const end = await runLine(setup, line, runWith);
      expect(end).toEqual({ code, stdout: "", stderr: expect.stringMatching(stderr) });
      expect(end.stderr, "a stack is for -v").not.toMatch(/^\s+at /m);
      expect(everyByte(setup)).toEqual(before);
    },
  );
});

describe("5: another process is at work", () => {
  it.each([
    { why: "a publisher, noticed before anything is fetched", line: "run", error: "PUBLISH_LOCKED" },
    { why: "a publisher", line: "publish", error: "PUBLISH_LOCKED" },
    { why: "a writer of the warehouse", line: "run", error: "WAREHOUSE_BUSY" },
  ])("$why ($line); the next run is done", async ({ line, error }) => {
    const setup = published();
    const before = everyByte(setup);
    const hold = () => {
      if (error === "PUBLISH_LOCKED") return createSnapshotDisk(setup.snapshots).lock();
      const other = openSqlite(join(setup.home, "warehouse.db"));
      other.exec("BEGIN IMMEDIATE");
      return () => other.close();
    };
    const release = hold();
    try {
      const end = await runLine(setup, line);
      expect(end).toMatchObject({ code: 5, stdout: "" });
      expect(end.stderr).toMatch(new RegExp(`^error ${error}: .*\\n\\S`));
      expect(everyByte(setup)).toEqual(before);
    } finally {
      release();
    }
    expect(await runLine(setup, line)).toMatchObject({ code: 0 });
  });
});

describe("3: one DAO fails, and the others do not", () => {
  it("fetches the others, says whose data are old and why, and succeeds next time", async () => {
    const setup = published();
    const votes = `votes/${LEAF}.ndjson`;
    let whole = "";
    editFile(setup.archive, votes, (text) => {
      whole = text;
      return text.replaceAll("{", "");
    });
    const end = await setup.run();
    expect(end).toMatchObject({ code: 3 });
    expect(end.stdout).toContain(`${LEAF}: the last fetch failed; `);
    expect(end.stderr).toContain(`warning: ${LEAF} could not be fetched: `);
    expect(end.stderr).toContain(votes);

    expect(await runLine(setup, "publish"), "the data are no newer").toMatchObject({ code: 3 });
    const status = await setup.govdata(["status"]);
    expect(status.stdout).toMatch(new RegExp(`^${LEAF} +archive +failed .*SOURCE_FAILED .*${votes}`, "m"));

    writeFileSync(join(setup.archive, votes), whole);
    expect(await setup.govdata(["fetch", LEAF, "--from", setup.archive])).toMatchObject({ code: 0 });
    expect(await runLine(setup, "publish")).toMatchObject({ code: 0 });
  });

  it("also if it was never fetched before: it is unscored; and fetch alone ends with 3 too", async () => {
    const setup = published();
    rmSync(setup.home, { recursive: true });
    rmSync(setup.snapshots, { recursive: true });
    writeFileSync(join(setup.archive, `spaces/${TOAST}.json`), "7");
    expect(await setup.run()).toMatchObject({ code: 3 });
    const unscored = publishedFiles(setup.snapshots).json("unscored.json");
    expect(unscored).toMatchObject([{ space_id: TOAST }]);
    const end = await setup.govdata(["fetch", "--from", setup.archive]);
    expect(end).toMatchObject({ code: 3 });
    expect(end.stdout).toMatch(
      new RegExp(`^${TOAST}: SOURCE_FAILED 1 of 1 rows of spaces/${TOAST}\\.json`, "m"),
    );
  });
});

describe("0: done", () => {
  it("an overridden gate is a warning, here and in the report of the run", async () => {
    const setup = published();
    writeFileSync(join(setup.archive, `votes/${LEAF}.ndjson`), "");
    const end = await setup.run("--allow", "dao-count", "--allow", "votes");
    expect(end).toMatchObject({ code: 0, stdout: expect.stringContaining("warn VOTES_FELL: ") });
    const { findings } = publishedFiles(setup.snapshots).json("run.json") as { findings: object[] };
    expect(findings).toContainEqual(expect.objectContaining({ code: "VOTES_FELL" }));
  });

  it("a version may be as old as the limit, and not a millisecond older", async () => {
    const setup = published();
    const atLimit = (lateMs: number) => ({ nowMs: () => NOW_MS + 3_600_000 + lateMs });
    expect(await runLine(setup, "status --max-age 1", atLimit(0))).toMatchObject({ code: 0 });
    expect(await runLine(setup, "status --max-age 1", atLimit(1))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error SNAPSHOT_STALE: published 1\.0 h ago; at most 1 h are allowed\n/),
    });
  });

  it.each(["--help", "help", "run --help"])("help was requested (%s)", async (line) => {
    const end = await published().govdata(line.split(" "));
    expect(end).toEqual({ code: 0, stdout: expect.stringMatching(/^Usage: govdata/), stderr: "" });
  });
});

test("every expected failure has a code, and none is that of a success", () => {
  const codes = new Set<number>(Object.values(EXIT));
  for (const error of PIPELINE_ERROR_CODES) {
    const code = exitOf(pipelineFailure(error, ""));
    expect(codes, error).toContain(code);
    expect([EXIT.done, EXIT.partial], error).not.toContain(code);
  }
});

test("the home and the list of opt-outs must not be in the folder of the snapshots", async () => {
  const setup = published();
  const link = join(setup.directory, "link");
  symlinkSync(setup.snapshots, link);
  const around = join(setup.home, "..", "published", "x", "..", "home");
  const inside = join(setup.snapshots, "home");
  for (const home of [inside, setup.snapshots, around, link, join(link, "home")]) {
    const end = await setup.govdata(["init", "--home", home]);
    expect(end, home).toMatchObject({ code: 2, stderr: expect.stringContaining("--home must not be in") });
  }
  const list = await setup.govdata(["status", "--optouts", join(setup.snapshots, "optouts.db")]);
  expect(list).toMatchObject({ code: 2, stderr: expect.stringContaining("--optouts must not be in") });
  mkdirSync(join(setup.directory, "published-not"));
  const beside = await setup.govdata(["init", "--home", join(setup.directory, "published-not")]);
  expect(beside).toMatchObject({ code: 0 });
});
