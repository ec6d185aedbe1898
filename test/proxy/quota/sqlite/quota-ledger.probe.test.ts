import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openQuotaLedger } from "../../../../proxy/quota/sqlite/quota-ledger.ts";
import { openSqlite } from "../../../../snapshots/base/sqlite.ts";
import { commitRequests } from "../../../support/commit-requests.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();
const [TODAY, TOMORROW] = ["2026-04-01", "2026-04-02"];

function setup() {
  const path = join(mkdtempSync(join(folder, "home-")), "quota.db");
  const ledger = openQuotaLedger(path);
  const ask = (day = TODAY) => commitRequests(ledger, [{ account: "acme", day, limit: 2 }])[0]?.isGranted;
  const move = (to: string, from = path) => {
    for (const end of ["", "-wal", "-shm"]) renameSync(from + end, to + end);
  };
  return { path, ledger, ask, move };
}

const code = async (act: () => unknown) => {
  try {
    await act();
    return undefined;
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
};

describe("a probe of the counter", () => {
  it("writes, and takes no unit of anybody", async () => {
    const { path, ledger, ask } = setup();
    for (let time = 0; time < 5; time += 1) await ledger.probe(TODAY);
    expect([ask(), ask(), ask()]).toEqual([true, true, false]);
    const other = openSqlite(path, { readonly: true });
    expect(other.prepare("SELECT count FROM settled").pluck().get()).toBe(7);
    expect(other.prepare("SELECT account, used FROM quota").all()).toEqual([{ account: "acme", used: 2 }]);
    other.close();
    ledger.close();
  });

  it.each([
    {
      why: "the file is gone",
      harm: ({ path }: ReturnType<typeof setup>) => {
        for (const end of ["", "-wal", "-shm"]) rmSync(path + end);
      },
      is: "QUOTA_FILE_CHANGED",
    },
    {
      why: "it went back",
      harm: ({ path }: ReturnType<typeof setup>) =>
        openSqlite(path).exec("UPDATE settled SET count = 0").close(),
      is: "QUOTA_WENT_BACK",
    },
  ])("fails as a request does: $why", async ({ harm, is }) => {
    const given = setup();
    await given.ledger.probe(TODAY);
    harm(given);
    expect([await code(() => given.ledger.probe(TODAY)), await code(given.ask)]).toEqual([
      is,
      expect.any(String),
    ]);
    given.ledger.close();
  });

  it("goes on where the file lies there again", async () => {
    const { path, ledger, ask, move } = setup();
    ask();
    const aside = `${path}.aside`;
    move(aside);
    expect(await code(() => ledger.probe(TODAY))).toBe("QUOTA_FILE_CHANGED");
    move(path, aside);
    expect(await code(() => ledger.probe(TODAY))).toBeUndefined();
    expect([ask(), ask()]).toEqual([true, false]);
    ledger.close();
  });

  it("doubts the day it was asked about: what was counted in it may be in what is gone", async () => {
    const { path, ledger, ask } = setup();
    for (const end of ["", "-wal", "-shm"]) rmSync(path + end);
    expect(await code(() => ledger.probe(TODAY))).toBe("QUOTA_FILE_CHANGED");
    expect(await code(ask), "nobody had asked before, and another process may have").toBe(
      "QUOTA_FILE_CHANGED",
    );
    await ledger.probe(TOMORROW);
    expect([ask(TOMORROW), await code(ask)]).toEqual([true, "QUOTA_DAY_GONE"]);
    ledger.close();
  });
});
