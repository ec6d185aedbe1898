import { Failure, isFailure } from "../../../snapshots/base/failure.ts";

/**
 * Kinds of faults, each with its own limit of attempts. `passing` may be gone at the next attempt; `server`
 * (a 500) may be caused by the request, which retries do not cure; `garbled` is an answer that is not JSON;
 * `final` would only repeat.
 */
export type FaultKind = "passing" | "server" | "garbled" | "final";

interface HttpFault {
  readonly kind: FaultKind;
  readonly retryAfterMs?: number | undefined;
  readonly isRateLimit?: boolean;
  /** The answer is over our limits; a smaller request may succeed. */
  readonly isTooMuch?: boolean;
  /** It may be due to the size of the answer: the origin took too long for it, or broke down over it. */
  readonly mayBeTooMuch?: boolean;
}

export type HttpFailure = Failure<"HTTP_FAULT"> & { readonly data: HttpFault };

/** A failed attempt. The message continues "<origin> …" and contains nothing that was sent or received. */
export function httpFault(
  kind: FaultKind,
  message: string,
  options: Omit<HttpFault, "kind"> = {},
): HttpFailure {
  return new Failure("HTTP_FAULT", message, { data: { kind, ...options } }) as HttpFailure;
}

export const isHttpFault = (error: unknown): error is HttpFailure => isFailure(error, ["HTTP_FAULT"]);

type KnownFault = readonly [kind: FaultKind, message: string, mayBeTooMuch?: true];
const NOT_HTTP: KnownFault = [
  "final",
  "cannot be requested: a header or the URL contains characters that HTTP does not allow",
];
const UNTRUSTED: KnownFault = ["final", "has a certificate that is not trusted"];
const CLOSED: KnownFault = ["passing", "closed the connection", true];

/** By error code of undici, Node or the system. Where our request or the server's identity is at fault, it is final. */
const KNOWN_FAULTS: Readonly<Record<string, KnownFault>> = {
  UND_ERR_INVALID_ARG: NOT_HTTP,
  ERR_INVALID_ARG_VALUE: NOT_HTTP,
  UND_ERR_NOT_SUPPORTED: NOT_HTTP,
  UND_ERR_HEADERS_OVERFLOW: ["final", "answered with headers that are too long"],
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_HAS_EXPIRED: ["final", "has an expired certificate"],
  ERR_TLS_CERT_ALTNAME_INVALID: ["final", "has the certificate of another host"],
  UND_ERR_CONNECT_TIMEOUT: ["passing", "took too long to connect"],
  ECONNREFUSED: ["passing", "refused the connection"],
  ENOTFOUND: ["passing", "has an unknown host name"],
  UND_ERR_HEADERS_TIMEOUT: ["passing", "took too long to answer", true],
  UND_ERR_BODY_TIMEOUT: ["passing", "stopped sending in the middle of an answer", true],
  UND_ERR_SOCKET: CLOSED,
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ["passing", "sent an answer of another length than announced", true],
  Z_BUF_ERROR: ["passing", "sent a truncated answer", true],
};

/** Other network and TLS codes; errors of our own code never have one. */
const NETWORK_CODE = /^(E[A-Z]+|UND_ERR_[A-Z_]+|ERR_SSL_[A-Z_]+|ERR_TLS_[A-Z_]+)$/;
const DECODER_CODE = /^(Z_[A-Z_]+|ERR__[A-Z0-9_]+|ERR_BROTLI[A-Z0-9_]*)$/;

/**
 * Maps an error of undici or zlib to a fault with our own message, as theirs may quote the answer. Any other
 * error is a bug of ours and is returned unchanged.
 */
export function faultOfError(error: unknown): unknown {
  // It often has no code, and its `data` is what the server sent.
  if (error instanceof Error && error.name === "HTTPParserError") {
    return httpFault("passing", "answered with something that is not HTTP");
  }
  const code = codeOf(error);
  if (code === undefined) return error;
  const [kind, message, mayBeTooMuch = false] = KNOWN_FAULTS[code] ?? [];
  if (kind !== undefined && message !== undefined) return httpFault(kind, message, { mayBeTooMuch });
  if (DECODER_CODE.test(code)) {
    return httpFault("garbled", "sent an answer that cannot be decoded", { mayBeTooMuch: true });
  }
  return NETWORK_CODE.test(code) ? httpFault("passing", `failed with ${code}`) : error;
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // Trying several addresses of one host ends in a single error that contains the others.
  if (error instanceof AggregateError && !("code" in error)) return codeOf(error.errors[0]);
  return "code" in error && typeof error.code === "string" ? error.code : undefined;
}
