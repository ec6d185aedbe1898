import type { ObserveRequest } from "../request/finished-request.ts";
import type { Log } from "./create-log.ts";
import { sampleLines } from "./sample-lines.ts";

/** Lines a second of each kind that are written without thinning. */
const LINES_PER_SECOND_MAX = 100;

/** Beyond that one line in so many is written. */
const ONE_IN = 100;

/** When lines are thinned out, and who is told of those that were not written. */
export interface RequestLogRules {
  readonly nowMs: () => number;
  readonly onDropped: () => void;
  readonly linesPerSecondMax?: number;
  readonly oneIn?: number;
}

const NEVER_THINNED: RequestLogRules = {
  nowMs: () => 0,
  onDropped: () => {},
  linesPerSecondMax: Number.POSITIVE_INFINITY,
};

/** Writes one line for each request, or one in many when there are too many; nothing is made for a line that is not written. */
export function logRequests(log: Log, rules: RequestLogRules = NEVER_THINNED): ObserveRequest {
  const sampler = sampleLines({
    nowMs: rules.nowMs,
    linesPerSecondMax: rules.linesPerSecondMax ?? LINES_PER_SECOND_MAX,
    oneIn: rules.oneIn ?? ONE_IN,
  });
  if (!log.isLevelEnabled("info")) return () => {};
  return (finished) => {
    const standsFor = sampler(finished.status);
    if (standsFor === 0) return rules.onDropped();
    const { requestId, method, route, status, keyId, ms, isAborted } = finished;
    log.info(
      {
        reqId: requestId,
        method,
        route,
        status,
        keyId,
        ms: Math.round(ms * 100) / 100,
        aborted: isAborted ? true : undefined,
        sampled: standsFor === 1 ? undefined : standsFor,
      },
      "request",
    );
  };
}
