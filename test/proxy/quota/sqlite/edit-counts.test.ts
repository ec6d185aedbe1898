import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { assertWhole, closeDays, openDays, setCount } from "../../../../proxy/quota/sqlite/edit-counts.ts";
import { openQuotaLedger } from "../../../../proxy/quota/sqlite/quota-ledger.ts";
import { openSqlite } from "../../../../snapshots/base/sqlite.ts";
import { canStrace } from "../../../faults/strace-faults.ts";
import { PROJECT } from "../../../rules/source-files.ts";
import { commitRequests } from "../../../support/commit-requests.ts";
import { compileCopy } from "../../../support/compiled-copy.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();

const newPath = () => join(mkdtempSync(join(folder, "home-")), "quota.db");

const CLOSE_DAYS = join(PROJECT, "proxy/quota/sqlite/edit-counts.ts");

const DAYS = ["2026-03-31", "2026-04-01", "2026-04-02"];

/** What is closed in a counter, and what each of the days grants. */
function told(path: string) {
  const ledger = openQuotaLedger(path);
  const granted = DAYS.map(
    (day) => commitRequests(ledger, [{ account: "acme", day, limit: 9 }])[0]?.isGranted,
  );
  const closed = ledger.closedThrough();
  ledger.close();
  return { closed, granted };
}

describe("closeDays", () => {
  it.each([
    { why: "nothing is closed", close: [], closed: undefined, granted: [true, true, true] },
    { why: "one day, the same twice", close: [0, 0], closed: DAYS[0], granted: [false, true, true] },
    { why: "and all before it", close: [1], closed: DAYS[1], granted: [false, false, true] },
    { why: "a later one as well", close: [0, 2], closed: DAYS[2], granted: [false, false, false] },
    { why: "an earlier one opens none", close: [1, 0], closed: DAYS[1], granted: [false, false, true] },
  ])("closes up to the last day it was ever told: $why", ({ close, closed, granted }) => {
    const path = newPath();
    for (const index of close) closeDays(path, DAYS[index] ?? "");
    expect(told(path)).toEqual({ closed, granted });
    openDays(path);
    expect(told(path)).toEqual({ closed: undefined, granted: [true, true, true] });
  });

  it.each([
    { name: "closeDays", act: (path: string) => closeDays(path, "2026-04-01") },
    { name: "openDays", act: openDays },
  ])("$name makes what is missing, leaves one whole file, and refuses what is no counter", ({ act }) => {
    const path = newPath();
    act(path);
    // A restore links this one file: what stood in a log beside it would be left behind.
    expect(readdirSync(join(path, ".."))).toEqual(["quota.db"]);
    expect(told(path).granted[2]).toBe(true);
    const wrong = newPath();
    writeFileSync(wrong, "no database ".repeat(500));
    expect(() => act(wrong)).toThrow(expect.objectContaining({ code: "STORE_UNUSABLE" }));
  });
});

describe("a change that does not get into the file", () => {
  it("is refused while another one reads in it: the log cannot be emptied", () => {
    const path = newPath();
    closeDays(path, "2026-04-01");
    const reader = openSqlite(path, { readonly: true });
    reader.exec("BEGIN; SELECT * FROM closed");
    try {
      expect(() => closeDays(path, "2026-04-02")).toThrow(
        expect.objectContaining({ code: "STORE_UNUSABLE", message: expect.stringContaining("another") }),
      );
    } finally {
      reader.close();
    }
  });

  // In a process of its own, on whose disk the first write into the file fails: the log has the whole change.
  it.runIf(canStrace())("is refused where the disk is full at that moment (needs strace)", () => {
    const path = newPath();
    openDays(path);
    const program = `import { closeDays } from ${JSON.stringify(compileCopy(CLOSE_DAYS))};
      try { closeDays(${JSON.stringify(path)}, "2026-04-01"); console.log("closed"); }
      catch (error) { console.log(error.code, error.message); }`;
    const tracing = ["-f", "-qq", "-o", "/dev/null", "-P", path, "-e", "trace=pwrite64"];
    const fault = ["-e", "inject=pwrite64:error=ENOSPC"];
    const node = [process.execPath, "--input-type=module", "-e", program];
    const said = spawnSync("strace", [...tracing, ...fault, ...node], { encoding: "utf8" });
    expect(said.stdout).toBe(
      "STORE_UNUSABLE quota.db could not be written completely: the disk is full (SQLITE_FULL).\n",
    );
  });
});

const [DAY, LATER] = ["2026-04-01", "2026-04-02"];

/** A counter in which `acme` used two units, which a server has open. */
function setUp() {
  const path = newPath();
  let ledger = openQuotaLedger(path);
  const ask = (account = "acme", day = DAY) => {
    const [answer] = commitRequests(ledger, [{ account, day, limit: 5 }]);
    return `${answer?.isGranted === true ? "granted" : "refused"} ${answer?.remaining}`;
  };
  ask();
  ask();
  onTestFinished(() => ledger.close());
  return {
    path,
    ask,
    set: (used: number, account = "acme") => setCount(path, { account, day: DAY, used }),
    isOpened: (account: string) => ledger.isOpened(account, DAY),
    /** What a restore does, which needs the file to itself. */
    change: (work: () => void) => {
      ledger.close();
      work();
      ledger = openQuotaLedger(path);
    },
  };
}

describe("setCount", () => {
  it.each([
    { why: "lower", used: 1, want: "granted 3" },
    { why: "none", used: 0, want: "granted 4" },
    { why: "the last but one", used: 4, want: "granted 0" },
    { why: "at the limit", used: 5, want: "refused 0" },
    { why: "above it", used: 1_000_000, want: "refused 0" },
    { why: "of an account that nobody counted yet", account: "new", before: 0, used: 4, want: "granted 0" },
  ])("sets a count under a server that runs: $why", ({ account = "acme", before = 2, used, want }) => {
    const { ask, set } = setUp();
    expect(set(used, account)).toBe(before);
    expect(ask(account)).toBe(want);
    expect(ask("other")).toBe("granted 4");
  });

  it("opens a closed day for this account, and for no other and no other day", () => {
    const { path, ask, set, isOpened, change } = setUp();
    change(() => closeDays(path, LATER));
    expect([ask(), ask("acme", LATER), ask("other")]).toEqual(["refused 0", "refused 0", "refused 0"]);
    expect(set(3)).toBe(2);
    expect([ask(), ask("acme", LATER), ask("other")]).toEqual(["granted 1", "refused 0", "refused 0"]);
    expect([isOpened("acme"), isOpened("other")]).toEqual([true, false]);
  });

  it("is forgotten by the next restore: what it brings may lack units again", () => {
    const { path, ask, set, change } = setUp();
    for (const restore of [() => {}, () => openDays(path)]) {
      change(() => closeDays(path, DAY));
      set(0);
      change(() => {
        restore();
        closeDays(path, DAY);
      });
      expect(ask()).toBe("refused 0");
    }
  });

  it("makes no counter where none is", () => {
    expect(() => setCount(newPath(), { account: "acme", day: DAY, used: 0 })).toThrow(
      expect.objectContaining({ code: "STORE_UNUSABLE" }),
    );
  });
});

it.each([
  { why: "one file", beside: [], isWhole: true },
  { why: "the memory of readers, which holds nothing of its own", beside: ["-shm"], isWhole: true },
  { why: "a log", beside: ["-wal"], isWhole: false },
  { why: "an old kind of log", beside: ["-journal"], isWhole: false },
  { why: "a log that is a link to nowhere", link: "-wal", isWhole: false },
])("refuses a store that left a part of itself elsewhere: $why", ({ beside = [], link, isWhole }) => {
  const path = newPath();
  for (const end of ["", ...beside]) writeFileSync(path + end, "");
  if (link !== undefined) symlinkSync("nowhere", path + link);
  if (isWhole) return expect(() => assertWhole(path)).not.toThrow();
  expect(() => assertWhole(path)).toThrow(
    expect.objectContaining({
      code: "STORE_UNUSABLE",
      message: "quota.db could not be written completely: part of it is still in its log.",
    }),
  );
});
