/**
 * How often a kind of fault may happen to one request before it is given up.
 * `passing` may be over at the next attempt; `server` (a 500) may be our own fault, which no repeating cures;
 * `garbled` is an answer that is not JSON; `final` would be the same again.
 */
export type FaultKind = "passing" | "server" | "garbled" | "final";

/** One attempt that brought no answer. Its message continues "<origin> …" and holds nothing that was sent or received. */
export class HttpFault extends Error {
  override readonly name = "HttpFault";
  readonly kind: FaultKind;
  /** The origin's own wish. */
  readonly retryAfterMs: number | undefined;
  readonly isRateLimit: boolean;
  /** The answer is larger than we take; a smaller question may get one that is not. */
  readonly isTooMuch: boolean;

  constructor(
    kind: FaultKind,
    message: string,
    options: {
      readonly retryAfterMs?: number | undefined;
      readonly isRateLimit?: boolean;
      readonly isTooMuch?: boolean;
    } = {},
  ) {
    super(message);
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs;
    this.isRateLimit = options.isRateLimit ?? false;
    this.isTooMuch = options.isTooMuch ?? false;
  }
}
