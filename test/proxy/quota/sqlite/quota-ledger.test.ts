import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openQuotaDatabase } from "../../../../proxy/quota/sqlite/open-quota-database.ts";
import { openQuotaLedger, type QuotaFile } from "../../../../proxy/quota/sqlite/quota-ledger.ts";
import { openSqlite } from "../../../../snapshots/base/sqlite.ts";
import { commitRequests } from "../../../support/commit-requests.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();
const [TODAY, TOMORROW] = ["2026-04-01", "2026-04-02"];
const FILES = ["quota.db", "quota.db-wal", "quota.db-shm"];
const coded = (code: string) => expect.objectContaining({ code });

function setUp() {
  const home = mkdtempSync(join(folder, "home-"));
  const path = join(home, "quota.db");
  const ledger = openQuotaLedger(path);
  const grant = (count: number, day = TODAY, file: QuotaFile = ledger) => {
    const request = { account: "acme", day, limit: 10 };
    const answers = commitRequests(
      file,
      Array.from({ length: count }, () => request),
    );
    return answers.filter(({ isGranted }) => isGranted).length;
  };
  return { home, path, ledger, grant };
}

/** Moves all that belongs to the counter. */
function move(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const file of FILES) renameSync(join(from, file), join(to, file));
}

/** A sound counter in which nothing was counted. */
function writeFresh(path: string): void {
  openQuotaLedger(path).close();
}

describe("a counter that is taken away while it is open", () => {
  it("does not touch the counter that lies in its place before the day is over", () => {
    const { home, path, ledger, grant } = setUp();
    grant(4);
    move(home, join(home, "away"));
    writeFresh(path);
    const before = readFileSync(path);
    expect(() => grant(1)).toThrow(coded("QUOTA_FILE_CHANGED"));
    expect(readFileSync(path)).toEqual(before);
    rmSync(path);
    move(join(home, "away"), home);
    expect(grant(10)).toBe(5);
    ledger.close();
  });

  it("keeps its place among several: what one loses, none of them gives again", () => {
    const { path, ledger, grant } = setUp();
    const other = openQuotaLedger(path);
    grant(4);
    grant(4, TODAY, other);
    for (const file of FILES) rmSync(join(path, "..", file));
    for (const file of [ledger, other]) {
      expect(() => grant(1, TODAY, file)).toThrow(coded("QUOTA_FILE_CHANGED"));
    }
    const both = grant(7, TOMORROW) + grant(7, TOMORROW, other);
    expect(both).toBe(10);
    other.close();
    ledger.close();
  });
});

describe("a counter that is damaged", () => {
  it("takes an emptied file for no counter", () => {
    const { path, ledger, grant } = setUp();
    grant(2);
    ledger.close();
    truncateSync(path, 0);
    expect(() => grant(1)).toThrow(coded("STORE_UNUSABLE"));
    expect(readFileSync(path)).toHaveLength(0);
    ledger.close();
  });

  it("counts on when damage was put right, with a handle that is new", () => {
    const { path, ledger, grant } = setUp();
    grant(4);
    ledger.close();
    const right = readFileSync(path);
    writeFileSync(path, Buffer.alloc(right.length, 7));
    expect(() => grant(1)).toThrow(coded("STORE_UNUSABLE"));
    writeFileSync(path, right);
    expect(grant(10)).toBe(6);
    ledger.close();
  });
});

describe("the file", () => {
  it("of an earlier version of this program is counted on", () => {
    const { path, ledger, grant } = setUp();
    grant(4);
    ledger.close();
    const database = openSqlite(path);
    database.exec("DROP TABLE settled");
    database.close();
    const later = openQuotaLedger(path);
    expect(grant(10, TODAY, later)).toBe(6);
    later.close();
  });

  it("is written only where a unit moves", () => {
    const { path, ledger, grant } = setUp();
    const settled = () => {
      const database = openQuotaDatabase(path);
      const { count } = database.prepare<[], { count: number }>("SELECT count FROM settled").get() ?? {};
      database.close();
      return count;
    };
    expect(settled()).toBe(0);
    grant(10);
    expect(settled()).toBe(1);
    expect(grant(10)).toBe(0);
    commitRequests(ledger, [], [{ account: "nobody", day: TODAY }]);
    expect(settled()).toBe(1);
    commitRequests(ledger, [], [{ account: "acme", day: TODAY }]);
    expect(settled()).toBe(2);
    ledger.close();
  });

  it("that raises a count by itself meets the assertion, and the whole turn is rolled back", () => {
    const { path, ledger, grant } = setUp();
    ledger.close();
    const sabotage = openSqlite(path);
    // Between our look and our write, as no other program can: the write lock is ours.
    sabotage.exec(`CREATE TRIGGER sabotage BEFORE INSERT ON quota WHEN NEW.used < 100 AND NEW.account = 'acme'
      BEGIN INSERT OR IGNORE INTO quota VALUES (NEW.account, NEW.day, 100); END`);
    sabotage.close();
    const other = { account: "other", day: TODAY, limit: 10 };
    const both = [other, { ...other, account: "acme" }];
    expect(() => commitRequests(ledger, both)).toThrow(
      "invariant: a grant would raise the count above the limit",
    );
    expect(ledger.usage("other", TODAY)).toEqual([]);
    expect(() => grant(1)).toThrow("invariant");
    ledger.close();
  });
});
