import { DELEGATE_LIMITS } from "../../snapshots/format/limits.ts";

export const ERROR_CODES = [
  "MISSING_API_KEY",
  "INVALID_API_KEY",
  "TIER_INSUFFICIENT",
  "INVALID_PARAMETER",
  "INVALID_REQUEST",
  "NOT_FOUND",
  "NOT_SCORED",
  "METHOD_NOT_ALLOWED",
  "RATE_LIMIT_EXCEEDED",
  "INTERNAL_ERROR",
  "SERVICE_UNAVAILABLE",
] as const;

/** What a caller gets for a problem. Texts are constant, or published: nothing a caller sent is ever echoed. */
interface Outcome {
  readonly status: number;
  readonly code: (typeof ERROR_CODES)[number];
  readonly message: string;
  readonly retryAfterSeconds?: number;
}

const badRequest = outcomes(400, "INVALID_REQUEST");
const badParameter = outcomes(400, "INVALID_PARAMETER");
const needsPro = outcomes(403, "TIER_INSUFFICIENT");
const notFound = outcomes(404, "NOT_FOUND");
const usedUp = outcomes(429, "RATE_LIMIT_EXCEEDED");
const unavailable = outcomes(503, "SERVICE_UNAVAILABLE");

const TABLE = {
  "request-malformed": badRequest("The request is not well-formed HTTP/1.1."),
  "headers-too-large": outcomes(431, "INVALID_REQUEST")("The request's URL or headers are too large."),
  "request-too-slow": outcomes(408, "INVALID_REQUEST")("The request took too long to arrive."),

  "key-missing": outcomes(401, "MISSING_API_KEY")("Send an API key in the x-api-key header."),
  "key-invalid": outcomes(401, "INVALID_API_KEY")("The API key in the x-api-key header is not valid."),

  "no-snapshot": unavailable("No data is loaded yet.", 5),
  "too-busy": unavailable("Too many requests are under way.", 1),
  "key-store-down": unavailable("Keys cannot be checked at the moment.", 2),
  "quota-store-down": unavailable("Quotas cannot be counted at the moment.", 2),

  "quota-used-up": usedUp("The daily quota of this account is used up; it starts anew at 00:00 UTC."),
  "method-not-allowed": outcomes(405, "METHOD_NOT_ALLOWED")("Only GET, HEAD and OPTIONS are allowed."),
  "route-unknown": notFound("There is no such endpoint."),

  "endpoint-needs-pro": needsPro("This endpoint needs the Pro tier."),
  "limit-needs-pro": needsPro("A limit above 10 needs the Pro tier."),
  "date-needs-pro": needsPro("The date parameter needs the Pro tier."),

  "parameter-unknown": badParameter("The query has a parameter that this endpoint does not take."),
  "limit-invalid": badParameter(`limit must be given once, as one of ${DELEGATE_LIMITS.join(", ")}.`),
  "weight-tier-invalid": badParameter("tier must be given once, as one of T1, T2, T3."),
  "date-invalid": badParameter("date must be given once, as YYYY-MM-DD of a day that exists."),
  "category-invalid": badParameter(
    "category must be given once, as one of defi, infrastructure, public_goods, social.",
  ),
  "period-invalid": badParameter("period must be given once, as one of 30d, 90d, 365d."),
  "wallet-invalid": badParameter("wallet must be given once, as 0x and 40 hexadecimal digits."),
  "wallet-missing": badParameter("wallet is required here: 0x and 40 hexadecimal digits."),

  "dao-unknown": notFound("There is no scored DAO with this space_id."),
  /** The reason follows the message. */
  "dao-unscored": outcomes(404, "NOT_SCORED")("This DAO is tracked, but has no score."),
  "risk-unknown": notFound("There is no risk assessment for this space_id."),
  "delegates-unknown": notFound("There is no delegate data for this space_id and date."),
  "entity-unknown": notFound("There is no such entity."),
  "index-unknown": notFound("There is no index at the moment: too few DAOs are scored."),
  "graph-not-built": notFound("Delegation graphs are in the published files alone."),

  "internal-error": outcomes(500, "INTERNAL_ERROR")("Internal error."),
} satisfies Readonly<Record<string, Outcome>>;

export type Problem = keyof typeof TABLE;

export const PROBLEMS: Readonly<Record<Problem, Outcome>> = TABLE;

function outcomes(status: number, code: Outcome["code"]) {
  return (message: string, retryAfterSeconds?: number): Outcome =>
    retryAfterSeconds === undefined
      ? { status, code, message }
      : { status, code, message, retryAfterSeconds };
}
