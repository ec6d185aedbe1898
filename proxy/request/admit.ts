import type { AccessTier } from "../../snapshots/format/value-sets.ts";
import type { KeyHolder, KeyLookup } from "../keys/key-lookup.ts";
import { type DailyQuota, type QuotaAnswer, type QuotaDay, quotaDayOf } from "../quota/daily-quota.ts";
import type { Problem } from "./problems.ts";
import { presentedKey } from "./request-head.ts";

/** What is left of an account's day, as its caller may know it. */
export interface QuotaStatus {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAtMs: number;
  readonly secondsToReset: number;
}

/** A request that was admitted: who sent it, what quota is left, and how to give its unit back. */
export interface Admitted {
  readonly kind: "admitted";
  readonly keyId: string;
  readonly account: string;
  readonly tier: AccessTier;
  readonly quota: QuotaStatus;
  /** Gives the unit back, for our own failure; the quota afterwards. Never rejects. */
  readonly refund: () => Promise<QuotaStatus>;
  /** Ends the request's use of the in-flight limit; call it once, when the response has been sent. */
  readonly leave: () => void;
}

export interface Refused {
  readonly kind: "refused";
  readonly problem: Problem;
  readonly keyId?: string;
  readonly quota?: QuotaStatus;
}

interface AdmitParts {
  readonly lookup: KeyLookup;
  readonly quota: DailyQuota;
  readonly inFlight: InFlight;
  readonly nowMs: () => number;
  /** Whether there is a version to serve, asked before anything is charged. */
  readonly isServing: () => boolean;
  readonly onError: (where: "keys" | "quota", error: unknown) => void;
}

/** Decides on one request by its raw headers, at once where nothing has to be written. */
export type Admit = (rawHeaders: readonly string[]) => Admitted | Refused | Promise<Admitted | Refused>;

/**
 * The first checks of every request, in their constant order: key, an account known to have no quota left, the in-flight
 * limit, quota. Whatever cannot be decided is refused.
 */
export function createAdmit(parts: AdmitParts): Admit {
  const admit = (holder: KeyHolder | Problem = "key-invalid"): ReturnType<Admit> => {
    if (typeof holder === "string") return { kind: "refused", problem: holder };
    const { keyId, account, dailyLimit: limit } = holder;
    if (!parts.isServing()) return { kind: "refused", problem: "no-snapshot", keyId };
    const asked = quotaDayOf(parts.nowMs());
    // Before the in-flight limit: a spent key that is sent without a pause must not displace callers with quota left.
    const known = parts.quota.refuseKnown({ account, day: asked.day, limit });
    if (known !== undefined) return usedUp(holder, asked, known);
    if (!parts.inFlight.enter(account)) return { kind: "refused", problem: "too-busy", keyId };
    return take(parts, holder, asked);
  };
  const keysFailed = (error: unknown): Problem => {
    parts.onError("keys", error);
    return "key-store-down";
  };
  return (rawHeaders) => {
    const presented = presentedKey(rawHeaders);
    if (presented === undefined) return admit("key-missing");
    let holder: ReturnType<KeyLookup> | Problem;
    try {
      holder = parts.lookup(presented);
    } catch (error) {
      holder = keysFailed(error);
    }
    return holder instanceof Promise ? holder.catch(keysFailed).then(admit) : admit(holder);
  };
}

/** Takes a unit for a request that was counted as in flight; it is no longer counted where it is refused. */
async function take(parts: AdmitParts, holder: KeyHolder, asked: QuotaDay): Promise<Admitted | Refused> {
  const { account, keyId, tier, dailyLimit: limit } = holder;
  const leave = () => parts.inFlight.leave(account);
  let answer: QuotaAnswer;
  try {
    answer = await parts.quota.charge({ account, day: asked.day, limit });
  } catch (error) {
    leave();
    parts.onError("quota", error);
    return { kind: "refused", problem: "quota-store-down", keyId };
  }
  if (!answer.isGranted) {
    leave();
    return usedUp(holder, asked, answer);
  }
  const { remaining } = answer;
  const counted = countedDay(asked, answer);
  const quota = statusOf(limit, remaining, counted);
  const refund = async () => {
    try {
      await parts.quota.refund({ account, day: counted.day });
      return statusOf(limit, Math.min(limit, remaining + 1), counted);
    } catch (error) {
      parts.onError("quota", error);
      return quota;
    }
  };
  return { kind: "admitted", keyId, account, tier, quota, refund, leave };
}

function usedUp({ keyId, dailyLimit }: KeyHolder, asked: QuotaDay, answer: QuotaAnswer): Refused {
  const quota = statusOf(dailyLimit, answer.remaining, countedDay(asked, answer));
  return { kind: "refused", problem: "quota-used-up", keyId, quota };
}

/** Where several hosts count in one store, its clock says which day it is. */
function countedDay(asked: QuotaDay, { countedAtMs }: QuotaAnswer): QuotaDay {
  return countedAtMs === undefined ? asked : quotaDayOf(countedAtMs);
}

function statusOf(limit: number, remaining: number, { resetAtMs, secondsToReset }: QuotaDay): QuotaStatus {
  return { limit, remaining, resetAtMs, secondsToReset };
}

export interface InFlight {
  /** False where the cap, or the account's share of it, is reached; true counts one in. */
  readonly enter: (account: string) => boolean;
  readonly leave: (account: string) => void;
  readonly count: () => number;
}

/** No account may use more than this share of the limit, so that one busy caller does not displace all others. */
const ACCOUNT_SHARE = 1 / 4;

/** An account may always have this many in progress where the limit allows it: a busy page of one caller. */
const ACCOUNT_SHARE_MIN = 64;

/** Counts requests under way against a cap: beyond it callers are asked to come back, and those inside are answered. */
export function createInFlight(cap: number): InFlight {
  const share = Math.max(ACCOUNT_SHARE_MIN, Math.floor(cap * ACCOUNT_SHARE));
  const byAccount = new Map<string, number>();
  let count = 0;
  return {
    enter: (account) => {
      const inFlight = byAccount.get(account) ?? 0;
      if (count >= cap || inFlight >= share) return false;
      count += 1;
      byAccount.set(account, inFlight + 1);
      return true;
    },
    leave: (account) => {
      count -= 1;
      const inFlight = (byAccount.get(account) ?? 1) - 1;
      if (inFlight === 0) byAccount.delete(account);
      else byAccount.set(account, inFlight);
    },
    count: () => count,
  };
}
