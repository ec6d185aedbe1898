import { badOption } from "../../snapshots/base/command-line/values.ts";
import { tiersWithOwnLimit } from "../../snapshots/format/limits.ts";
import { ACCESS_TIERS, type AccessTier, TIERS } from "../../snapshots/format/value-sets.ts";
import { operatorFailure } from "../operator-error.ts";
import type { Account, KeyTable } from "./key-table.ts";

export interface AccountTerms {
  readonly tier?: AccessTier;
  /** `null` removes the account's own limit. */
  readonly dailyLimit?: number | null;
}

export const ACCOUNT_NAME = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/;

/** Makes an account. Throws `OperatorFailure` for a bad or taken name, a missing tier, or a limit the tier forbids. */
export function createAccount(table: KeyTable, name: string, terms: AccountTerms, nowMs: number): Account {
  if (!ACCOUNT_NAME.test(name)) {
    throw badOption(
      "An account name has 1 to 64 letters, digits and . _ @ -, and begins with a letter or digit.",
      "Choose another name.",
    );
  }
  if (terms.tier === undefined) {
    throw operatorFailure(
      "TIER_MISSING",
      `Account ${name} does not exist yet, and a new account needs a tier.`,
      `Add --tier, one of ${ACCESS_TIERS.join(", ")}.`,
    );
  }
  const account = { name, tier: terms.tier, dailyLimit: terms.dailyLimit ?? null, createdAtMs: nowMs };
  checkLimit(account);
  if (table.account(name) !== undefined) {
    throw operatorFailure(
      "ACCOUNT_EXISTS",
      `Account ${name} already exists.`,
      "Use: account set, or key create.",
    );
  }
  table.putAccount(account);
  return account;
}

/** Changes an account's tier or limit, at once for all its keys. A tier that may have no own limit removes it. */
export function setAccount(table: KeyTable, name: string, terms: AccountTerms): Account {
  const before = requireAccount(table, name);
  const tier = terms.tier ?? before.tier;
  const kept = TIERS[tier].mayHaveOwnLimit ? before.dailyLimit : null;
  const account = { ...before, tier, dailyLimit: terms.dailyLimit === undefined ? kept : terms.dailyLimit };
  checkLimit(account);
  table.putAccount(account);
  return account;
}

export function requireAccount(table: KeyTable, name: string): Account {
  const account = table.account(name);
  if (account !== undefined) return account;
  throw operatorFailure("ACCOUNT_UNKNOWN", `There is no account ${name}.`, "See: account list");
}

/** Requests per day of an account: its own limit, or else the limit of its tier. */
export function dailyLimitOf({ tier, dailyLimit }: Account): number {
  return dailyLimit ?? TIERS[tier].dailyRequests;
}

function checkLimit(account: Account): void {
  if (account.dailyLimit === null || TIERS[account.tier].mayHaveOwnLimit) return;
  throw operatorFailure(
    "LIMIT_NOT_FOR_TIER",
    `Only ${tiersWithOwnLimit()
      .map((tier) => TIERS[tier].name)
      .join(" and ")} accounts can have a daily limit of their own; ${account.name} is ${account.tier}.`,
    `Omit --daily-limit, or add --tier ${tiersWithOwnLimit().join(" or ")}.`,
  );
}
