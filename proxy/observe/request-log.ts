import { ACCESS_TIERS } from "../../snapshots/format/value-sets.ts";
import type { FinishedRequest } from "../request/handle-request.ts";
import { PROBLEMS, type Problem } from "../request/problems.ts";
import type { Log } from "./create-log.ts";

/** Lines per second of one kind before sampling; a kind is all responses below 400, or one status from 400 up. */
const LINES_PER_SECOND_MAX = 100;

/** Above that, one line in this many is written. */
const ONE_IN = 100;

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

/** One number of a metric, with labels that distinguish it from others of the same name. */
export interface Sample {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
  /** The suffix of the metric's name, for the parts of a histogram. */
  readonly suffix?: string;
}

/** Creates an empty histogram: counts of values in classes by their upper bounds, which belong to them. */
export function createHistogram(bounds: readonly number[]) {
  const perClass = Array<number>(bounds.length + 1).fill(0);
  let sum = 0;
  return {
    observe: (value: number): void => {
      const bucket = bounds.findIndex((bound) => value <= bound);
      const index = bucket === -1 ? bounds.length : bucket;
      perClass[index] = (perClass[index] ?? 0) + 1;
      sum += value;
    },
    /** In Prometheus form: each class including all below it, then the sum and the count of all values. */
    samples: (labels?: Sample["labels"]): readonly Sample[] => {
      let count = 0;
      const classes = perClass.map((inClass, index): Sample => {
        count += inClass;
        return {
          suffix: "_bucket",
          labels: { ...labels, le: String(bounds[index] ?? "+Inf") },
          value: count,
        };
      });
      const labelled = labels === undefined ? {} : { labels };
      return [
        ...classes,
        { suffix: "_sum", ...labelled, value: sum },
        { suffix: "_count", ...labelled, value: count },
      ];
    },
  };
}

const DURATION_BOUNDS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

const TIERS = ["none", ...ACCESS_TIERS];

interface RouteTally {
  /** By status and tier, packed into one number: building a string per request would cost more than counting it. */
  readonly counts: Map<number, number>;
  readonly seconds: ReturnType<typeof createHistogram>;
}

export type RequestTally = ReturnType<typeof createRequestTally>;

/**
 * Creates a tally that costs two look-ups in small maps per request, 0.2 µs; prom-client's counters hash their labels at
 * each call, 4 µs per request. Labels are built only when the samples are read.
 */
export function createRequestTally() {
  const routes = new Map<string, RouteTally>();
  const refusals = new Map<Problem, number>();
  const tallyOf = (route: string): RouteTally => {
    const known = routes.get(route);
    if (known !== undefined) return known;
    const made = { counts: new Map<number, number>(), seconds: createHistogram(DURATION_BOUNDS_SECONDS) };
    routes.set(route, made);
    return made;
  };
  return {
    observe: ({ route, status, tier, problem, ms }: FinishedRequest): void => {
      const { counts, seconds } = tallyOf(route);
      const packed = status * TIERS.length + (tier === undefined ? 0 : 1 + ACCESS_TIERS.indexOf(tier));
      counts.set(packed, (counts.get(packed) ?? 0) + 1);
      seconds.observe(ms / 1000);
      if (problem !== undefined) refusals.set(problem, (refusals.get(problem) ?? 0) + 1);
    },
    /** By route, status and tier; the tier is `none` if no caller was admitted. */
    requests: (): readonly Sample[] =>
      [...routes].flatMap(([route, { counts }]) =>
        [...counts].map(([packed, value]) => {
          const status = String(Math.floor(packed / TIERS.length));
          return { value, labels: { route, status, tier: TIERS[packed % TIERS.length] ?? "none" } };
        }),
      ),
    refusals: (): readonly Sample[] =>
      [...refusals].map(([problem, value]) => ({
        value,
        labels: { code: PROBLEMS[problem].code, situation: problem },
      })),
    seconds: (): readonly Sample[] =>
      [...routes].flatMap(([route, { seconds }]) => seconds.samples({ route })),
  };
}
