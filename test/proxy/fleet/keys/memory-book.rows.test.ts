import { describe, expect, it } from "vitest";
import {
  createMemoryBook,
  readRow,
  rowOfAccount,
  rowOfKey,
  rowOfPepper,
} from "../../../../proxy/fleet/keys/memory-book.ts";
import type { OperatorFailure } from "../../../../proxy/operator-error.ts";

const HEX = "0a".repeat(32);
const ACCOUNT = { tier: "pro", dailyLimit: null, createdAtMs: 0 };
const KEY = {
  account: "acme",
  environment: "live",
  digest: HEX,
  createdAtMs: 1,
  expiresAtMs: null,
  revokedAtMs: null,
  successorId: null,
  pepperId: 1,
};
const SECRET = "gvk_live_abcdefghijklmnop";

const thrown = (work: () => unknown): OperatorFailure => {
  try {
    work();
  } catch (error) {
    return error as OperatorFailure;
  }
  throw new Error("nothing was refused");
};

describe("a row of the book", () => {
  it.each([
    { why: "an account", field: "account:acme", value: ACCOUNT },
    {
      why: "a limit of its own",
      field: "account:a@b-c.d_e",
      value: { ...ACCOUNT, tier: "enterprise", dailyLimit: 1 },
    },
    { why: "a key", field: "key:key_0123456789ab", value: KEY },
    {
      why: "a key that ended",
      field: "key:key_a",
      value: {
        ...KEY,
        environment: "test",
        expiresAtMs: 9,
        revokedAtMs: 8,
        successorId: "key_b",
        pepperId: 2,
      },
    },
    { why: "a pepper", field: "pepper:1", value: { digest: HEX } },
  ])("is written as it was read: $why", ({ field, value }) => {
    const entry = readRow({ field, json: JSON.stringify(value) });
    const again =
      entry.kind === "account"
        ? rowOfAccount(entry.row)
        : entry.kind === "key"
          ? rowOfKey(entry.row)
          : rowOfPepper(entry.pepperId, entry.digest ?? Buffer.alloc(0));
    expect(again.field).toBe(field);
    expect(JSON.parse(again.json)).toEqual(value);
  });

  it.each([
    { why: "no JSON", field: "account:acme", json: "{" },
    { why: "nothing", field: "account:acme", json: "" },
    { why: "taken back, which no account is", field: "account:acme", json: "null" },
    { why: "taken back, which no key is", field: "key:key_a", json: "null" },
    { why: "an unknown tier", field: "account:acme", json: JSON.stringify({ ...ACCOUNT, tier: "gold" }) },
    { why: "a limit of none", field: "account:acme", json: JSON.stringify({ ...ACCOUNT, dailyLimit: 0 }) },
    {
      why: "a limit of a half",
      field: "account:acme",
      json: JSON.stringify({ ...ACCOUNT, dailyLimit: 1.5 }),
    },
    {
      why: "a limit beyond exactness",
      field: "account:acme",
      json: `{"tier":"enterprise","dailyLimit":1e300,"createdAtMs":0}`,
    },
    {
      why: "a moment before there were any",
      field: "account:acme",
      json: JSON.stringify({ ...ACCOUNT, createdAtMs: -1 }),
    },
    { why: "a field too many", field: "account:acme", json: JSON.stringify({ ...ACCOUNT, isAdmin: true }) },
    {
      why: "a key that lacks whether it is revoked",
      field: "key:key_a",
      json: JSON.stringify({ ...KEY, revokedAtMs: undefined }),
    },
    {
      why: "a revocation in words",
      field: "key:key_a",
      json: JSON.stringify({ ...KEY, revokedAtMs: "never" }),
    },
    { why: "a short digest", field: "key:key_a", json: JSON.stringify({ ...KEY, digest: "0a" }) },
    {
      why: "a digest in capitals",
      field: "key:key_a",
      json: JSON.stringify({ ...KEY, digest: HEX.toUpperCase() }),
    },
    { why: "pepper 0", field: "key:key_a", json: JSON.stringify({ ...KEY, pepperId: 0 }) },
    { why: "a pepper without a number", field: "pepper:one", json: JSON.stringify({ digest: HEX }) },
    { why: "a pepper without a digest", field: "pepper:1", json: "{}" },
  ])("is refused by the name of its field: $why", ({ field, json }) => {
    expect(thrown(() => readRow({ field, json }))).toMatchObject({
      code: "KEYS_INVALID",
      message: `The value in Redis under ${field} was not written by this program.`,
    });
  });

  it.each([
    { why: "no kind", field: "acme" },
    { why: "an unknown kind", field: "secret:hunter2" },
    { why: "a key in the place of its id", field: `key:${SECRET}!` },
    { why: "a key in the place of an account", field: `account:${SECRET} ` },
    { why: "no name", field: "account:" },
    { why: "a line end", field: "account:a\nb" },
    { why: "a name of 65", field: `account:${"a".repeat(65)}` },
    { why: "another object's own", field: "__proto__" },
  ])("whose field is none is refused without repeating it: $why", ({ field }) => {
    const { code, message } = thrown(() => readRow({ field, json: JSON.stringify(ACCOUNT) }));
    expect(code).toBe("KEYS_INVALID");
    expect(message).toBe(
      "The value in Redis under a field with an unknown name was not written by this program.",
    );
  });

  it("is never told by what is in it", () => {
    const json = JSON.stringify({ ...KEY, digest: SECRET });
    const error = thrown(() => readRow({ field: "key:key_a", json }));
    expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toContain(SECRET);
  });
});

describe("a copy in memory", () => {
  const row = (field: string, value: unknown) => ({ field, json: JSON.stringify(value) });
  const whole = [
    row("key:key_a", { ...KEY, successorId: "key_b" }),
    row("key:key_b", { ...KEY, digest: "0b".repeat(32) }),
    row("account:acme", ACCOUNT),
    row("pepper:1", { digest: HEX }),
    row("pepper:2", { digest: "0b".repeat(32) }),
  ];

  it("takes rows in any order, again and again, and lets two peppers change places", () => {
    const { take, rows, store } = createMemoryBook();
    take(whole);
    take([...whole].reverse());
    take([row("pepper:2", { digest: HEX }), row("pepper:1", { digest: "0b".repeat(32) })]);
    expect(rows().size).toBe(5);
    expect(rows().get("pepper:2")).toContain(HEX);
    take([row("pepper:2", null)]);
    expect(rows().has("pepper:2")).toBe(false);
    expect(store.key("key_a")?.successorId).toBe("key_b");
    store.close();
  });

  it.each([
    { why: "a key without its account", rows: [row("key:key_a", { ...KEY, account: "nobody" })] },
    { why: "a successor that is not there", rows: [row("key:key_a", { ...KEY, successorId: "key_gone" })] },
    { why: "two keys of one digest", rows: [row("key:key_c", KEY)] },
    { why: "a limit of its own for Pro", rows: [row("account:acme", { ...ACCOUNT, dailyLimit: 5 })] },
    {
      why: "one that is no row, after one that is",
      rows: [row("account:next", ACCOUNT), row("key:key_x", {})],
    },
  ])("is as it was where rows do not stand together: $why", ({ rows }) => {
    const copy = createMemoryBook();
    copy.take(whole);
    const before = [...copy.rows()];
    expect(thrown(() => copy.take(rows)).code).toBe("KEYS_INVALID");
    expect([...copy.rows()]).toEqual(before);
    copy.store.close();
  });
});
