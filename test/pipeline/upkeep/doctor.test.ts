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
import type { Settings } from "../../../pipeline/home/settings.ts";
import { judgeWarehouse } from "../../../pipeline/upkeep/check-home.ts";
import { type Diagnosis, runDoctor } from "../../../pipeline/upkeep/doctor.ts";
import { openSqlite } from "../../../snapshots/base/sqlite.ts";
import { editFile } from "../../support/journey/stage.ts";
import { publishedFiles } from "../../support/published-files.ts";
import { JSON_SHAPES } from "../cli/json-shapes.ts";
import { makeStands, NOW_MS, type Stand } from "../cli/stand.ts";
import { fetchRecord } from "../stages/fake-warehouse.ts";
import { settingsOf } from "../stages/visited-version.ts";
import { dao } from "../warehouse/sample-facts.ts";

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
  readonly settings?: Partial<Settings>;
}

function look(setup: Stand, { system: given, nowMs = NOW_MS, maxAgeHours, settings }: Look = {}) {
  Object.assign(system, given);
  const options = { nowMs, maxAgeHours, namedSources: () => undefined };
  return runDoctor({ ...settingsOf(setup), ...settings }, options);
}

const AREAS = [
  ...["node", "home", "rights", "disk", "registry", "sources", "nodes", "delegates", "warehouse"],
  ...["opt-outs", "version", "age", "last run", "signing", "clock", "leftovers"],
];

const factOf = ({ checks }: Diagnosis, area: string) => checks.find((check) => check.area === area);

/** The fact of one area as a line, such as `warn disk: 999 MB free`. */
function lineOf(diagnosis: Diagnosis, area: string): string {
  const fact = factOf(diagnosis, area);
  return `${fact?.verdict} ${area}: ${fact?.message}`;
}

const areaOf = (line: RegExp): string => /(?<=^\^\w+ )[^:]+/.exec(line.source)?.[0] ?? "none";

const unchanged = published();

test("after a run all is well, each area has a line, and none contains a path", async () => {
  const diagnosis = await look(unchanged, { maxAgeHours: 1 });
  expect(diagnosis.checks.filter(({ verdict }) => verdict !== "ok")).toEqual([]);
  expect(diagnosis.worst).toBe("ok");
  expect(diagnosis.checks.map(({ area }) => area)).toEqual(AREAS);
  expect(JSON.stringify(diagnosis)).not.toContain(root);
});

test("an empty machine fails in nothing, and the warnings say how to begin", async () => {
  const diagnosis = await look(fresh());
  expect(diagnosis.worst).toBe("warn");
  const warned = diagnosis.checks.filter(({ verdict }) => verdict === "warn");
  expect(warned.map(({ area }) => area)).toEqual(["home", "warehouse", "opt-outs", "version"]);
  for (const { next } of warned) expect(next).toMatch(/`govdata (init|fetch|run)`/);
});

/** A package that needs a later Node than any. */
const FUTURE_PACKAGE = mkdtempSync(join(root, "package-"));
const engines = { node: ">=999" };
writeFileSync(
  join(FUTURE_PACKAGE, "package.json"),
  JSON.stringify({ name: "govdata", version: "9.0.0", engines }),
);

describe("the system and the clock", () => {
  const free = (freeBytes: (path: string) => number): Look => ({ system: { freeBytes } });
  const unwritable = (path: string): Look => ({ system: { unwritable: path } });
  const hoursLater = (hours: number, more: Look = {}): Look => ({ nowMs: NOW_MS + hours * HOUR_MS, ...more });
  const limit = { maxAgeHours: 26 };

  it.each<{ why: string; given: Look; line: RegExp }>([
    {
      why: "an old Node",
      given: { settings: { packageDirectory: FUTURE_PACKAGE } },
      line: /^fail node: Node \S+ is not in the range >=999$/,
    },
    { why: "another user's home", given: unwritable(unchanged.home), line: /^fail home: .*home is not writ/ },
    {
      why: "another user's snapshots",
      given: unwritable(unchanged.snapshots),
      line: /^fail home: .*--snapshots is not writable/,
    },
    { why: "a full disk", given: free(() => 99_999_999), line: /^fail disk: 99 MB free: too little/ },
    {
      why: "little space on one of two disks",
      given: free((path) => (path === unchanged.home ? 999_999_999 : 1e12)),
      line: /^warn disk: 999 MB free/,
    },
    { why: "enough space", given: free(() => 1e9), line: /^ok disk: 1,000 MB free/ },
    {
      why: "a clock a second before the publish",
      given: { nowMs: NOW_MS - 1000 },
      line: /^warn clock: .* but the (last publish|newest fetch) was at 2026-11-01T06:00:00/,
    },
    {
      why: "a clock an hour before",
      given: hoursLater(-1),
      line: /^fail clock: .* says 2026-11-01T05:00:00/,
    },
    { why: "an age at its limit", given: hoursLater(26, limit), line: /^ok age: published 26\.0 h .* 26 h$/ },
    {
      why: "an age past it",
      given: { ...limit, nowMs: NOW_MS + 26 * HOUR_MS + 1 },
      line: /^fail age: published 26\.0 h ago; at most 26 h/,
    },
    { why: "the clocks of two machines", given: hoursLater(-0.04), line: /^ok age: published 0\.0 h ago$/ },
    {
      why: "the least difference that is shown",
      given: hoursLater(-0.05),
      line: /^ok age: published 0\.1 h ahead of this clock$/,
    },
  ])("$why", async ({ given, line }) => {
    const diagnosis = await look(unchanged, given);
    const area = areaOf(line);
    expect(lineOf(diagnosis, area)).toMatch(line);
    const fact = factOf(diagnosis, area);
    expect(fact?.next === undefined).toBe(fact?.verdict === "ok");
    const isClockBehind = (given.nowMs ?? NOW_MS) < NOW_MS;
    const expected = isClockBehind ? [area, "clock"] : [area];
    const others = diagnosis.checks.filter((check) => !expected.includes(check.area));
    expect(others.filter(({ verdict }) => verdict !== "ok")).toEqual([]);
  });
});

const currentOf = ({ snapshots }: Stand) => join(snapshots, publishedFiles(snapshots).version);

function setVersion(home: string, version: number): void {
  const database = openSqlite(join(home, "warehouse.db"));
  database.pragma(`user_version = ${version}`);
  database.close();
}

const inRegistry = (text: string) => (setup: Stand) =>
  writeFileSync(join(setup.archive, "registry.yaml"), text);
const OTHERS = "daos:\n  - { space_id: elsewhere.example, name: Elsewhere, category: social }\n";

describe("the files", () => {
  it.each<{ why: string; spoil: (setup: Stand) => void; line: RegExp }>([
    {
      why: "a home that others can enter, with protected files",
      spoil: ({ home }) => chmodSync(home, 0o755),
      line: /^warn rights: .*see file names/,
    },
    {
      why: "a readable file in a protected home",
      spoil: ({ home }) => chmodSync(join(home, "warehouse.db"), 0o640),
      line: /^warn rights: .*protect warehouse\.db$/,
    },
    {
      why: "a readable file of the proxy in a home that others can enter",
      spoil: ({ home }) => {
        chmodSync(home, 0o750);
        mkdirSync(join(home, "proxy"));
        writeFileSync(join(home, "proxy", "keys.db"), "");
        chmodSync(join(home, "proxy", "keys.db"), 0o604);
      },
      line: /^fail rights: .*read proxy\/keys\.db$/,
    },
    { why: "an invalid registry", spoil: inRegistry("daos: ["), line: /^fail registry: registry\.yaml:1: / },
    { why: "a registry of nothing", spoil: inRegistry("daos: []\n"), line: /^warn registry: tracks no DAO/ },
    {
      why: "a registry of other DAOs than were published",
      spoil: inRegistry(OTHERS),
      line: /^warn registry: registry\.yaml, named by --registry: none of its 1 DAOs is among the 2 publ/,
    },
    {
      why: "a warehouse that is no database",
      spoil: ({ home }) => writeFileSync(join(home, "warehouse.db"), "nonsense ".repeat(200)),
      line: /^fail warehouse: .*not an SQLite file/,
    },
    {
      why: "a warehouse with its end cut off",
      spoil: ({ home }) => truncateSync(join(home, "warehouse.db"), 3 * 4096),
      line: /^fail warehouse: .*pages are inconsistent/,
    },
    {
      why: "a warehouse of a newer program",
      spoil: ({ home }) => setVersion(home, 99),
      line: /^fail warehouse: .*has version 99/,
    },
    {
      why: "a warehouse of an older one",
      spoil: ({ home }) => setVersion(home, 1),
      line: /^fail warehouse: .*has version 1,/,
    },
    {
      why: "a lost list of opt-outs",
      spoil: ({ home }) => rmSync(join(home, "optouts.db")),
      line: /^fail opt-outs: no entity is published/,
    },
    {
      why: "a list that became shorter",
      spoil: ({ home }) =>
        editFile(home, "state.json", (text) => text.replace(/(?<="live_opt_outs": )0/, "3")),
      line: /^warn opt-outs: 0 entries; at the last publish there were 3/,
    },
    {
      why: "a changed file of the version",
      spoil: (setup) => writeFileSync(join(currentOf(setup), "daos.json"), "{}\n"),
      line: /^fail version: damaged files: 1, first daos\.json/,
    },
    {
      why: "a lost pointer",
      spoil: ({ snapshots }) => rmSync(join(snapshots, "current.json")),
      line: /^fail version: current\.json/,
    },
    {
      why: "an invalid key",
      spoil: ({ home }) => writeFileSync(join(home, "signing-key.pem"), "nonsense", { mode: 0o600 }),
      line: /^fail signing: .*not an Ed25519 private key/,
    },
    {
      why: "the leftovers of a crash",
      spoil: ({ snapshots, home }) => {
        mkdirSync(join(snapshots, ".staging-x"));
        copyFileSync(join(home, "state.json"), join(home, "state.json.new"));
      },
      line: /^warn leftovers: \.staging-x, state\.json\.new$/,
    },
  ])("$why", async ({ spoil, line }) => {
    const setup = published();
    spoil(setup);
    const diagnosis = await look(setup);
    expect(lineOf(diagnosis, areaOf(line))).toMatch(line);
    expect(factOf(diagnosis, areaOf(line))?.next).toEqual(expect.any(String));
    expect(JSON.stringify(diagnosis)).not.toContain(root);
  });

  it.each(["rollback", "publish --allow previous"])(
    "a damaged version: `govdata %s`, which it advises, leads to an intact one",
    async (advice) => {
      const setup = published();
      const { version: first } = publishedFiles(setup.snapshots);
      const publish = ["publish", "--as-of", "2026-10-31"];
      let minutes = 0;
      const codeOf = async (args: readonly string[]) => {
        minutes += 1;
        const nowMs = () => NOW_MS + minutes * 60_000;
        return (await setup.govdata(args, { nowMs })).code;
      };
      expect(await codeOf(publish)).toBe(0);
      // Deleted first, as the version before shares the file's bytes.
      rmSync(join(currentOf(setup), "daos.json"));
      writeFileSync(join(currentOf(setup), "daos.json"), "{}\n");
      expect(factOf(await look(setup), "version")?.next).toContain(`\`govdata ${advice}`);
      expect(await codeOf(publish), "nothing can be compared with it").toBe(6);
      const steps =
        advice === "rollback" ? [["rollback", first], publish] : [[...publish, "--allow", "previous"]];
      for (const args of [...steps, ["verify", "--deep"]]) expect(await codeOf(args)).toBe(0);
    },
  );

  it("a shared list of opt-outs that everybody can read", async () => {
    const optOutsPath = join(published().directory, "optouts.db");
    writeFileSync(optOutsPath, "");
    const verdictOf = async (mode: number) => {
      chmodSync(optOutsPath, mode);
      return factOf(await look(unchanged, { settings: { optOutsPath } }), "rights")?.verdict;
    };
    expect([await verdictOf(0o660), await verdictOf(0o664)]).toEqual(["ok", "fail"]);
  });

  it("a key that is newer than the version, and one that signed it", async () => {
    const setup = published();
    await setup.govdata(["sign-key"]);
    expect(lineOf(await look(setup), "signing")).toMatch(/^warn signing: .* has not signed/);
    await setup.govdata(["publish", "--as-of", "2026-10-31"]);
    expect(lineOf(await look(setup), "signing")).toMatch(/^ok signing: .* has signed/);
  });

  it("are unchanged by a diagnosis, even an old warehouse", async () => {
    const setup = published();
    setVersion(setup.home, 1);
    const before = readFileSync(join(setup.home, "warehouse.db"));
    await look(setup);
    expect(readFileSync(join(setup.home, "warehouse.db")).equals(before)).toBe(true);
    expect(readdirSync(setup.home).filter((name) => /-(wal|shm)$/.test(name))).toEqual([]);
  });
});

it.each([
  { why: "none", count: 4, failed: 0, verdict: "ok" },
  { why: "a few, as on any night", count: 68, failed: 2, verdict: "warn" },
  { why: "exactly a quarter", count: 4, failed: 1, verdict: "warn" },
  { why: "more than a quarter", count: 68, failed: 44, verdict: "fail" },
  { why: "spaces that the hub does not have", count: 3, failed: 3, code: "NOT_FOUND", verdict: "fail" },
])("judges failed fetches by their share: $why", ({ count, failed, code = "SOURCE_FAILED", verdict }) => {
  const daos = Array.from({ length: count }, (_, n) => dao(`dao-${n}.eth`));
  const failure = { status: "failed", error: { code, message: "" } } as const;
  const records = daos.map(({ spaceId }, n) => fetchRecord({ spaceId, ...(n < failed && failure) }));
  const judged = judgeWarehouse({ version: 1, records }, daos);
  expect(judged.verdict).toBe(verdict);
  if (failed > 0) expect(judged.message).toContain(`${failed} of ${count} newest fetches failed`);
  const advice = `The hub has no space for ${failed}: correct their ids in the registry, or set`;
  if (code === "NOT_FOUND") expect(judged.next).toContain(advice);
  else expect(judged.next ?? "").not.toContain("The hub has no space");
});

describe("govdata doctor", () => {
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

  it("prints JSON of the documented shape, and refuses an invalid age", async () => {
    const end = await unchanged.govdata(["doctor", "--json", "--max-age", "1"]);
    const diagnosis = JSON_SHAPES["doctor"]?.parse(JSON.parse(end.stdout)) as Diagnosis;
    expect(diagnosis.checks).toHaveLength(AREAS.length);
    expect(end.stdout).not.toContain(root);
    expect(await unchanged.govdata(["doctor", "--max-age", "0"])).toMatchObject({ code: 2 });
  });
});
