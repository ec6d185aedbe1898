import type { FinishedRequest } from "../request/handle-request.ts";
import type { Log } from "./create-log.ts";

/** Lines per second of one kind before sampling; a kind is all responses below 400, or one status from 400 up. */
const LINES_PER_SECOND_MAX = 100;

/** Above that, one line in this many is written. */
const ONE_IN = 100;

/** The clock for sampling, and the callback for lines that are not written. */
interface RequestLogRules {
  readonly nowMs: () => number;
  readonly onDropped: () => void;
  readonly linesPerSecondMax?: number;
  readonly oneIn?: number;
}

interface Kind {
  second: number;
  inSecond: number;
  /** Requests of the current crowd; 0 while there is none. */
  crowd: number;
  crowdSinceMs: number;
}

/**
 * Logs one line per request, or a sample when there are too many. Each kind is sampled separately, so that neither good
 * answers nor a flood of wrong keys can push another kind out of the log; our own failures (500) are all logged. A line
 * reports when sampling of refusals begins, and another how many there were when the crowd ends.
 */
export function createRequestLog(log: Log, rules: RequestLogRules) {
  if (!log.isLevelEnabled("info")) return { observe: () => {}, look: () => {} };
  const { nowMs, onDropped, linesPerSecondMax = LINES_PER_SECOND_MAX, oneIn = ONE_IN } = rules;
  const kinds = new Map<number, Kind>();

  /** Returns how many requests the line represents: 0 is not written, 1 is one request, more is a sample. */
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
    observe: (finished: FinishedRequest): void => {
      const lines = standsFor(finished.status);
      if (lines === 0) onDropped();
      else write(finished, lines);
    },
    /** Logs which crowds of refusals have ended; call it once a second. */
    look: (): void => {
      const atMs = nowMs();
      const second = Math.floor(atMs / 1000);
      for (const [status, kind] of kinds) {
        // The current second and the one before may still belong to the crowd.
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
