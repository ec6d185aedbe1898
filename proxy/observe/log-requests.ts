import type { Log } from "./create-log.ts";
import type { ObserveRequest } from "./finished-request.ts";

/** Writes one line for each request. */
export function logRequests(log: Log): ObserveRequest {
  return ({ requestId, method, route, status, keyId, ms, isAborted }) => {
    const line = { reqId: requestId, method, route, status, keyId, ms };
    log.info(isAborted ? { ...line, aborted: true } : line, "request");
  };
}
