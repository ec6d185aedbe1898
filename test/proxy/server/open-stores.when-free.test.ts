import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openQuotaLedger } from "../../../proxy/quota/sqlite/quota-ledger.ts";
import { openWhenFree } from "../../../proxy/server/open-stores.ts";
import { openSqlite } from "../../../snapshots/base/sqlite.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
const busy = () => Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY" });

/** Fails so often with this error, then opens. */
function failing(times: number, error: unknown) {
  let tries = 0;
  const open = () => {
    tries += 1;
    if (tries <= times) throw error;
    return "open";
  };
  return { open, tries: () => tries };
}

describe("openWhenFree", () => {
  it.each([
    { why: "nothing is wrong", times: 0, error: busy(), tries: 1, opens: true },
    { why: "busy for a while", times: 7, error: busy(), tries: 8, opens: true },
    {
      why: "busy beneath another error",
      times: 2,
      error: new Error("cannot be opened", { cause: busy() }),
      tries: 3,
      opens: true,
    },
    { why: "busy to the last try", times: 49, error: busy(), tries: 50, opens: true },
    { why: "busy for too long", times: 50, error: busy(), tries: 50, opens: false },
    {
      why: "another failure",
      times: 1,
      error: Object.assign(new Error("no"), { code: "SQLITE_CORRUPT" }),
      tries: 1,
      opens: false,
    },
    { why: "what is no error", times: 1, error: "SQLITE_BUSY", tries: 1, opens: false },
  ])("$why: $tries tries", ({ times, error, tries, opens }) => {
    const opener = failing(times, error);
    if (opens) expect(openWhenFree(opener.open)).toBe("open");
    else expect(() => openWhenFree(opener.open)).toThrow();
    expect(opener.tries()).toBe(tries);
  });

  it("waits for a counter that another program writes to", () => {
    const path = join(folder, "quota.db");
    openQuotaLedger(path).close();
    const other = openSqlite(path);
    other.exec("BEGIN IMMEDIATE");
    let tries = 0;
    const ledger = openWhenFree(() => {
      tries += 1;
      if (tries === 3) other.exec("COMMIT");
      return openQuotaLedger(path);
    });
    expect(tries).toBe(3);
    ledger.close();
    other.close();
  });
});
