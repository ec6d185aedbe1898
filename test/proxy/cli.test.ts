import { existsSync, mkdtempSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { programVersions } from "../../proxy/cli.ts";
import { fileFailure, operatorFailure } from "../../proxy/operator-error.ts";
import { openQuotaLedger } from "../../proxy/quota/sqlite/quota-ledger.ts";
import { SETTINGS } from "../../proxy/settings.ts";
import { readPackage } from "../../snapshots/base/package.ts";
import { FORMAT_VERSION } from "../../snapshots/format/limits.ts";
import { ACCESS_TIERS } from "../../snapshots/format/value-sets.ts";
import { PROJECT } from "../rules/source-files.ts";
import { runProxyCommand } from "../support/run-in-process.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const folder = temporaryFolder();

const NOW = Date.parse("2026-04-01T12:00:00Z");

function terminal(environment: Record<string, string> = {}) {
  const home = join(mkdtempSync(join(folder, "t-")), "home");
  const run = async (line: string) => {
    return runProxyCommand(line.split(" ").filter(Boolean), {
      environment: { GOVDATA_PROXY_HOME: home, ...environment },
      nowMs: () => NOW,
    });
  };
  return { home, run };
}

it.each([
  "key list",
  "key revoke key_x",
  "key rotate key_x",
  "account list",
  "account set a --tier pro",
  "account usage a",
])("%s makes no home where none is: in an empty one every key would be unknown", async (line) => {
  const { run, home } = terminal();
  const end = await run(line);
  expect(end).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("There is no home with keys at"),
  });
  expect(existsSync(home)).toBe(false);
});

it("account usage makes no counter where none is", async () => {
  const { run, home } = terminal();
  await run("account create a --tier pro");
  const end = await run("account usage a");
  expect(end).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("There is no quota.db in this home"),
  });
  expect(existsSync(join(home, "quota.db"))).toBe(false);
});

describe("key commands", () => {
  it("prints a new key alone on stdout, and its id on stderr", async () => {
    const { run, home } = terminal();
    const made = await run("key create --account acme --tier pro");
    expect(made.code).toBe(0);
    expect(made.stdout).toMatch(/^gvk_live_[0-9A-Za-z]{46}\n$/);
    expect(made.stderr).toMatch(/key_[0-9A-Za-z]{12}/);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    for (const file of ["keys.db", "pepper"]) expect(statSync(join(home, file)).mode & 0o777).toBe(0o600);
  });

  it("lists, rotates and revokes, and never shows a key again", async () => {
    const { run } = terminal();
    const made = await run("key create --account acme --tier free --test --expires 2026-04-30");
    const list = async () => JSON.parse((await run("--json key list")).stdout);
    const [first] = await list();
    expect(first).toMatchObject({
      account: "acme",
      environment: "test",
      state: "active",
      expires_at: "2026-05-01T00:00:00.000Z",
    });
    const rotated = await run(`key rotate ${first.key_id} --grace 2h`);
    expect(rotated.stdout).toMatch(/^gvk_test_[0-9A-Za-z]{46}\n$/);
    const after = await list();
    expect(after.map((row: { expires_at: string }) => row.expires_at).sort()).toEqual([
      "2026-04-01T14:00:00.000Z",
      "2026-05-01T00:00:00.000Z",
    ]);
    expect(await run(`key rotate ${first.key_id}`), "its successor would die with its grace").toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Rotate its successor: key rotate key_"),
    });
    expect((await run(`key revoke ${first.key_id}`)).code).toBe(0);
    const plain = await run("key list");
    expect(plain.stdout).toMatch(/key_id +account +environment +state/);
    expect(plain.stdout).toContain("revoked");
    expect(plain.stdout).not.toContain(made.stdout.trim());
  });

  const [NEW, BIG] = ["pro", "enterprise"].map((tier) => `key create --account a --tier ${tier}`);
  const TIERS = ACCESS_TIERS.join(", ");
  it.each([
    { why: "no account given", line: "key create", code: 2, says: "--account" },
    { why: "no tier of ours", line: "key create --account a --tier gold", code: 2, says: TIERS },
    { why: "a limit of 0", line: `${BIG} --daily-limit 0`, code: 2, says: "--daily-limit" },
    { why: "a limit in another spelling", line: `${BIG} --daily-limit 1e3`, code: 2, says: "--daily-limit" },
    { why: "a day that does not exist", line: `${NEW} --expires 2026-02-30`, code: 2, says: "--expires" },
    { why: "a day that has passed", line: `${NEW} --expires 2026-03-31`, code: 2, says: "is in the past" },
    {
      why: "the present moment",
      line: `${NEW} --expires 2026-04-01T12:00:00Z`,
      code: 2,
      says: "is in the past",
    },
    { why: "a grace of no unit", line: "key rotate key_x --grace 24", code: 2, says: "24h" },
    { why: "a grace of years", line: "key rotate key_x --grace 367d", code: 2, says: "366" },
    { why: "no command", line: "", code: 2, says: "Usage" },
    { why: "nothing to set", line: "account set nobody", code: 2, says: "--tier" },
    { why: "an account without a tier", line: "account create a", code: 2, says: "--tier" },
  ])("refuses: $why", async ({ line, code, says }) => {
    const { run } = terminal();
    await run("account create first --tier free");
    const result = await run(line);
    expect(result.code).toBe(code);
    expect(result.stderr).toContain(says);
    expect(result.stderr).not.toMatch(/\n\s+at /);
    expect(result.stdout).toBe("");
  });

  it("accepts today as the last day", async () => {
    const { run } = terminal();
    expect((await run("key create --account a --tier pro --expires 2026-04-01")).code).toBe(0);
  });

  it("takes a pepper from the environment, and refuses another one later", async () => {
    const { run, home } = terminal({ GOVDATA_PEPPER: "a".repeat(32) });
    expect((await run("key create --account a --tier pro")).code).toBe(0);
    expect(() => statSync(join(home, "pepper"))).toThrow();
    const other = terminal({ GOVDATA_PEPPER: "b".repeat(32) });
    const result = await other.run(`--home ${home} key create --account a`);
    expect([result.code, result.stdout]).toEqual([1, ""]);
    expect(result.stderr).toContain("a different pepper");
    const without = await terminal().run(`--home ${home} key create --account a`);
    expect(without.stderr).toContain("pepper");
    expect(without.code).toBe(1);
    // Commands that make no key need no pepper.
    expect((await terminal().run(`--home ${home} key list`)).code).toBe(0);
  });
});

describe("account commands", () => {
  it("makes, sets and lists accounts", async () => {
    const { run } = terminal();
    await run("account create acme --tier enterprise --daily-limit 250");
    await run("account create small --tier free");
    expect(JSON.parse((await run("--json account list")).stdout)).toMatchObject([
      { account: "acme", tier: "enterprise", daily_limit: 250 },
      { account: "small", tier: "free", daily_limit: 100 },
    ]);
    expect((await run("account create small --tier pro")).code).toBe(1);
    expect((await run("account set small --daily-limit 5")).code).toBe(2);
    expect((await run("account set acme --daily-limit default")).stderr).toContain("100000 requests");
    expect((await run("account set small --tier pro")).stderr).toContain("10000 requests");
  });

  it("shows what was used, today first", async () => {
    const { run, home } = terminal();
    await run("account create acme --tier free");
    const ledger = openQuotaLedger(join(home, "quota.db"));
    const request = { account: "acme", limit: 100 };
    ledger.commit(
      [
        { ...request, day: "2026-04-01", units: 7 },
        { ...request, day: "2026-03-30", units: 1 },
        { ...request, day: "2026-03-02", units: 1 },
      ],
      [],
    );
    ledger.close();
    expect(JSON.parse((await run("account usage acme --json")).stdout)).toEqual([
      {
        account: "acme",
        day: "2026-04-01",
        used: 7,
        limit: 100,
        remaining: 93,
        resets_at: "2026-04-02T00:00:00.000Z",
      },
      { account: "acme", day: "2026-03-30", used: 1, limit: null, remaining: null, resets_at: null },
    ]);
  });
});

describe("help", () => {
  it("names every environment variable, and exits 0", async () => {
    const { run } = terminal();
    for (const line of ["--help", "serve --help"]) {
      const help = await run(line);
      expect(help.code).toBe(0);
      for (const name of Object.keys(SETTINGS.table)) expect(help.stdout).toContain(name);
    }
  });
});

it("what is printed steers no terminal, whoever named it", async () => {
  const { run } = terminal();
  const { stderr } = await run("\u001B[2J\u202Eserve");
  expect(stderr).toContain("unknown command '?[2J?serve'");
});

it("tells its version and that of the format, also where it was copied without its package", async () => {
  const { run } = terminal();
  const { version } = readPackage(PROJECT);
  expect(await run("--version")).toEqual({
    code: 0,
    stdout: `govdata-proxy ${version}, format ${FORMAT_VERSION}\n`,
    stderr: "",
  });
  expect(programVersions("/")).toBe(
    `govdata-proxy (version unknown: no package.json of govdata found above it), format ${FORMAT_VERSION}`,
  );
});

const failure = (code: string) => Object.assign(new Error("secret words of the system"), { code });

describe("fileFailure", () => {
  it.each([
    { why: "rights", code: "EACCES", says: "permission denied (EACCES)" },
    { why: "a full disk under SQLite", code: "SQLITE_FULL", says: "the disk is full (SQLITE_FULL)" },
    { why: "SQLite's longer codes", code: "SQLITE_IOERR_READ", says: "the disk failed (SQLITE_IOERR_READ)" },
    { why: "no descriptor left", code: "EMFILE", says: "too many files open (EMFILE)" },
  ])("tells in plain words: $why", ({ code, says }) => {
    const told = fileFailure(failure(code), "The file");
    expect(told).toMatchObject({ code: "HOME_UNUSABLE", message: expect.stringContaining(says) });
    expect(String(told)).not.toContain("secret");
  });

  it.each([
    { why: "an error of ours", error: operatorFailure("BAD_OPTION", "a", "b") },
    { why: "a defect", error: new TypeError("x is not a function") },
    { why: "a file that is not there is for its caller to judge", error: failure("ENOENT") },
    { why: "a code that is no text", error: Object.assign(new Error("x"), { code: 5 }) },
    { why: "a name that every object has", error: failure("constructor") },
    { why: "no error at all", error: "EACCES" },
  ])("leaves alone: $why", ({ error }) => {
    expect(fileFailure(error, "The file")).toBe(error);
  });
});
