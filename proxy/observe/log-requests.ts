import type { ObserveRequest } from "../request/finished-request.ts";
import type { Log } from "./create-log.ts";

/** Lines a second of each kind that are written without thinning. */
const LINES_PER_SECOND_MAX = 100;

/** Beyond that one line in so many is written. */
const ONE_IN = 100;

/** When lines are thinned out, and who is told of those that were not written. */
interface RequestLogRules {
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

/** How many lines are written in full, and what becomes of the rest. */
interface SamplingRules {
  readonly nowMs: () => number;
  /** So many lines a second of each kind are written; a kind is every answer below 400, or one status above. */
  readonly linesPerSecondMax: number;
  /** Beyond that, one line in so many. */
  readonly oneIn: number;
}

/** Decides on one line: 0 is not written, 1 is written, and a higher number is written and stands for so many. */
type LineSampler = (status: number) => number;

/**
 * Thins out lines when many come at once. Failures of ours (5xx) are always written. Each kind of refusal has lines
 * of its own, so that neither good answers nor a flood of wrong keys can push another kind out of the log.
 */
export function sampleLines({ nowMs, linesPerSecondMax, oneIn }: SamplingRules): LineSampler {
  let second = Number.NaN;
  const seen = new Map<number, number>();
  return (status) => {
    if (status >= 500) return 1;
    const now = Math.floor(nowMs() / 1000);
    if (now !== second) {
      second = now;
      seen.clear();
    }
    const kind = status < 400 ? 0 : status;
    const count = (seen.get(kind) ?? 0) + 1;
    seen.set(kind, count);
    if (count <= linesPerSecondMax) return 1;
    return (count - linesPerSecondMax) % oneIn === 0 ? oneIn : 0;
  };
}
