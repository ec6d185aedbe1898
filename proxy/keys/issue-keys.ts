import { operatorFailure } from "../operator-error.ts";
import { type AccountTerms, createAccount } from "./accounts.ts";
import type { RandomBytes } from "./key-format.ts";
import { type KeyEnvironment, makeKey, makeKeyId } from "./key-format.ts";
import type { KeyRecord, KeyTable } from "./key-table.ts";
import { keyDigest, type Pepper } from "./peppers.ts";

export interface KeyIssuer {
  readonly table: KeyTable;
  readonly pepper: Pepper;
  readonly nowMs: number;
  readonly randomBytes: RandomBytes;
}

/** A new key. It can be shown only now: the store keeps only its digest. */
export interface IssuedKey {
  readonly key: string;
  readonly record: KeyRecord;
  /** The record of the rotated key before its rotation; absent unless this key is a successor. */
  readonly replaced?: KeyRecord;
}

/** Makes a key for an account, and the account if it is missing. Throws `OperatorFailure` if the terms do not fit. */
export function createKey(
  parts: KeyIssuer,
  options: {
    readonly account: string;
    readonly terms: AccountTerms;
    readonly environment: KeyEnvironment;
    readonly expiresAtMs: number | null;
  },
): IssuedKey {
  const { table } = parts;
  const account =
    table.account(options.account) ?? createAccount(table, options.account, options.terms, parts.nowMs);
  const { tier = account.tier, dailyLimit = account.dailyLimit } = options.terms;
  if (tier !== account.tier || dailyLimit !== account.dailyLimit) {
    throw operatorFailure(
      "TIER_BELONGS_TO_ACCOUNT",
      `Tier and limit belong to the account, and those of ${account.name} are different.`,
      `Omit --tier and --daily-limit, or change the account: account set ${account.name} …`,
    );
  }
  return issue(parts, account.name, options.environment, options.expiresAtMs);
}

/** Revokes a key at once. Revoking it again changes nothing. */
export function revokeKey(table: KeyTable, keyId: string, nowMs: number): KeyRecord {
  const record = requireKey(table, keyId);
  if (record.revokedAtMs !== null) return record;
  const revoked = { ...record, revokedAtMs: nowMs };
  table.setKeyEnd(revoked);
  return revoked;
}

/** Makes a successor with the same account, environment and expiry; the old key works for at most `graceMs` more. */
export function rotateKey(parts: KeyIssuer, keyId: string, graceMs: number): IssuedKey {
  const { table, nowMs } = parts;
  const old = requireKey(table, keyId);
  if (stateOfKey(old, nowMs) !== "active") {
    throw operatorFailure(
      "KEY_NOT_ACTIVE",
      `Key ${keyId} is ${stateOfKey(old, nowMs)}, so it cannot be rotated.`,
      `Create a new one: key create --account ${old.account}`,
    );
  }
  if (old.successorId !== null) {
    // Its expiry is now the end of its grace period; a second successor would inherit that.
    throw operatorFailure(
      "KEY_ROTATED",
      `Key ${keyId} has already been rotated.`,
      `Rotate its successor: key rotate ${old.successorId}`,
    );
  }
  const issued = issue(parts, old.account, old.environment, old.expiresAtMs);
  const expiresAtMs = Math.min(old.expiresAtMs ?? Number.POSITIVE_INFINITY, nowMs + graceMs);
  table.setKeyEnd({ ...old, expiresAtMs, successorId: issued.record.keyId });
  return { ...issued, replaced: old };
}

/** Revokes a key that could not be shown, and restores the key that it was to replace. */
export function withdrawKey(table: KeyTable, { record, replaced }: IssuedKey, nowMs: number): void {
  revokeKey(table, record.keyId, nowMs);
  if (replaced === undefined) return;
  // If it was revoked meanwhile, it stays revoked.
  const { revokedAtMs } = requireKey(table, replaced.keyId);
  table.setKeyEnd({ ...replaced, revokedAtMs });
}

export function stateOfKey(record: KeyRecord, nowMs: number): "active" | "expired" | "revoked" {
  if (record.revokedAtMs !== null) return "revoked";
  return (record.expiresAtMs ?? Number.POSITIVE_INFINITY) <= nowMs ? "expired" : "active";
}

function requireKey(table: KeyTable, keyId: string): KeyRecord {
  const record = table.key(keyId);
  if (record !== undefined) return record;
  throw operatorFailure("KEY_UNKNOWN", "There is no key with that id.", "See: key list");
}

function issue(
  parts: KeyIssuer,
  account: string,
  environment: KeyEnvironment,
  expiresAtMs: number | null,
): IssuedKey {
  const key = makeKey(environment, parts.randomBytes);
  const record = {
    keyId: makeKeyId(parts.randomBytes),
    account,
    environment,
    digest: keyDigest(parts.pepper, key),
    createdAtMs: parts.nowMs,
    expiresAtMs,
    revokedAtMs: null,
    successorId: null,
    pepperId: parts.table.pepperIdOf(parts.pepper),
  };
  parts.table.addKey(record);
  return { key, record };
}
