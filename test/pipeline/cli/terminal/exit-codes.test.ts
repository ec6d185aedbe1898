import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { EXIT, exitOf } from "../../../../pipeline/cli/terminal/exit-codes.ts";
import { PIPELINE_ERROR_CODES, pipelineFailure } from "../../../../pipeline/facts/errors.ts";
import { openSqlite } from "../../../../snapshots/base/sqlite.ts";
import { createSnapshotDisk } from "../../../../snapshots/store/write/snapshot-disk.ts";
import { editFile } from "../../../support/journey/stage.ts";
import { filesUnder, publishedFiles } from "../../../support/published-files.ts";
import { AS_OF, LEAF, makeStands, NOW_MS, type RunWith, type Stand, TOAST } from "../stand.ts";

const { world, published } = await makeStands();

/** Every byte that readers may see; the lock's file holds nothing. */
const visible = (setup: Stand) =>
  [...filesUnder(setup.snapshots)]
    .filter(([path]) => !path.startsWith("publish.lock"))
    .map(([path, bytes]) => [path, bytes.toString("base64")]);

const inRegistry = (edit: (text: string) => string) => (setup: Stand) =>
  editFile(setup.archive, "registry.yaml", edit);
const emptyArchive = (setup: Stand) => {
  for (const folder of ["spaces", "proposals", "votes"])
    rmSync(join(setup.archive, folder), { recursive: true });
};
const inHome = (name: string, text: string) => (setup: Stand) => writeFileSync(join(setup.home, name), text);
const run = (setup: Stand) => ["run", "--from", setup.archive, "--as-of", AS_OF];

interface Ending {
  readonly why: string;
  readonly spoil?: (setup: Stand) => void;
  readonly args: (setup: Stand) => readonly string[];
  readonly runWith?: RunWith;
  readonly code: number;
  /** What stderr says, or with 0 what stdout says. */
  readonly says: RegExp;
}

const FAILED: readonly Ending[] = [
  {
    why: "a category that is none",
    spoil: inRegistry((all) => all.replace("category: social", "category: games")),
    args: run,
    code: 1,
    says: /^error REGISTRY_INVALID: registry\.yaml:\d+: daos\[1\]\.category: must be one of .*\nNothing was fetched/,
  },
  {
    why: "a wallet given twice",
    spoil: inRegistry((all) =>
      all.replace(world.entities[0]?.wallets[0] ?? "", world.entities[1]?.wallets[0] ?? ""),
    ),
    args: run,
    code: 1,
    says: /^error REGISTRY_INVALID: registry\.yaml:\d+: a wallet is given in both ent_\w+ and ent_\w+\n/,
  },
  {
    why: "an archive that is not there",
    args: () => ["run", "--from", "no-such-folder"],
    code: 1,
    says: /^error ARCHIVE_MISSING: no-such-folder is not a folder\nGive --from/,
  },
  {
    why: "a warehouse that is no database",
    spoil: inHome("warehouse.db", "garbage ".repeat(2000)),
    args: run,
    code: 1,
    says: /^error WAREHOUSE_CORRUPT: /,
  },
  {
    why: "a home that is a file",
    spoil: (setup) => {
      rmSync(setup.home, { recursive: true });
      writeFileSync(setup.home, "");
    },
    args: run,
    code: 1,
    says: /^error HOME_INVALID: the home .* cannot be used \(\w+\)\nSet --home \(GOVDATA_HOME\)/,
  },
  {
    why: "a memory of opt-outs that cannot be read",
    spoil: inHome("state.json", '{"opted_out_entities":"some"}'),
    args: run,
    code: 1,
    says: /error HOME_INVALID: state\.json in the home cannot be read\nCheck the registry's opt-outs by hand/,
  },
  {
    why: "nothing was ever fetched into this home",
    spoil: (setup) => rmSync(setup.home, { recursive: true }),
    args: () => ["publish", "--as-of", AS_OF],
    code: 1,
    says: /^error NOTHING_TO_SCORE: .*\nRun `govdata fetch` or `govdata run` first/,
  },
  {
    why: "a registry without DAOs",
    spoil: (setup) => writeFileSync(join(setup.archive, "registry.yaml"), "daos: []\n"),
    args: () => ["publish", "--as-of", AS_OF],
    code: 1,
    says: /^error NOTHING_TO_SCORE: the registry tracks no DAO\n/,
  },
  {
    why: "the version to compare with is damaged",
    spoil: (setup) => {
      const { version } = publishedFiles(setup.snapshots);
      writeFileSync(join(setup.snapshots, version, "daos.json"), "[]\n");
    },
    args: () => ["publish", "--as-of", AS_OF],
    code: 6,
    says: /PREVIOUS_DAMAGED: .*daos\.json: .*\nNothing was published\. If this is right: --allow previous/,
  },
  {
    why: "the version to compare with is gone",
    spoil: (setup) => {
      const { version } = publishedFiles(setup.snapshots);
      rmSync(join(setup.snapshots, version), { recursive: true });
    },
    args: () => ["publish", "--as-of", AS_OF],
    code: 6,
    says: /PREVIOUS_DAMAGED: .*there is no such version/,
  },
  {
    why: "the pointer is older than versions beside it",
    spoil: (setup) => {
      const { version } = publishedFiles(setup.snapshots);
      for (const [sequence, suffix] of [
        [7, "0000000a"],
        [8, "0000000b"],
      ]) {
        const newer = join(setup.snapshots, `${version.slice(0, -8)}${suffix}`);
        mkdirSync(newer);
        writeFileSync(join(newer, "manifest.json"), JSON.stringify({ sequence }));
      }
    },
    args: () => ["publish", "--as-of", AS_OF],
    code: 1,
    says: /error SNAPSHOT_INVALID: current\.json: is older than versions beside it: /,
  },
  {
    why: "a DAO nobody tracks",
    args: () => ["show", "dao", "nobody"],
    code: 1,
    says: /^error NOT_FOUND: nobody /,
  },
  {
    why: "a version that is too old",
    args: () => ["status", "--max-age", "1"],
    runWith: { nowMs: () => NOW_MS + 3_600_001 },
    code: 1,
    says: /^error SNAPSHOT_STALE: published 1\.0 h ago; at most 1 h are allowed\n/,
  },
  {
    why: "a fault of ours: one line, and no stack",
    args: run,
    runWith: {
      nowMs: () => {
        throw new Error("the clock\nfell down");
      },
    },
    code: 1,
    says: /^error UNEXPECTED: the clock fell down\nRun again with -v for details to report\.\n$/,
  },
  {
    why: "every DAO fails",
    spoil: emptyArchive,
    args: run,
    code: 4,
    says: /^error NOTHING_FETCHED: the archive holds nothing for any of the 2 tracked DAOs, nor for any other DAO\nCheck --source and --from.*\n$/,
  },
  {
    why: "every DAO of a good archive fails",
    spoil: (setup) => {
      for (const spaceId of world.spaceIds) {
        writeFileSync(join(setup.archive, `spaces/${spaceId}.json`), "{");
      }
    },
    args: run,
    code: 4,
    says: /error NOTHING_FETCHED: none of 2 DAOs could be fetched\nCheck --source and --from/,
  },
  {
    why: "a registry of other DAOs: one line, with what the archive holds and how to name the right one",
    spoil: (setup) => {
      const dao = "daos:\n  - { space_id: elsewhere.example, name: Elsewhere, category: social }\n";
      writeFileSync(join(setup.archive, "registry.yaml"), dao);
      writeFileSync(join(setup.archive, "spaces", "\u001B[2J no id.json"), "{}");
    },
    args: run,
    code: 4,
    says: /^error NOTHING_FETCHED: the archive holds nothing for elsewhere\.example; it holds 2 others: paper-orchard\.example, second-breakfast\.example\nThe archive has its own registry: use --registry \S+registry\.yaml \(GOVDATA_REGISTRY\).*\n$/,
  },
  {
    why: "publishing by a registry of other DAOs than were fetched",
    spoil: (setup) => {
      const dao = "daos:\n  - { space_id: elsewhere.example, name: Elsewhere, category: social }\n";
      writeFileSync(join(setup.archive, "registry.yaml"), dao);
    },
    args: () => ["publish", "--as-of", AS_OF],
    code: 1,
    says: /^error NOTHING_TO_SCORE: .*\n.*Check --home and --registry: this home has data of 2 other DAOs\.\n$/,
  },
  {
    why: "most votes are gone",
    spoil: (setup) => writeFileSync(join(setup.archive, `votes/${LEAF}.ndjson`), ""),
    args: run,
    code: 6,
    says: /error GATE_REFUSED: a gate refused this version:\n {2}DAO_COUNT_FELL: .*\n {2}VOTES_FELL: .*\n {2}VOTES_FELL: paper-orchard[^\n]*\nNothing was published\. If this is right: --allow dao-count --allow votes\n$/,
  },
];

const USAGE: readonly Omit<Ending, "code">[] = [
  { why: "no command", args: () => [], says: /Usage: govdata/ },
  {
    why: "an unknown command",
    args: () => ["frobnicate"],
    says: /unknown command 'frobnicate'\n\(add --help/,
  },
  { why: "an unknown option", args: () => ["status", "--force"], says: /unknown option '--force'/ },
  { why: "quiet and verbose at once", args: () => ["status", "-q", "-v"], says: /cannot be used with/ },
  { why: "one argument too many", args: () => ["status", "now"], says: /too many arguments/ },
  {
    why: "an argument is missing",
    args: () => ["show", "dao"],
    says: /missing required argument 'space'\n\(add --help/,
  },
  {
    why: "an unknown gate",
    args: () => ["publish", "--allow", "all"],
    says: /Allowed choices are first-version, dao-count, votes/,
  },
  {
    why: "an unknown category",
    args: () => ["show", "daos", "--category", "x"],
    says: /Allowed choices are/,
  },
  {
    why: "a moment of the future",
    args: () => ["publish", "--as-of", "2062-04-28"],
    says: /^error BAD_OPTION: --as-of is in the future\nThere are no data of it yet/,
  },
  {
    why: "a day that is none",
    args: () => ["publish", "--as-of", "2026-02-30"],
    says: /^error BAD_OPTION: --as-of/,
  },
  {
    why: "no archive",
    args: () => ["run", "--source", "archive"],
    says: /^error BAD_OPTION: --source archive needs --from\nExample:/,
  },
  {
    why: "an unknown source",
    args: () => ["run", "--source", "rumours"],
    says: /--source is not one of archive/,
  },
  {
    why: "a DAO that is not tracked",
    args: (setup) => ["fetch", "nobody", "--from", setup.archive],
    says: /^error BAD_OPTION: nobody is not in the registry\n`govdata status`/,
  },
  {
    why: "a limit that is none",
    args: () => ["show", "delegates", LEAF, "--limit", "0"],
    says: /^error BAD_OPTION: --limit/,
  },
  {
    why: "a listing of no day",
    args: () => ["show", "delegates", LEAF, "--date", "../x"],
    says: /^error BAD_OPTION: --date/,
  },
  {
    why: "an age that is none",
    args: () => ["status", "--max-age", "-1"],
    says: /^error BAD_OPTION: --max-age/,
  },
  {
    why: "a sequence that is none",
    args: () => ["verify", "--min-sequence", "x"],
    says: /^error BAD_OPTION: --min-sequence/,
  },
];

describe("what fails leaves what is published as it was, to the byte", () => {
  it.each<Ending>([...FAILED, ...USAGE.map((ending) => ({ ...ending, code: 2 }))])(
    "$code: $why",
    async ({ spoil, args, runWith, code, says }) => {
      const setup = published();
      spoil?.(setup);
      const before = visible(setup);
      const end = await setup.govdata(args(setup), runWith);
      expect(end).toEqual({ code, stdout: "", stderr: expect.stringMatching(says) });
      expect(end.stderr, "a stack is for -v").not.toMatch(/^\s+at /m);
      expect(visible(setup)).toEqual(before);
    },
  );
});

describe("5: somebody else is at work", () => {
  it.each(["run", "publish"])(
    "on what is published (%s): before anything is fetched, and done afterwards",
    async (command) => {
      const setup = published();
      const args = command === "run" ? run(setup) : ["publish", "--as-of", AS_OF];
      const before = visible(setup);
      const release = createSnapshotDisk(setup.snapshots).lock();
      try {
        expect(await setup.govdata(args)).toEqual({
          code: 5,
          stdout: "",
          stderr: expect.stringMatching(/^error PUBLISH_LOCKED: .*\nAnother publisher is running/),
        });
        expect(visible(setup)).toEqual(before);
      } finally {
        release();
      }
      expect(await setup.govdata(args)).toMatchObject({ code: 0 });
    },
  );

  it("on the warehouse", async () => {
    const setup = published();
    const before = visible(setup);
    const other = openSqlite(join(setup.home, "warehouse.db"));
    other.exec("BEGIN IMMEDIATE");
    try {
      const end = await setup.run();
      expect(end).toMatchObject({ code: 5, stdout: "" });
      expect(end.stderr).toMatch(/^error WAREHOUSE_BUSY: another process is writing/);
      expect(visible(setup)).toEqual(before);
    } finally {
      other.close();
    }
    expect(await setup.run()).toMatchObject({ code: 0 });
  });
});

describe("3: one DAO fails, and the others do not", () => {
  it("fetches the others, says whose data are old and why, and does better next time", async () => {
    const setup = published();
    const votes = `votes/${LEAF}.ndjson`;
    let whole = "";
    editFile(setup.archive, votes, (text) => {
      whole = text;
      return text.replaceAll("{", "");
    });
    const end = await setup.run();
    expect(end).toMatchObject({ code: 3 });
    expect(end.stdout).toContain(
      `${LEAF}: the last fetch failed; its score is from what was fetched before, if anything`,
    );
    expect(end.stderr).toContain(`warning: ${LEAF} could not be fetched: `);
    expect(end.stderr).toContain(votes);

    const again = await setup.govdata(["publish", "--as-of", AS_OF]);
    expect(again, "publishing alone does not make the data any newer").toMatchObject({ code: 3 });
    const status = await setup.govdata(["status"]);
    expect(status.stdout).toMatch(new RegExp(`^${LEAF} +archive +failed .*SOURCE_FAILED .*${votes}`, "m"));

    writeFileSync(join(setup.archive, votes), whole);
    expect(await setup.govdata(["fetch", LEAF, "--from", setup.archive])).toMatchObject({ code: 0 });
    expect(await setup.govdata(["publish", "--as-of", AS_OF])).toMatchObject({ code: 0 });
  });

  it("also where nothing is known of it from before: it stands among the unscored", async () => {
    const setup = published();
    rmSync(setup.home, { recursive: true });
    rmSync(setup.snapshots, { recursive: true });
    writeFileSync(join(setup.archive, `spaces/${TOAST}.json`), "7");
    expect(await setup.run()).toMatchObject({ code: 3 });
    const unscored = publishedFiles(setup.snapshots).json("unscored.json");
    expect(unscored).toMatchObject([{ space_id: TOAST }]);
  });

  it("and fetch alone ends with it too", async () => {
    const setup = published();
    writeFileSync(join(setup.archive, `spaces/${TOAST}.json`), "7");
    const end = await setup.govdata(["fetch", "--from", setup.archive]);
    expect(end).toMatchObject({ code: 3 });
    expect(end.stdout).toMatch(new RegExp(`^${TOAST}: SOURCE_FAILED spaces/${TOAST}\\.json`, "m"));
  });
});

describe("0: done", () => {
  it("a gate that somebody has looked at lets pass, as a warning", async () => {
    const setup = published();
    writeFileSync(join(setup.archive, `votes/${LEAF}.ndjson`), "");
    const end = await setup.run("--allow", "dao-count", "--allow", "votes");
    expect(end).toMatchObject({ code: 0 });
    expect(end.stdout).toContain("warn VOTES_FELL: ");
    const report = publishedFiles(setup.snapshots).json("run.json");
    expect(report).toMatchObject({
      findings: expect.arrayContaining([expect.objectContaining({ code: "VOTES_FELL" })]),
    });
  });

  it("a damaged version is replaced by a whole one, once somebody has looked", async () => {
    const setup = published();
    const { version } = publishedFiles(setup.snapshots);
    writeFileSync(join(setup.snapshots, version, "daos.json"), "[]\n");
    const end = await setup.govdata(["publish", "--as-of", AS_OF, "--allow", "previous"]);
    expect(end).toMatchObject({ code: 0, stdout: expect.stringContaining("warn PREVIOUS_DAMAGED: ") });
    expect(await setup.govdata(["verify", "--deep"])).toMatchObject({ code: 0 });
  });

  it("a version that is not too old, to the very hour", async () => {
    const end = await published().govdata(["status", "--max-age", "1"], { nowMs: () => NOW_MS + 3_600_000 });
    expect(end).toMatchObject({ code: 0 });
  });

  it.each(["--help", "help", "run --help"])("help was asked for (%s)", async (args) => {
    const end = await published().govdata(args.split(" "));
    expect(end).toEqual({ code: 0, stdout: expect.stringMatching(/^Usage: govdata/), stderr: "" });
  });
});

test("every expected failure has a code, and no failure ends like a success", () => {
  const codes = new Set<number>(Object.values(EXIT));
  for (const error of PIPELINE_ERROR_CODES) {
    const code = exitOf(pipelineFailure(error, ""));
    expect(codes, error).toContain(code);
    expect([EXIT.done, EXIT.partial], error).not.toContain(code);
  }
});

test("a home may not lie where everybody reads", async () => {
  const setup = published();
  const inside = join(setup.snapshots, "home");
  const link = join(setup.directory, "link");
  symlinkSync(setup.snapshots, link);
  const around = join(setup.home, "..", "published", "x", "..", "home");
  for (const home of [inside, setup.snapshots, around, link, join(link, "home")]) {
    const end = await setup.govdata(["init", "--home", home]);
    expect(end, home).toMatchObject({ code: 2, stderr: expect.stringContaining("--home must not be in") });
  }
  mkdirSync(join(setup.directory, "published-not"));
  const beside = await setup.govdata(["init", "--home", join(setup.directory, "published-not")]);
  expect(beside).toMatchObject({ code: 0 });
});
