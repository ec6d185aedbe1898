import { randomBytes } from "node:crypto";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createAccount, setAccount } from "../../../proxy/keys/accounts.ts";
import { createKey, revokeKey, rotateKey } from "../../../proxy/keys/issue-keys.ts";
import { openKeyTable } from "../../../proxy/keys/key-table.ts";
import { loadPeppers } from "../../../proxy/keys/peppers.ts";
import type { OperatorFailure } from "../../../proxy/operator-error.ts";
import { openSqlite } from "../../../snapshots/base/sqlite.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// What stands on the terminal of somebody who is woken up by it: what is wrong, and the command that mends it.
const folder = temporaryFolder();
const PEPPER = "p".repeat(40);
const NOW_MS = Date.parse("2026-04-01T12:00:00Z");

/** A store with the account `acme`, Enterprise with 50 a day, and one key of it. */
function setUp() {
  const table = openKeyTable(join(folder, `${randomBytes(6).toString("hex")}.db`), 100);
  const issuer = { table, pepper: PEPPER, nowMs: NOW_MS, randomBytes };
  const options = { account: "acme", environment: "live" as const, expiresAtMs: null };
  const made = createKey(issuer, { ...options, terms: { tier: "enterprise", dailyLimit: 50 } });
  return { table, issuer, options, keyId: made.record.keyId };
}

const pepperFile = (text: string, mode = 0o600): string => {
  const path = join(folder, `pepper-${randomBytes(6).toString("hex")}`);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
};
const load = (path: string, given?: string, mayCreate = true) =>
  loadPeppers({ given, path, mayCreate, randomBytes });

function told(action: () => unknown): OperatorFailure {
  try {
    action();
  } catch (error) {
    return error as OperatorFailure;
  }
  throw new Error("nothing was refused");
}

describe("an operator is told", () => {
  it.each([
    {
      why: "another tier for an account that is there",
      ask: () => {
        const { issuer, options } = setUp();
        createKey(issuer, { ...options, terms: { tier: "pro" } });
      },
      says: /^Tier and limit belong to the account, and those of acme are different\.$/,
      next: /Omit --tier and --daily-limit, .* account set acme/,
    },
    {
      why: "another limit for an account that is there",
      ask: () => {
        const { issuer, options } = setUp();
        createKey(issuer, { ...options, terms: { dailyLimit: 51 } });
      },
      says: /belong to the account/,
      next: /account set acme/,
    },
    {
      why: "rotating a key that is revoked",
      ask: () => {
        const { issuer, table, keyId } = setUp();
        revokeKey(table, keyId, NOW_MS);
        rotateKey(issuer, keyId, 0);
      },
      says: /^Key key_\w+ is revoked, so it cannot be rotated\.$/,
      next: /key create --account acme/,
    },
    {
      why: "rotating a key that was rotated",
      ask: () => {
        const { issuer, keyId } = setUp();
        rotateKey(issuer, keyId, 1_000);
        rotateKey(issuer, keyId, 1_000);
      },
      says: /^Key key_\w+ has already been rotated\.$/,
      next: /key rotate key_\w+/,
    },
    {
      why: "a key that is not there",
      ask: () => rotateKey(setUp().issuer, "key_none", 0),
      says: /^There is no key with that id\.$/,
      next: /key list/,
    },
    {
      why: "a name that is none",
      ask: () => createAccount(setUp().table, "-acme", { tier: "free" }, NOW_MS),
      says: /^An account name has 1 to 64 letters, digits and \. _ @ -/,
      next: /another name/,
    },
    {
      why: "a new account without a tier",
      ask: () => createAccount(setUp().table, "new", {}, NOW_MS),
      says: /^Account new does not exist yet, and a new account needs a tier\.$/,
      next: /--tier, one of free, pro,/,
    },
    {
      why: "an account that is there already",
      ask: () => createAccount(setUp().table, "acme", { tier: "free" }, NOW_MS),
      says: /^Account acme already exists\.$/,
      next: /account set, or key create/,
    },
    {
      why: "an account that is not there",
      ask: () => setAccount(setUp().table, "none", { tier: "free" }),
      says: /^There is no account none\.$/,
      next: /account list/,
    },
    {
      why: "a limit for Pro",
      ask: () => setAccount(setUp().table, "acme", { tier: "pro", dailyLimit: 5 }),
      says: /Only Enterprise accounts can have a daily limit of their own; acme is pro\.$/,
      next: /Omit --daily-limit, or add --tier enterprise/,
    },
    {
      why: "a pepper that others may read",
      ask: () => load(pepperFile(PEPPER, 0o640)),
      says: /^The pepper file can be read by users other than its owner/,
      next: /^Run: chmod 600 .*pepper-/,
    },
    {
      why: "a pepper that is gone",
      ask: () => load(join(folder, "no-pepper"), undefined, false),
      says: /pepper they were stored with is missing/,
      next: /Put the pepper back at .*no-pepper or into GOVDATA_PEPPER/,
    },
    {
      why: "a comment in the file",
      ask: () => load(pepperFile(`# a comment of more than 32 characters\n${PEPPER}`)),
      says: /^A line in the pepper file begins with #/,
      next: /Remove the line/,
    },
    {
      why: "a short one from outside",
      ask: () => load("", "short"),
      says: /^A pepper in GOVDATA_PEPPER is shorter than 32 characters\.$/,
      next: /at least 32 random characters a line/,
    },
    {
      why: "the same twice",
      ask: () => load("", `${PEPPER}\n${PEPPER}`),
      says: /^There are more than 4 peppers in GOVDATA_PEPPER, or the same one twice\.$/,
      next: /`key list` shows them by number/,
    },
    {
      why: "a store that is none",
      ask: () => openKeyTable(pepperFile("text, and no database ".repeat(500)), 100),
      says: /^keys\.db cannot be opened/,
      next: /^Check that the file is a key store/,
    },
    {
      why: "a store in a folder that is not there",
      ask: () => openKeyTable(join(folder, "nowhere", "keys.db"), 100),
      says: /^keys\.db cannot be opened/,
      next: /its disk can be written/,
    },
    {
      why: "a store of a later release",
      ask: () => {
        const path = join(folder, "later.db");
        openSqlite(path).exec("PRAGMA user_version = 99").close();
        openKeyTable(path, 100);
      },
      says: /^keys\.db was written by a newer version/,
      next: /another --home/,
    },
    {
      why: "a store of another program that numbers its shape as we do",
      ask: () => {
        const path = join(folder, "foreign.db");
        openSqlite(path).exec("PRAGMA user_version = 2").close();
        openKeyTable(path, 100);
      },
      says: /^keys\.db was written by/,
      next: /another --home/,
    },
  ])("of $why", ({ ask, says, next }) => {
    const { name, message, hint } = told(ask);
    expect(name).toBe("Failure");
    expect(message).toMatch(says);
    expect(hint).toMatch(next);
  });

  it("nothing of four peppers, the most there may be", () => {
    const four = ["a", "b", "c", "d"].map((digit) => digit.repeat(32));
    expect(load(pepperFile(four.join("\n")))).toEqual(four);
  });
});
