import { copyFileSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createGroupCommit } from "../../../../proxy/quota/group-commit.ts";
import { openQuotaDatabase } from "../../../../proxy/quota/sqlite/open-quota-database.ts";
import { openQuotaLedger } from "../../../../proxy/quota/sqlite/quota-ledger.ts";
import { openSqlite } from "../../../../snapshots/base/sqlite.ts";
import { commitRequests } from "../../../support/commit-requests.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

// What stands in the log or on the terminal of somebody who is woken up by it.
const folder = temporaryFolder();
const [TODAY, TOMORROW] = ["2026-04-01", "2026-04-02"];
const newPath = () => join(mkdtempSync(join(folder, "home-")), "quota.db");
const requestOf = (day: string) => ({ account: "acme", day, limit: 10 });

/** A running counter with one unit, of which `harm` is told the path. */
function harmed(harm: (path: string) => unknown, { isClosed = false } = {}) {
  const path = newPath();
  const ledger = openQuotaLedger(path);
  const ask = (day = TODAY) => commitRequests(ledger, [requestOf(day)]);
  ask();
  if (isClosed) ledger.close();
  harm(path);
  return { path, ledger, ask };
}

const without = (path: string) => {
  for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
};

async function told(action: () => unknown) {
  try {
    await action();
  } catch (error) {
    const { name, message, code, hint, cause } = error as Record<string, unknown>;
    return { name, message, code, hint, cause: cause instanceof Error ? cause.message : undefined };
  }
  throw new Error("nothing was refused");
}

describe("of a counter that changed under the program, the log says", () => {
  it.each([
    {
      why: "it is gone, and this was noticed after counting",
      ask: () => harmed(without).ask(),
      code: "QUOTA_FILE_CHANGED",
      says: "the counter was taken away while it counted",
    },
    {
      why: "it is gone, and this was noticed before",
      ask: () => harmed(without, { isClosed: true }).ask(),
      code: "QUOTA_FILE_CHANGED",
      says: "what lies there is not the counter that was counted in",
    },
    {
      why: "it is an older state",
      ask: () => harmed((path) => openSqlite(path).exec("UPDATE settled SET count = 0").close()).ask(),
      code: "QUOTA_WENT_BACK",
      says: "quota.db holds an older state than was counted in before",
    },
    {
      why: "its day is over and it is gone",
      ask: () => {
        const { ask } = harmed(without, { isClosed: true });
        expect(() => ask()).toThrow();
        ask(TOMORROW);
        ask(TODAY);
      },
      code: "QUOTA_DAY_GONE",
      says: "that day was counted in a file that is gone",
    },
  ])("$why", async ({ ask, code, says }) => {
    expect(await told(ask)).toMatchObject({ name: "Failure", code, message: says });
  });
});

describe("of a counter that cannot be opened, the terminal says", () => {
  it.each([
    {
      why: "a folder that is not there",
      open: () => openQuotaDatabase(join(folder, "nowhere", "quota.db")),
      because: /^ENOENT/,
    },
    {
      why: "a folder in its place",
      open: () => {
        const path = newPath();
        mkdirSync(path);
        openQuotaDatabase(path);
      },
      because: /unable to open database file/,
      says: ": its folder or its permissions do not allow it (SQLITE_CANTOPEN)",
    },
    {
      why: "it is missing, where none may be made",
      open: () => openQuotaDatabase(newPath(), { mayCreate: false }),
      because: /unable to open database file/,
      says: ": its folder or its permissions do not allow it (SQLITE_CANTOPEN)",
    },
    {
      why: "it was emptied",
      open: () => harmed((path) => truncateSync(path, 0), { isClosed: true }).ask(),
      because: /^quota\.db was emptied$/,
    },
    {
      why: "another program's",
      open: () => {
        const path = newPath();
        openSqlite(path).exec("PRAGMA application_id = 7").close();
        openQuotaDatabase(path);
      },
      because: /^quota\.db belongs to another program$/,
    },
    {
      why: "no database",
      open: () => {
        const path = newPath();
        writeFileSync(path, "text, and no database ".repeat(500));
        openQuotaDatabase(path);
      },
      because: /file is not a database/,
      says: ": it is not a database (SQLITE_NOTADB)",
    },
    {
      why: "a counter whose tables are another release's",
      open: () => {
        const path = newPath();
        openQuotaDatabase(path).close();
        const copy = join(path, "..", "copy.db");
        copyFileSync(path, copy);
        openSqlite(copy).exec("DROP TABLE settled; CREATE TABLE settled (word TEXT)").close();
        openQuotaDatabase(copy);
      },
      because: /table settled has 1 columns/,
    },
  ])("$why", async ({ open, because, says = "" }) => {
    const { cause, ...words } = await told(open);
    expect(words).toEqual({
      name: "Failure",
      code: "STORE_UNUSABLE",
      message: `quota.db cannot be opened${says}.`,
      hint: "Check that the file is a counter of this program, and that its disk can be written.",
    });
    expect(cause).toMatch(because);
  });
});

it("tells who asks a counter that was closed", async () => {
  const ledger = { settle: async () => [], close: () => {} };
  const quota = createGroupCommit({ ledger, tickMs: () => 0, onError: () => {} });
  await quota.close();
  const said = { name: "Error", message: "the quota counter is closed" };
  expect(await told(() => quota.charge(requestOf(TODAY)))).toMatchObject(said);
  expect(await told(() => quota.refund(requestOf(TODAY)))).toMatchObject(said);
});
