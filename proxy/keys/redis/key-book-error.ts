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
