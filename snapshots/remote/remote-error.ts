/** Every way a remote place refuses; callers may switch on these. */
export const REMOTE_ERROR_CODES = [
  /** Nobody answers, or what came was cut or too slow: the same call may end well later. */
  "REMOTE_AWAY",
  /** It answers, and does not let us in. */
  "REMOTE_REFUSED",
  /** There is nothing at this address, or not what must be there. */
  "REMOTE_MISSING",
  /** Somebody else has published there meanwhile. */
  "REMOTE_MOVED",
  /** Two reads do not belong together yet: a pointer that is newer than what it names, or older than one seen before. */
  "REMOTE_STALE",
  /** What is there is not what must be: too large, of another hash, forged. */
  "REMOTE_INVALID",
  /** The address itself cannot be used. */
  "REMOTE_ADDRESS",
] as const;
export type RemoteErrorCode = (typeof REMOTE_ERROR_CODES)[number];

/** Controls, and what turns the direction of writing: a key of a foreign document must not steer whoever's terminal. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const MESSAGE_LENGTH_MAX = 600;

function plainText(message: string): string {
  return message.slice(0, MESSAGE_LENGTH_MAX).replace(UNSEEN, "?");
}

/**
 * A refusal of a remote place: a stable code, and a sentence that names the file by its place under the address. It
 * holds no credential and no signed address; what the client said stays in `cause`.
 */
export class RemoteError extends Error {
  override readonly name = "RemoteError";
  readonly code: RemoteErrorCode;
  /** The file concerned, relative to the address. */
  readonly path: string | undefined;

  constructor(code: RemoteErrorCode, message: string, options?: { path?: string; cause?: unknown }) {
    super(plainText(message), options?.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.path = options?.path;
  }
}
