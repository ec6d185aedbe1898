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
  /** How long the origin asks us to wait. */
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

type Reason = readonly [kind: FaultKind, words: string];

const NOT_HTTP: Reason = ["final", "cannot be asked: a header or the address holds what HTTP does not allow"];
const UNTRUSTED: Reason = ["final", "shows a certificate that is not trusted"];
const BROKEN_OFF: Reason = ["passing", "broke off the connection"];
const UNREACHABLE: Reason = ["passing", "cannot be reached"];
const SLOW_TO_CONNECT: Reason = ["passing", "took too long to connect"];

/** By code of undici, Node or the system. Final is what would be the same again: what we send, or what the other side is. */
const REASONS: Readonly<Record<string, Reason>> = {
  UND_ERR_INVALID_ARG: NOT_HTTP,
  ERR_INVALID_ARG_VALUE: NOT_HTTP,
  UND_ERR_NOT_SUPPORTED: NOT_HTTP,
  UND_ERR_HEADERS_OVERFLOW: ["final", "answered with headers that are too long"],
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_HAS_EXPIRED: ["final", "shows a certificate that has expired"],
  ERR_TLS_CERT_ALTNAME_INVALID: ["final", "shows the certificate of another host"],
  UND_ERR_CONNECT_TIMEOUT: SLOW_TO_CONNECT,
  UND_ERR_HEADERS_TIMEOUT: ["passing", "took too long to answer"],
  UND_ERR_BODY_TIMEOUT: ["passing", "stopped in the middle of an answer"],
  UND_ERR_SOCKET: BROKEN_OFF,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ["passing", "sent an answer of another length than it said"],
  ECONNREFUSED: ["passing", "refused the connection"],
  ECONNRESET: BROKEN_OFF,
  EPIPE: BROKEN_OFF,
  ENOTFOUND: ["passing", "has a name that nobody knows"],
  EAI_AGAIN: ["passing", "has a name that could not be looked up"],
  ETIMEDOUT: SLOW_TO_CONNECT,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  Z_BUF_ERROR: ["passing", "sent an answer that was cut short"],
};

/** Codes of network and TLS that are not named above; an error of our own code has none of them. */
const NETWORK_CODE = /^(E[A-Z]+|UND_ERR_[A-Z_]+|ERR_SSL_[A-Z_]+|ERR_TLS_[A-Z_]+)$/;
const DECODER_CODE = /^(Z_[A-Z_]+|ERR__[A-Z0-9_]+|ERR_BROTLI[A-Z0-9_]*)$/;

/**
 * The fault that an error of undici or zlib stands for, in words of our own: theirs may quote the answer.
 * An error that is none of these is a defect of ours and comes back as it is.
 */
export function faultOfError(error: unknown): unknown {
  if (error instanceof HttpFault) return error;
  // Its code is often missing, and its `data` is what the other side sent.
  if (error instanceof Error && error.name === "HTTPParserError") {
    return new HttpFault("passing", "answered with something that is not HTTP");
  }
  const code = codeOf(error);
  if (code === undefined) return error;
  const reason = REASONS[code];
  if (reason !== undefined) return new HttpFault(...reason);
  if (DECODER_CODE.test(code)) return new HttpFault("garbled", "sent an answer that cannot be unpacked");
  return NETWORK_CODE.test(code) ? new HttpFault("passing", `failed with ${code}`) : error;
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // Trying several addresses of one name ends in one error that holds the others.
  if (error instanceof AggregateError && !("code" in error)) return codeOf(error.errors[0]);
  return "code" in error && typeof error.code === "string" ? error.code : undefined;
}
