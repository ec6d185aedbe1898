/** Why a call did not come back good: nobody is there, no answer came in time, or it was there and said no. */
export type RedisProblem = "REDIS_AWAY" | "REDIS_TIMEOUT" | "REDIS_REFUSED";

const WORDS: Readonly<Record<RedisProblem, string>> = {
  REDIS_AWAY: "Redis cannot be reached",
  REDIS_TIMEOUT: "Redis did not answer in time",
  REDIS_REFUSED: "Redis refused",
};

/**
 * A call that was not answered good: whether any of it was done is not known. What the client threw is never kept in it,
 * because that holds the arguments of the command, and one of them may be the password.
 */
export class RedisError extends Error {
  override readonly name = "RedisError";
  readonly code: RedisProblem;
  /** One word of Redis, of the system or of ours: `READONLY`, `ECONNREFUSED`, `APPENDONLY_NOT_YES`. */
  readonly reason: string | undefined;

  constructor(code: RedisProblem, reason?: string, words: string = WORDS[code]) {
    // As a cause with a code, so that the log tells it as it tells the system's.
    super(
      words,
      reason === undefined ? undefined : { cause: Object.assign(new Error(words), { code: reason }) },
    );
    this.code = code;
    this.reason = reason;
  }
}
