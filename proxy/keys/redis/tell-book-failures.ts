import { OperatorError } from "../../operator-error.ts";
import { RedisError } from "../../redis/redis-error.ts";
import { KeyBookError } from "./key-book-error.ts";

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
