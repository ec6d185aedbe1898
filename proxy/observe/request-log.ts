import type { FinishedRequest, ObserveRequest } from "../request/handle-request.ts";
import type { Log } from "./create-log.ts";

/** Lines a second of each kind that are all written; a kind is every answer below 400, or one status above. */
const LINES_PER_SECOND_MAX = 100;

/** Beyond that one line in so many is written. */
const ONE_IN = 100;

/** When lines are sampled, and what is called for those that are not written. */
export interface RequestLogRules {
  readonly nowMs: () => number;
  readonly onDropped: () => void;
  readonly linesPerSecondMax?: number;
  readonly oneIn?: number;
}

/** The log of requests. */
export interface RequestLog {
  readonly observe: ObserveRequest;
  /** Says which crowds of refusals are over; call it once a second. */
  readonly look: () => void;
}

/** What came of one kind. */
interface Kind {
  second: number;
  inSecond: number;
  /** Requests of the crowd that is under way; none while there is no crowd. */
  crowd: number;
  crowdSinceMs: number;
}

/**
 * Writes one line for each request, or one in many when there are too many. Each kind has lines of its own, so that
 * neither good answers nor a flood of wrong keys can push another kind out of the log; failures of ours (500) are all
 * written. The first line that is thinned out says so, and the end of a crowd of refusals how many they were.
 */
export function createRequestLog(log: Log, rules: RequestLogRules): RequestLog {
  if (!log.isLevelEnabled("info")) return { observe: () => {}, look: () => {} };
  const { nowMs, onDropped, linesPerSecondMax = LINES_PER_SECOND_MAX, oneIn = ONE_IN } = rules;
  const kinds = new Map<number, Kind>();

  /** 0 is not written, 1 is written, and a higher number is written and stands for so many. */
  const standsFor = (status: number): number => {
    if (status === 500) return 1;
    const name = status < 400 ? 0 : status;
    const atMs = nowMs();
    const second = Math.floor(atMs / 1000);
    const kind = kinds.get(name) ?? { second, inSecond: 0, crowd: 0, crowdSinceMs: 0 };
    kinds.set(name, kind);
    if (kind.second !== second) Object.assign(kind, { second, inSecond: 0 });
    kind.inSecond += 1;
    if (kind.crowd > 0) kind.crowd += 1;
    if (kind.inSecond <= linesPerSecondMax) return 1;
    if (kind.crowd === 0 && name !== 0) {
      Object.assign(kind, { crowd: kind.inSecond, crowdSinceMs: atMs });
      log.warn({ status }, "many refusals: sampled from here");
    }
    return (kind.inSecond - linesPerSecondMax) % oneIn === 0 ? oneIn : 0;
  };

  const write = (finished: FinishedRequest, lines: number): void => {
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
        sampled: lines === 1 ? undefined : lines,
      },
      "request",
    );
  };

  return {
    observe: (finished) => {
      const lines = standsFor(finished.status);
      if (lines === 0) onDropped();
      else write(finished, lines);
    },
    look: () => {
      const atMs = nowMs();
      const second = Math.floor(atMs / 1000);
      for (const [status, kind] of kinds) {
        // The second under way, and the one before it, may belong to the crowd.
        const isOver =
          Math.abs(second - kind.second) > 1 ||
          (kind.second !== second && kind.inSecond <= linesPerSecondMax);
        if (kind.crowd === 0 || !isOver) continue;
        log.warn({ status, requests: kind.crowd, ms: atMs - kind.crowdSinceMs }, "many refusals are over");
        kind.crowd = 0;
      }
    },
  };
}
