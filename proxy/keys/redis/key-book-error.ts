import { OperatorError } from "../../operator-error.ts";
import { RedisError } from "../../redis/redis-connection.ts";

/** Why a book of keys answers nobody, or took no change. */
export type KeyBookErrorCode =
  /** No good answer for too long: what was revoked meanwhile is not known. */
  | "KEYS_STALE"
  /** Redis does not hold what it held: an older copy, an emptied one, or another Redis. */
  | "KEYS_LOST"
  /** What lies there is no row of this program. */
  | "KEYS_INVALID"
  /** The keys were stored under peppers that are not on this host. */
  | "KEYS_PEPPER";

/** A failure of the book of keys in Redis: a stable code, and a sentence without any key, digest or address. */
export class KeyBookError extends Error {
  override readonly name = "KeyBookError";
  readonly code: KeyBookErrorCode;

  constructor(code: KeyBookErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** Does some work with the book, and tells in plain words what went wrong with Redis or with what lies there. */
export async function tellingBookFailures<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw operatorErrorOf(error);
  }
}

function operatorErrorOf(error: unknown): unknown {
  if (error instanceof RedisError) {
    const reason = error.reason === undefined ? "" : ` (${error.reason})`;
    const hint = "Look at the Redis that GOVDATA_QUOTA names, at its log and its disk, and try again.";
    return new OperatorError("STORE_UNUSABLE", `${error.message}${reason}.`, hint, error);
  }
  if (!(error instanceof KeyBookError)) return error;
  if (error.code === "KEYS_LOST") {
    return new OperatorError(
      "KEYS_MISSING",
      error.message,
      "Put Redis' files back. To accept what is there, where keys revoked since may work again: revoke them anew, then delete keys-point in the home of each host and start it.",
      error,
    );
  }
  const hint = "Put Redis' files back. Nothing but this program may write under govdata:{keys}.";
  return new OperatorError("STORE_UNUSABLE", error.message, hint, error);
}
