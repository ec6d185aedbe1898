import { describe, expect, it } from "vitest";
import { entriesOf, fillTable } from "../../../../proxy/fleet/keys/key-entries.ts";
import { openKeyTableInMemory } from "../../../../proxy/keys/key-table.ts";
import type { Failure } from "../../../../snapshots/base/failure.ts";

const HEX = "0a".repeat(32);
const FIELD = `key:${HEX}`;
const ACCOUNT = { tier: "pro", dailyLimit: null, createdAtMs: 0 };
const KEY = {
  keyId: "key_a",
  account: "acme",
  environment: "live",
  createdAtMs: 1,
  expiresAtMs: null,
  revokedAtMs: null,
  successorId: null,
  pepperId: 1,
};
const SECRET = "gvk_live_abcdefghijklmnop";
const OTHER = "0b".repeat(32);

const WHOLE = {
  [FIELD]: { ...KEY, successorId: "key_b", expiresAtMs: 9, revokedAtMs: 8 },
  [`key:${OTHER}`]: { ...KEY, keyId: "key_b", environment: "test", pepperId: 2 },
  "account:acme": ACCOUNT,
  "account:a@b-c.d_e": { ...ACCOUNT, tier: "enterprise", dailyLimit: 1 },
  peppers: { "1": HEX, "2": OTHER },
};

const json = (entries: Readonly<Record<string, unknown>>) =>
  new Map(Object.entries(entries).map(([field, value]) => [field, JSON.stringify(value)]));

function failureOf(entries: ReadonlyMap<string, string>): Failure {
  const table = openKeyTableInMemory();
  try {
    fillTable(table, entries);
  } catch (error) {
    expect(entriesOf(table).size, "all or nothing").toBe(0);
    return error as Failure;
  } finally {
    table.close();
  }
  throw new Error("nothing was refused");
}

describe("the entries of keys in Redis", () => {
  it("are written as they were read, in any order", () => {
    for (const entries of [json(WHOLE), new Map([...json(WHOLE)].reverse())]) {
      const table = openKeyTableInMemory();
      fillTable(table, entries);
      const written = [...entriesOf(table)].map(([field, text]) => [field, JSON.parse(text)]);
      expect(Object.fromEntries(written)).toEqual(WHOLE);
      table.close();
    }
  });

  it.each([
    { why: "no JSON", field: "account:acme", text: "{" },
    { why: "null", field: "account:acme", text: "null" },
    { why: "an unknown tier", field: "account:acme", value: { ...ACCOUNT, tier: "gold" } },
    { why: "a limit of none", field: "account:acme", value: { ...ACCOUNT, dailyLimit: 0 } },
    { why: "a limit that is not exact", field: "account:acme", value: { ...ACCOUNT, dailyLimit: 1e300 } },
    { why: "an unknown property", field: "account:acme", value: { ...ACCOUNT, isAdmin: true } },
    { why: "a pepper without a digest", field: "peppers", value: { "1": "" } },
    { why: "a key that may be revoked", field: FIELD, value: { ...KEY, revokedAtMs: undefined } },
    { why: "pepper 0", field: FIELD, value: { ...KEY, pepperId: 0 } },
  ])("are refused by name, without their content: $why", ({ field, value, text }) => {
    const name = field === FIELD ? "a key" : field;
    expect(failureOf(new Map([[field, text ?? JSON.stringify(value)]]))).toMatchObject({
      code: "KEYS_INVALID",
      message: `The value in Redis under ${name} was not written by this program.`,
    });
  });

  it.each([
    { why: "an unknown kind", field: "secret:hunter2" },
    { why: "a short digest", field: "key:0a" },
    { why: "a digest in capitals", field: `key:${HEX.toUpperCase()}` },
    { why: "a key instead of its digest", field: `key:${SECRET}` },
    { why: "a key instead of an account", field: `account:${SECRET} ` },
    { why: "a name of 65", field: `account:${"a".repeat(65)}` },
    { why: "a property of every object", field: "__proto__" },
  ])("under an unknown field are refused without repeating it: $why", ({ field }) => {
    const { code, message } = failureOf(new Map([[field, JSON.stringify(ACCOUNT)]]));
    expect([code, message]).toEqual([
      "KEYS_INVALID",
      "The value in Redis under a field with an unknown name was not written by this program.",
    ]);
  });

  it.each([
    {
      why: "a key without its account",
      more: { [`key:${"0c".repeat(32)}`]: { ...KEY, keyId: "key_c", account: "nobody" } },
    },
    { why: "a successor that does not exist", more: { [FIELD]: { ...KEY, successorId: "key_gone" } } },
    { why: "two digests of one key", more: { [`key:${"0c".repeat(32)}`]: KEY } },
    { why: "a limit for Pro", more: { "account:acme": { ...ACCOUNT, dailyLimit: 5 } } },
  ])("are refused if they contradict each other: $why", ({ more }) => {
    expect(failureOf(json({ ...WHOLE, ...more }))).toMatchObject({
      code: "KEYS_INVALID",
      message: expect.stringContaining("contradict each other"),
    });
  });
});
