import { errorCode, Failure, isFailure } from "../../../snapshots/base/failure.ts";
import { operatorFailure } from "../../operator-error.ts";

/** Why keys or counts in Redis cannot be used; callers get 503, and the log has the code. */
const MESSAGES = {
  REDIS_AWAY: "Redis cannot be reached",
  REDIS_TIMEOUT: "Redis did not answer in time",
  REDIS_REFUSED: "Redis refused",
  KEYS_STALE: "Changes to the keys in Redis could not be read.",
  KEYS_LOST:
    "Redis does not hold the keys that it held before: it lost them, has an older copy, or is a different Redis.",
  KEYS_INVALID: "Redis returned something that is not a list of keys.",
  KEYS_OUTDATED: "The keys in this Redis are stored as version 0.6.0 stored them.",
  KEYS_PEPPER: "The keys in Redis are stored with a different pepper than this host's.",
  QUOTA_DATA_LOST: "Redis does not hold the counts it held before",
  QUOTA_CLOCKS_APART: "this clock differs from that of Redis by more than a day",
  QUOTA_ANSWER_INVALID: "Redis gave an invalid answer",
} as const;

type StoreFailureCode = keyof typeof MESSAGES;
export type StoreFailure = Failure<StoreFailureCode>;

/** A failure of the stores in Redis. Neither message nor cause may hold a key, a digest, a password or an address. */
export function storeFailure(
  code: StoreFailureCode,
  message: string = MESSAGES[code],
  cause?: unknown,
): StoreFailure {
  return new Failure(code, message, { cause });
}

const CALL_FAILED = ["REDIS_AWAY", "REDIS_TIMEOUT", "REDIS_REFUSED"] as const;

/**
 * A failed call; it is not known whether any of it was done. `reason` is an error code of Redis, of the system or of ours.
 * The client's own error is never kept: it contains the arguments of the command, and one may be the password.
 */
export function redisFailure(
  code: (typeof CALL_FAILED)[number],
  reason?: string,
  message: string = MESSAGES[code],
): StoreFailure {
  return storeFailure(code, message, reason === undefined ? undefined : new Failure(reason, message));
}

/** Whether an error is a failure of the stores, with one of these codes if any are named. */
export function isStoreFailure(error: unknown, ...codes: StoreFailureCode[]): error is StoreFailure {
  return isFailure(error, codes.length === 0 ? (Object.keys(MESSAGES) as StoreFailureCode[]) : codes);
}

export const isRedisFailure = (error: unknown): error is StoreFailure =>
  isStoreFailure(error, ...CALL_FAILED);

/** The same failure as a new error: the log writes each error object only once. */
export function failureAgain({ code, message, cause }: StoreFailure): StoreFailure {
  return storeFailure(code, message, cause);
}

/** A failed call in words, with its reason. */
export function describeRedisFailure({ message, cause }: StoreFailure): string {
  const reason = errorCode(cause);
  return reason === undefined ? message : `${message} (${reason})`;
}

const RESTORE_REDIS = "Put Redis' files back.";

const HINTS: Readonly<Partial<Record<StoreFailureCode, string>>> = {
  KEYS_LOST: `${RESTORE_REDIS} Or accept what is there: keys that were revoked since may work again, so revoke them again, then delete keys-point in the home of each host and start it.`,
  KEYS_INVALID: `${RESTORE_REDIS} Only this program may write under govdata:{keys}.`,
  KEYS_OUTDATED:
    "Stop the servers, run `backup DIR` with 0.6.0, delete govdata:{keys}:* in Redis and keys-point in every home, then run `restore DIR --keep-quota`.",
};

/** Runs the work of a command or a start; explains to the operator why a store in Redis cannot be used. */
export async function explainingStoreFailures<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isStoreFailure(error)) throw error;
    const { code } = error;
    let { message } = error;
    let hint = HINTS[code] ?? RESTORE_REDIS;
    if (isRedisFailure(error)) {
      message = `${describeRedisFailure(error)}.`;
      hint = "Check the Redis in GOVDATA_QUOTA, its log and its disk, and try again.";
    } else if (code.startsWith("QUOTA_")) {
      message = `Counts in Redis: ${message}.`;
      hint = "Run the command again.";
    }
    throw operatorFailure(code === "KEYS_LOST" ? "KEYS_MISSING" : "STORE_UNUSABLE", message, hint, error);
  }
}
