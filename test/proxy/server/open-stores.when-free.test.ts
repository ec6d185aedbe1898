import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openQuotaLedger } from "../../../proxy/quota/sqlite/quota-ledger.ts";
import { whenFree } from "../../../proxy/server/open-stores.ts";
import { openSqlite } from "../../../snapshots/base/sqlite.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
const busy = () => Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY" });

describe("whenFree", () => {
  const below = new Error("cannot be opened", { cause: busy() });
  const corrupt = Object.assign(new Error("no"), { code: "SQLITE_CORRUPT" });
  it.each([
    { why: "busy for a while", times: 7, error: busy(), tries: 8, opens: true },
    { why: "busy beneath another error", times: 2, error: below, tries: 3, opens: true },
    { why: "busy to the last try", times: 49, error: busy(), tries: 50, opens: true },
    { why: "busy for too long", times: 50, error: busy(), tries: 50, opens: false },
    { why: "another failure", times: 1, error: corrupt, tries: 1, opens: false },
  ])("$why: $tries tries", async ({ times, error, tries, opens }) => {
    let tried = 0;
    const opened = whenFree(() => {
      tried += 1;
      if (tried <= times) throw error;
      return "open";
    });
    if (opens) expect(await opened).toBe("open");
    else await expect(opened).rejects.toBe(error);
    expect(tried).toBe(tries);
  });

  it("waits for a counter that another program writes to", async () => {
    const path = join(folder, "quota.db");
    openQuotaLedger(path).close();
    const other = openSqlite(path);
    other.exec("BEGIN IMMEDIATE");
    let tries = 0;
    const ledger = await whenFree(() => {
      tries += 1;
      if (tries === 3) other.exec("COMMIT");
      return openQuotaLedger(path);
    });
    expect(tries).toBe(3);
    ledger.close();
    other.close();
  });
});
