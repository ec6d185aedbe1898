import { type CorsOrigins, corsHeaders } from "./cors-headers.ts";

/** The type of every body this server sends. */
export const JSON_TYPE = "application/json; charset=utf-8";

/** Stored by nobody: errors, entities, readiness. */
export const NO_STORE = "private, no-store";

/**
 * Kept by the caller alone, and asked about each time. RFC 9111 protects `Authorization` but not `x-api-key`:
 * a shared cache would hand a Pro body to a caller without a key.
 */
export const REVALIDATE = "private, no-cache";

/** The headers that every answer under `/v1` carries, whatever became of it. */
export function standardHeaders(request: {
  readonly requestId: string;
  readonly origin: string | undefined;
  readonly corsOrigins: CorsOrigins;
}): Record<string, string> {
  const varies = request.corsOrigins.size > 0 ? ", origin" : "";
  return {
    "content-type": JSON_TYPE,
    "cache-control": NO_STORE,
    "x-content-type-options": "nosniff",
    vary: `x-api-key, accept-encoding${varies}`,
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-request-id": request.requestId,
    ...corsHeaders(request.origin, request.corsOrigins),
  };
}
