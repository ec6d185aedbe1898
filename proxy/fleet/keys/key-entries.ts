import { z } from "zod";
import { isSqliteError } from "../../../snapshots/base/sqlite.ts";
import { ACCESS_TIERS } from "../../../snapshots/format/value-sets.ts";
import { ACCOUNT_NAME } from "../../keys/accounts.ts";
import { KEY_ENVIRONMENTS } from "../../keys/key-format.ts";
import type { Account, KeyRecord, KeyTable, KeyWithAccount } from "../../keys/key-table.ts";
import { type StoreFailure, storeFailure } from "../redis/store-failure.ts";

/** Keys as Redis keeps them: JSON by field. The fields are `account:NAME`, `key:DIGEST` and `peppers`. */
export type KeyEntries = ReadonlyMap<string, string>;

const Moment = z.int().min(0);
const Digest = z.string().regex(/^[0-9a-f]{64}$/);
const KeyId = z.string().regex(/^\w{1,64}$/);

const AccountEntry = z.strictObject({
  tier: z.enum(ACCESS_TIERS),
  dailyLimit: z.int().min(1).nullable(),
  createdAtMs: Moment,
});
const KeyEntry = z.strictObject({
  keyId: KeyId,
  account: z.string().regex(ACCOUNT_NAME),
  environment: z.enum(KEY_ENVIRONMENTS),
  createdAtMs: Moment,
  expiresAtMs: Moment.nullable(),
  revokedAtMs: Moment.nullable(),
  successorId: KeyId.nullable(),
  pepperId: z.int().min(1),
});
const PepperEntry = z.record(z.string().regex(/^[1-9][0-9]{0,8}$/), Digest);

/** All of a table, never a key or a pepper itself. */
export function entriesOf(table: KeyTable): KeyEntries {
  const entries = new Map<string, string>();
  for (const { name, tier, dailyLimit, createdAtMs } of table.accounts())
    entries.set(`account:${name}`, JSON.stringify({ tier, dailyLimit, createdAtMs }));
  for (const { digest, ...key } of table.keys())
    entries.set(`key:${digest.toString("hex")}`, JSON.stringify(key));
  const peppers = table.peppers().map(({ id, digest }) => [id, digest.toString("hex")] as const);
  if (peppers.length > 0) entries.set("peppers", JSON.stringify(Object.fromEntries(peppers)));
  return entries;
}

/** Fills an empty table. Throws KEYS_INVALID if an entry is invalid, or if entries contradict each other. */
export function fillTable(table: KeyTable, entries: KeyEntries): void {
  const keys: KeyRecord[] = [];
  try {
    table.atomically(() => {
      for (const [field, json] of entries) {
        if (field.startsWith("account:")) table.putAccount(readAccount(field, json));
        else if (field === "peppers") putPeppers(table, json);
        else keys.push(readKey(field, json));
      }
      for (const key of keys) table.addKey({ ...key, successorId: null });
      for (const key of keys) if (key.successorId !== null) table.setKeyEnd(key);
    });
  } catch (error) {
    if (!isSqliteError(error)) throw error;
    const message = "Rows in Redis contradict each other, such as a key without its account.";
    throw storeFailure("KEYS_INVALID", message, error);
  }
}

function putPeppers(table: KeyTable, json: string): void {
  for (const [id, hex] of Object.entries(parsed("peppers", json, PepperEntry)))
    table.addPepper({ id: Number(id), digest: Buffer.from(hex, "hex") });
}

function readAccount(field: string, json: string): Account {
  const name = field.slice("account:".length);
  if (!ACCOUNT_NAME.test(name)) throw invalidEntry(field);
  return { name, ...parsed(field, json, AccountEntry) };
}

function readKey(field: string, json: string): KeyRecord {
  const [, hex] = /^key:([0-9a-f]{64})$/.exec(field) ?? [];
  if (hex === undefined) throw invalidEntry(field);
  return { ...parsed(field, json, KeyEntry), digest: Buffer.from(hex, "hex") };
}

/** A key and its account, as they were found. Throws KEYS_INVALID. */
export function readKeyWithAccount(keyField: string, keyJson: string, accountJson: string): KeyWithAccount {
  const key = readKey(keyField, keyJson);
  const { tier, dailyLimit } = readAccount(`account:${key.account}`, accountJson);
  return { ...key, tier, dailyLimit };
}

function parsed<Shape extends z.ZodType>(field: string, json: string, shape: Shape): z.output<Shape> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw invalidEntry(field);
  }
  const result = shape.safeParse(value);
  if (!result.success) throw invalidEntry(field);
  return result.data;
}

/** Only an account is named: a digest belongs in no log, and an unknown field may be anything, even a secret. */
function invalidEntry(field: string): StoreFailure {
  const isPlain = /^(account:[\w.@-]{1,64}|peppers)$/.test(field) && !field.includes("gvk_");
  const name = isPlain ? field : /^key:[0-9a-f]{64}$/.test(field) ? "a key" : "a field with an unknown name";
  const message = `The value in Redis under ${name} was not written by this program.`;
  return storeFailure("KEYS_INVALID", message);
}
