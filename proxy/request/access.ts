import type { AccessTier } from "../../snapshots/format/value-sets.ts";
import type { KeyHolder, KeyLookup } from "../keys/key-lookup.ts";
import type { DailyQuota } from "../quota/daily-quota.ts";
import { quotaDayOf } from "../quota/daily-quota.ts";
import { readApiKeyHeader } from "./api-key-header.ts";
import type { QuotaStanding } from "./headers.ts";
import type { InFlight } from "./in-flight.ts";
import type { Problem } from "./problems.ts";

/** A request that was let in: who sent it, what is left, and how to give its unit back. */
export interface Admitted {
  readonly kind: "admitted";
  readonly keyId: string;
  readonly tier: AccessTier;
  readonly standing: QuotaStanding;
  /** Gives the unit back, for our own failure; the standing afterwards. Never rejects. */
  readonly refund: () => Promise<QuotaStanding>;
  /** Frees the request's place under the in-flight cap; call it once, when the answer is out. */
  readonly leave: () => void;
}

/** A request that was not let in. `keyId` and `standing` where they are known. */
export interface Refused {
  readonly kind: "refused";
  readonly problem: Problem;
  readonly keyId?: string;
  readonly standing?: QuotaStanding;
}

/** What access needs. */
export interface AccessParts {
  readonly lookup: KeyLookup;
  readonly quota: DailyQuota;
  readonly inFlight: InFlight;
  readonly nowMs: () => number;
  /** A reason for which nobody is served at the moment, asked before anything is charged. */
  readonly closedBecause: () => Problem | undefined;
  readonly onError: (where: "keys" | "quota", error: unknown) => void;
}

/** Decides on one request by its raw headers. */
export type Access = (rawHeaders: readonly string[]) => Promise<Admitted | Refused>;

/**
 * The first steps of every request, in their constant order: key, an account known to be used up, room, quota. Whatever
 * cannot be decided is refused.
 */
export function createAccess(parts: AccessParts): Access {
  return async (rawHeaders) => {
    const holder = identify(parts, rawHeaders);
    if (typeof holder === "string") return { kind: "refused", problem: holder };
    const { keyId } = holder;
    const closed = parts.closedBecause();
    if (closed !== undefined) return { kind: "refused", problem: closed, keyId };
    const usedUp = refuseKnown(parts, holder);
    if (usedUp !== undefined) return usedUp;
    if (!parts.inFlight.enter()) return { kind: "refused", problem: "too-busy", keyId };
    return charge(parts, holder);
  };
}

function identify(parts: AccessParts, rawHeaders: readonly string[]): KeyHolder | Problem {
  const presented = readApiKeyHeader(rawHeaders);
  if (presented.kind === "absent") return "key-missing";
  try {
    // Two lines take the same steps as one wrong key: an empty text is never well-formed.
    return parts.lookup(presented.kind === "one" ? presented.text : "") ?? "key-invalid";
  } catch (error) {
    parts.onError("keys", error);
    return "key-store-down";
  }
}

/** An account that is known to be used up takes no place, so it cannot fill them for the others. */
function refuseKnown(parts: AccessParts, holder: KeyHolder): Refused | undefined {
  const { account, keyId, dailyLimit: limit } = holder;
  const asked = quotaDayOf(parts.nowMs());
  const answer = parts.quota.refuseKnown({ account, day: asked.day, limit });
  if (answer === undefined) return undefined;
  const { resetAtMs, secondsToReset } =
    answer.countedAtMs === undefined ? asked : quotaDayOf(answer.countedAtMs);
  const standing = { limit, remaining: 0, resetAtMs, secondsToReset };
  return { kind: "refused", problem: "quota-used-up", keyId, standing };
}

/** Charges a request that has its place, and frees that of one that is refused. */
async function charge(parts: AccessParts, holder: KeyHolder): Promise<Admitted | Refused> {
  const { account, keyId, tier, dailyLimit: limit } = holder;
  const asked = quotaDayOf(parts.nowMs());
  try {
    const answer = await parts.quota.charge({ account, day: asked.day, limit });
    const { isGranted, remaining, countedAtMs } = answer;
    // Where several hosts count in one store, its clock says which day it is.
    const counted = countedAtMs === undefined ? asked : quotaDayOf(countedAtMs);
    const { day, resetAtMs, secondsToReset } = counted;
    const standingWith = (left: number) => ({ limit, remaining: left, resetAtMs, secondsToReset });
    const standing = standingWith(remaining);
    if (!isGranted) {
      parts.inFlight.leave();
      return { kind: "refused", problem: "quota-used-up", keyId, standing };
    }
    const refund = async () => {
      try {
        await parts.quota.refund({ account, day });
        return standingWith(Math.min(limit, remaining + 1));
      } catch (error) {
        parts.onError("quota", error);
        return standing;
      }
    };
    return { kind: "admitted", keyId, tier, standing, refund, leave: parts.inFlight.leave };
  } catch (error) {
    parts.inFlight.leave();
    parts.onError("quota", error);
    return { kind: "refused", problem: "quota-store-down", keyId };
  }
}
