import fs, {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, test, vi } from "vitest";
import { z } from "zod";
import { type Diagnosis, runDoctor } from "../../../pipeline/upkeep/doctor.ts";
import { openSqlite } from "../../../snapshots/base/sqlite.ts";
import { editFile } from "../../support/journey/stage.ts";
import { publishedFiles } from "../../support/published-files.ts";
import { govdata, makeStands, NOW_MS, PACKAGE_DIRECTORY, type Stand } from "../cli/stand.ts";

const { fresh, published, root } = await makeStands();
const HOUR_MS = 3_600_000;

/** What the system says of the disk and of permissions, whatever machine and user run the test. */
const system = { freeBytes: (_path: string): number => 50e9, unwritable: "" };
beforeEach(() => {
  vi.spyOn(fs, "statfsSync").mockImplementation(((path: string) => ({
    bavail: system.freeBytes(path),
    bsize: 1,
  })) as unknown as typeof fs.statfsSync);
  vi.spyOn(fs, "accessSync").mockImplementation((path) => {
    if (path === system.unwritable) throw new Error("EACCES");
  });
  syncBuiltinESMExports();
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  Object.assign(system, { freeBytes: () => 50e9, unwritable: "" });
});

interface Look {
  readonly system?: Partial<typeof system>;
  readonly nowMs?: number;
  readonly maxAgeHours?: number;
  readonly optOutsPath?: string;
  readonly packageDirectory?: string;
}

function look(setup: Stand, { system: told, nowMs = NOW_MS, maxAgeHours, ...settings }: Look = {}) {
  Object.assign(system, told);
  const paths = {
    homeDirectory: setup.home,
    snapshotsDirectory: setup.snapshots,
    registryPath: join(setup.archive, "registry.yaml"),
    packageDirectory: PACKAGE_DIRECTORY,
  };
  return runDoctor({ ...paths, ...settings }, { nowMs, maxAgeHours, namedSources: () => undefined });
}

/** A package that needs a later Node than any. */
const FUTURE_PACKAGE = mkdtempSync(join(root, "package-"));
writeFileSync(
  join(FUTURE_PACKAGE, "package.json"),
  JSON.stringify({ name: "govdata", version: "9.0.0", engines: { node: ">=999" } }),
);

/** A registry without a DAO of the stand. */
const OTHERS = "daos:\n  - { space_id: elsewhere.example, name: Elsewhere, category: social }\n";

const AREAS = [
  "node",
  "home",
  "rights",
  "disk",
  "registry",
  "sources",
  "nodes",
  "delegates",
  "warehouse",
  "opt-outs",
  "version",
  "age",
  "last run",
  "signing",
  "clock",
  "leftovers",
] as const;
type DoctorArea = (typeof AREAS)[number];

const factOf = ({ checks }: Diagnosis, area: DoctorArea) => checks.find((check) => check.area === area);

const unchanged = published();

test("status and doctor tell which registry they read, by its name alone, and status that it is another's", async () => {
  const setup = published();
  const named = await setup.govdata(["status"]);
  expect(named.stdout).toMatch(/^registry {3}registry\.yaml, named by --registry, 2 DAOs$/m);
  expect(named.stdout).not.toContain("It tracks none");
  const other = await govdata(["--home", setup.home, "--snapshots", setup.snapshots, "status", "--json"]);
  const { registry, published: current } = JSON.parse(other.stdout);
  expect([registry, current.daosTracked]).toEqual([{ file: "registry.yaml", origin: "curated" }, 0]);
  writeFileSync(join(setup.archive, "registry.yaml"), OTHERS);
  const warned = await setup.govdata(["status"]);
  expect(warned.stdout).toMatch(/, 1 DAO\n +It tracks none of the published DAOs: --registry/);
  for (const { stdout } of [named, other, warned]) expect(stdout).not.toContain(root);
});

test("after a run all is well, each area has a line, and nothing names a path", async () => {
  const diagnosis = await look(unchanged, { maxAgeHours: 1 });
  expect(diagnosis.checks.filter(({ verdict }) => verdict !== "ok")).toEqual([]);
  expect(diagnosis.worst).toBe("ok");
  expect(diagnosis.checks.map(({ area }) => area)).toEqual(AREAS);
  expect(JSON.stringify(diagnosis)).not.toContain(root);
});

test("an empty machine fails in nothing and says how to begin", async () => {
  const diagnosis = await look(fresh());
  expect(diagnosis.worst).toBe("warn");
  const warned = diagnosis.checks.filter(({ verdict }) => verdict === "warn");
  expect(warned.map(({ area }) => area)).toEqual(["home", "warehouse", "opt-outs", "version"]);
  for (const { next } of warned) expect(next).toMatch(/`govdata (init|fetch|run)`/);
});

describe("what the system and the clock say", () => {
  it.each<{ why: string; area: DoctorArea; verdict: string; says: RegExp; with: Look }>([
    {
      why: "an old Node",
      area: "node",
      verdict: "fail",
      says: /^Node \S+ is not in the range >=999$/,
      with: { packageDirectory: FUTURE_PACKAGE },
    },
    {
      why: "a home of somebody else",
      area: "home",
      verdict: "fail",
      says: /home is not writable/,
      with: { system: { unwritable: unchanged.home } },
    },
    {
      why: "snapshots of somebody else",
      area: "home",
      verdict: "fail",
      says: /--snapshots is not writable/,
      with: { system: { unwritable: unchanged.snapshots } },
    },
    {
      why: "no room",
      area: "disk",
      verdict: "fail",
      says: /99 MB free: too little/,
      with: { system: { freeBytes: () => 99_999_999 } },
    },
    {
      why: "little room on one of two disks",
      area: "disk",
      verdict: "warn",
      says: /999 MB free/,
      with: { system: { freeBytes: (path) => (path === unchanged.home ? 999_999_999 : 1e12) } },
    },
    {
      why: "room enough",
      area: "disk",
      verdict: "ok",
      says: /1,000 MB/,
      with: { system: { freeBytes: () => 1e9 } },
    },
    {
      why: "a clock a second behind the publish",
      area: "clock",
      verdict: "warn",
      says: /but the (last publish|newest fetch) was at 2026-11-01T06:00:00/,
      with: { nowMs: NOW_MS - 1000 },
    },
    {
      why: "a clock an hour behind",
      area: "clock",
      verdict: "fail",
      says: /the clock says 2026-11-01T05:00:00/,
      with: { nowMs: NOW_MS - HOUR_MS },
    },
    {
      why: "an age at its limit",
      area: "age",
      verdict: "ok",
      says: /published 26\.0 h ago, within 26 h/,
      with: { nowMs: NOW_MS + 26 * HOUR_MS, maxAgeHours: 26 },
    },
    {
      why: "an age past it",
      area: "age",
      verdict: "fail",
      says: /at most 26 h/,
      with: { nowMs: NOW_MS + 26 * HOUR_MS + 1, maxAgeHours: 26 },
    },
  ])("$why", async ({ area, verdict, says, with: given }) => {
    const diagnosis = await look(unchanged, given);
    expect(factOf(diagnosis, area)).toMatchObject({ verdict, message: expect.stringMatching(says) });
    expect(factOf(diagnosis, area)?.next === undefined).toBe(verdict === "ok");
    expect(diagnosis.worst, "and nothing else is the worse for it").toBe(verdict);
  });
});

it.each([
  { why: "a day", hours: 24, says: "24.0 h ago" },
  { why: "the clocks of two machines", hours: -0.04, says: "0.0 h ago" },
  { why: "the least that is told", hours: -0.05, says: "0.1 h ahead of this clock" },
  { why: "an hour too early", hours: -1, says: "1.0 h ahead of this clock" },
])("tells the age of a version, never below zero: $why", async ({ hours, says }) => {
  const diagnosis = await look(unchanged, { nowMs: NOW_MS + hours * HOUR_MS });
  expect(factOf(diagnosis, "age")?.message).toBe(`published ${says}`);
});

describe("what lies on the disk", () => {
  const current = (setup: Stand) => join(setup.snapshots, publishedFiles(setup.snapshots).version);
  it.each<{
    why: string;
    area: DoctorArea;
    verdict: string;
    says: RegExp;
    spoil: (setup: Stand) => void;
  }>([
    {
      why: "a home that others enter, with closed files",
      area: "rights",
      verdict: "warn",
      says: /see file names/,
      spoil: ({ home }) => chmodSync(home, 0o755),
    },
    {
      why: "an open file behind a closed door",
      area: "rights",
      verdict: "warn",
      says: /protect warehouse\.db$/,
      spoil: ({ home }) => chmodSync(join(home, "warehouse.db"), 0o640),
    },
    {
      why: "an open file of the proxy and an open door",
      area: "rights",
      verdict: "fail",
      says: /read proxy\/keys\.db$/,
      spoil: ({ home }) => {
        chmodSync(home, 0o750);
        mkdirSync(join(home, "proxy"));
        writeFileSync(join(home, "proxy", "keys.db"), "");
        chmodSync(join(home, "proxy", "keys.db"), 0o604);
      },
    },
    {
      why: "a registry that is none",
      area: "registry",
      verdict: "fail",
      says: /^registry\.yaml:1: /,
      spoil: ({ archive }) => writeFileSync(join(archive, "registry.yaml"), "daos: ["),
    },
    {
      why: "a registry of nothing",
      area: "registry",
      verdict: "warn",
      says: /tracks no DAO/,
      spoil: ({ archive }) => writeFileSync(join(archive, "registry.yaml"), "daos: []\n"),
    },
    {
      why: "a registry of other DAOs than were published",
      area: "registry",
      verdict: "warn",
      says: /^registry\.yaml, named by --registry: none of its 1 DAOs is among the 2 published ones$/,
      spoil: ({ archive }) => writeFileSync(join(archive, "registry.yaml"), OTHERS),
    },
    {
      why: "a warehouse that is no database",
      area: "warehouse",
      verdict: "fail",
      says: /not an SQLite file/,
      spoil: ({ home }) => writeFileSync(join(home, "warehouse.db"), "nonsense ".repeat(200)),
    },
    {
      why: "a warehouse with its end cut off",
      area: "warehouse",
      verdict: "fail",
      says: /pages are inconsistent/,
      spoil: ({ home }) => truncateSync(join(home, "warehouse.db"), 3 * 4096),
    },
    {
      why: "a warehouse of a newer program",
      area: "warehouse",
      verdict: "fail",
      says: /has version 99/,
      spoil: ({ home }) => setVersion(home, 99),
    },
    {
      why: "a warehouse of an older one",
      area: "warehouse",
      verdict: "fail",
      says: /has version 1,/,
      spoil: ({ home }) => setVersion(home, 1),
    },
    {
      why: "a list of opt-outs that is gone",
      area: "opt-outs",
      verdict: "fail",
      says: /no entity is published/,
      spoil: ({ home }) => rmSync(join(home, "optouts.db")),
    },
    {
      why: "a list that grew shorter",
      area: "opt-outs",
      verdict: "warn",
      says: /0 entries; at the last publish there were 3/,
      spoil: ({ home }) =>
        editFile(home, "state.json", (text) => text.replace(/(?<="live_opt_outs": )0/, "3")),
    },
    {
      why: "a published file that was changed",
      area: "version",
      verdict: "fail",
      says: /damaged files: 1, first daos\.json/,
      spoil: (setup) => writeFileSync(join(current(setup), "daos.json"), "{}\n"),
    },
    {
      why: "a pointer that was lost",
      area: "version",
      verdict: "fail",
      says: /current\.json/,
      spoil: ({ snapshots }) => rmSync(join(snapshots, "current.json")),
    },
    {
      why: "a key that is none",
      area: "signing",
      verdict: "fail",
      says: /not an Ed25519 private key/,
      spoil: ({ home }) => writeFileSync(join(home, "signing-key.pem"), "nonsense", { mode: 0o600 }),
    },
    {
      why: "what a crash left",
      area: "leftovers",
      verdict: "warn",
      says: /^\.staging-x, state\.json\.new$/,
      spoil: ({ snapshots, home }) => {
        mkdirSync(join(snapshots, ".staging-x"));
        copyFileSync(join(home, "state.json"), join(home, "state.json.new"));
      },
    },
  ])("$why", async ({ area, verdict, says, spoil }) => {
    const setup = published();
    spoil(setup);
    const diagnosis = await look(setup);
    expect(factOf(diagnosis, area)).toMatchObject({
      verdict,
      message: expect.stringMatching(says),
      next: expect.any(String),
    });
    expect(JSON.stringify(diagnosis)).not.toContain(root);
  });

  it.each(["rollback", "publish --allow previous"])(
    "a damaged version: `govdata %s`, which it advises, ends in an intact one",
    async (advice) => {
      const setup = published();
      const { version: first } = publishedFiles(setup.snapshots);
      const publish = ["publish", "--as-of", "2026-10-31"];
      const later = (minutes: number) => ({ nowMs: () => NOW_MS + minutes * 60_000 });
      expect(await setup.govdata(publish, later(1))).toMatchObject({ code: 0 });
      // Anew, as the version before shares the file's bytes.
      rmSync(join(current(setup), "daos.json"));
      writeFileSync(join(current(setup), "daos.json"), "{}\n");
      expect(factOf(await look(setup), "version")?.next).toContain(`\`govdata ${advice}`);
      expect(await setup.govdata(publish, later(2)), "nothing can be compared with it").toMatchObject({
        code: 6,
      });
      const steps =
        advice === "rollback" ? [["rollback", first], publish] : [[...publish, "--allow", "previous"]];
      for (const [index, args] of steps.entries())
        expect(await setup.govdata(args, later(3 + index))).toMatchObject({ code: 0 });
      expect(await setup.govdata(["verify", "--deep"])).toMatchObject({ code: 0 });
    },
  );

  it("a shared list of opt-outs that everybody can read", async () => {
    const optOutsPath = join(published().directory, "optouts.db");
    writeFileSync(optOutsPath, "");
    for (const [mode, verdict] of [
      [0o660, "ok"],
      [0o664, "fail"],
    ] as const) {
      chmodSync(optOutsPath, mode);
      expect(factOf(await look(unchanged, { optOutsPath }), "rights")).toMatchObject({ verdict });
    }
  });

  it("a key that came after the publish, and one that signed it", async () => {
    const setup = published();
    await setup.govdata(["sign-key"]);
    expect(factOf(await look(setup), "signing")).toMatchObject({ verdict: "warn" });
    await setup.govdata(["publish", "--as-of", "2026-10-31"]);
    expect(factOf(await look(setup), "signing")).toMatchObject({
      verdict: "ok",
      message: expect.stringMatching(/has signed/),
    });
  });

  it("a look changes nothing, not even an old warehouse", async () => {
    const setup = published();
    setVersion(setup.home, 1);
    const before = readFileSync(join(setup.home, "warehouse.db"));
    await look(setup);
    expect(readFileSync(join(setup.home, "warehouse.db")).equals(before)).toBe(true);
    expect(readdirSync(setup.home).filter((name) => /-(wal|shm)$/.test(name))).toEqual([]);
  });
});

function setVersion(home: string, version: number): void {
  const database = openSqlite(join(home, "warehouse.db"));
  database.pragma(`user_version = ${version}`);
  database.close();
}

describe("govdata doctor", () => {
  const Shape = z.strictObject({
    worst: z.enum(["ok", "warn", "fail"]),
    checks: z.array(
      z.strictObject({
        area: z.enum(AREAS),
        verdict: z.enum(["ok", "warn", "fail"]),
        message: z.string().min(1),
        next: z.string().min(1).optional(),
      }),
    ),
  });

  it("prints lines of 80 columns, what to do below them, and ends with 1 on a fail", async () => {
    const setup = published();
    writeFileSync(join(setup.home, "warehouse.db"), "nonsense ".repeat(200));
    const end = await setup.govdata(["doctor"]);
    expect(end).toMatchObject({ code: 1, stderr: "" });
    expect(end.stdout).toMatch(
      /^fail {2}warehouse {3}the warehouse is damaged: .*\n {18}-> move the file away/m,
    );
    expect(end.stdout).toMatch(/\n\d+ ok, \d+ warn, 1 fail\n$/);
    for (const line of end.stdout.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
  });

  it("prints the shape that is documented with --json", async () => {
    const end = await unchanged.govdata(["doctor", "--json", "--max-age", "1"]);
    expect(Shape.parse(JSON.parse(end.stdout)).checks).toHaveLength(AREAS.length);
    expect(end.stdout).not.toContain(root);
  });

  it("refuses an age that is none", async () => {
    expect(await unchanged.govdata(["doctor", "--max-age", "0"])).toMatchObject({ code: 2 });
  });
});
