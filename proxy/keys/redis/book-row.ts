import { z } from "zod";
import { ACCESS_TIERS } from "../../../snapshots/format/value-sets.ts";
import { ACCOUNT_NAME } from "../account-book.ts";
import { KEY_ENVIRONMENTS } from "../key-format.ts";
import type { Account, KeyRecord } from "../key-store.ts";
import { KeyBookError } from "./key-book-error.ts";

/** One row of the book as it lies in Redis: `account:NAME`, `key:ID` or `pepper:N`, and its JSON. */
export interface BookRow {
  readonly field: string;
  readonly json: string;
}

/** One row, read and checked. A pepper can be taken back; accounts and keys never are. */
export type BookEntry =
  | { readonly kind: "account"; readonly row: Account }
  | { readonly kind: "key"; readonly row: KeyRecord }
  | { readonly kind: "pepper"; readonly pepperId: number; readonly digest: Buffer | undefined };

/** The JSON of a row that was taken back. */
export const TAKEN_BACK = "null";

const Moment = z.int().min(0);
const Digest = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .transform((hex) => Buffer.from(hex, "hex"));
const KeyId = z.string().regex(/^\w{1,64}$/);
const PepperId = z.int().min(1);

const AccountRow = z.strictObject({
  tier: z.enum(ACCESS_TIERS),
  dailyLimit: z.int().min(1).nullable(),
  createdAtMs: Moment,
});
const KeyRow = z.strictObject({
  account: z.string().regex(ACCOUNT_NAME),
  environment: z.enum(KEY_ENVIRONMENTS),
  digest: Digest,
  createdAtMs: Moment,
  expiresAtMs: Moment.nullable(),
  revokedAtMs: Moment.nullable(),
  successorId: KeyId.nullable(),
  pepperId: PepperId,
});
const PepperRow = z.strictObject({ digest: Digest }).nullable();

/** The row of an account. */
export function rowOfAccount({ name, ...rest }: Account): BookRow {
  const { tier, dailyLimit, createdAtMs } = rest;
  return { field: `account:${name}`, json: JSON.stringify({ tier, dailyLimit, createdAtMs }) };
}

/** The row of a key: what `keys.db` holds of it, never the key. */
export function rowOfKey({ keyId, digest, ...rest }: KeyRecord): BookRow {
  return { field: `key:${keyId}`, json: JSON.stringify({ ...rest, digest: digest.toString("hex") }) };
}

/** The row of a pepper's number and its fixed digest, never the pepper. */
export function rowOfPepper(pepperId: number, digest: Buffer): BookRow {
  return { field: `pepper:${pepperId}`, json: JSON.stringify({ digest: digest.toString("hex") }) };
}

/** Reads a row; refuses what is none, by the name of its field and never by what is in it. */
export function readRow({ field, json }: BookRow): BookEntry {
  const [, kind = "", name = ""] = /^(account|key|pepper):(.*)$/s.exec(field) ?? [];
  const value = parsed(json);
  if (kind === "account" && ACCOUNT_NAME.test(name)) {
    const row = AccountRow.safeParse(value);
    if (row.success) return { kind, row: { name, ...row.data } };
  }
  if (kind === "key" && KeyId.safeParse(name).success) {
    const row = KeyRow.safeParse(value);
    if (row.success) return { kind, row: { keyId: name, ...row.data } };
  }
  if (kind === "pepper" && /^[1-9][0-9]{0,8}$/.test(name)) {
    const row = PepperRow.safeParse(value);
    if (row.success) return { kind, pepperId: Number(name), digest: row.data?.digest };
  }
  throw notARow(field);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** A name that is none of ours may be anything that somebody wrote there by mistake, so it is not repeated. */
function notARow(field: string): KeyBookError {
  const isPlain = /^(account|key|pepper):[\w.@-]{1,64}$/.test(field) && !field.includes("gvk_");
  const which = isPlain ? field : "a field whose name is none of this program's";
  return new KeyBookError("KEYS_INVALID", `What lies in Redis under ${which} is no row of this program.`);
}
