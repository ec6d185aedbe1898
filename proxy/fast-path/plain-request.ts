import type { IncomingMessage } from "node:http";

/** What the headers of a plain request say that an answer depends on; all other headers change nothing. */
export interface PlainRequest {
  readonly acceptEncoding: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

/** A path under `/v1` and a query, spelt in characters that mean nothing but themselves. */
const PLAIN_TARGET = /^\/v1\/[\w./:~-]{1,255}(\?[\w.&=~-]{0,255})?$/;

/**
 * Whether a target goes the fast way at all. With an escape in it, or in the absolute form, the router has more to say
 * before anybody is asked for a key; and each answer has one spelling here, not thousands.
 */
export function isPlainTarget(target: string): boolean {
  return PLAIN_TARGET.test(target);
}

/**
 * Reads a GET from its raw headers (name, value, name, value …); undefined where anything about it is out of the
 * ordinary, so that the router judges it: another method, a page of another origin, a header of ours said twice.
 */
export function plainRequest({ method, rawHeaders }: IncomingMessage): PlainRequest | undefined {
  if (method !== "GET") return undefined;
  let acceptEncoding: string | undefined;
  let ifNoneMatch: string | undefined;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    // The lengths of the names below: most headers are passed over without being spelt in lower case.
    if (name.length !== 6 && name.length !== 13 && name.length !== 15) continue;
    const value = rawHeaders[index + 1] ?? "";
    switch (name.toLowerCase()) {
      case "origin":
        return undefined;
      case "accept-encoding":
        if (acceptEncoding !== undefined) return undefined;
        acceptEncoding = value;
        break;
      case "if-none-match":
        if (ifNoneMatch !== undefined) return undefined;
        ifNoneMatch = value;
        break;
    }
  }
  return { acceptEncoding, ifNoneMatch };
}
