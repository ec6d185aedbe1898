import { ACCESS_TIERS } from "../../snapshots/format/value-sets.ts";
import type { ObserveRequest } from "../request/handle-request.ts";
import { PROBLEMS, type Problem } from "../request/problems.ts";

/** One number of a metric, and the labels that distinguish it from others of the same name. */
export interface Sample {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
  /** What follows the metric's name: the parts of a histogram. */
  readonly suffix?: string;
}

/** Counts values by classes whose upper bounds are given. */
export interface Histogram {
  readonly observe: (value: number) => void;
  /** As Prometheus wants them: each class with all below it, then the sum and the number of all. */
  readonly samples: (labels?: Sample["labels"]) => readonly Sample[];
}

/** A histogram of nothing yet; a value on a bound is within. */
export function createHistogram(bounds: readonly number[]): Histogram {
  const perClass = Array<number>(bounds.length + 1).fill(0);
  let sum = 0;
  return {
    observe: (value) => {
      const found = bounds.findIndex((bound) => value <= bound);
      const at = found === -1 ? bounds.length : found;
      perClass[at] = (perClass[at] ?? 0) + 1;
      sum += value;
    },
    samples: (labels) => {
      let count = 0;
      const classes = perClass.map((inClass, at): Sample => {
        count += inClass;
        return { suffix: "_bucket", labels: { ...labels, le: String(bounds[at] ?? "+Inf") }, value: count };
      });
      const own = labels === undefined ? {} : { labels };
      return [...classes, { suffix: "_sum", ...own, value: sum }, { suffix: "_count", ...own, value: count }];
    },
  };
}

/** Counts of finished requests. */
export interface RequestTally {
  readonly observe: ObserveRequest;
  /** By route, status and tier; `none` where nobody was admitted. */
  readonly requests: () => readonly Sample[];
  /** By code, and by the problem. */
  readonly refusals: () => readonly Sample[];
  /** How long they took, by route. */
  readonly seconds: () => readonly Sample[];
}

const DURATION_BOUNDS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

const TIERS = ["none", ...ACCESS_TIERS];

interface RouteTally {
  /** By status and tier, packed into one number: a name built for each request would cost more than counting it. */
  readonly counts: Map<number, number>;
  readonly seconds: Histogram;
}

/**
 * A tally that costs a request two look-ups in small maps, 0.2 µs; the counters of prom-client hash their labels at each
 * call, which is 4 µs a request. Labels are put together when somebody asks.
 */
export function createRequestTally(): RequestTally {
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
    observe: ({ route, status, tier, problem, ms }) => {
      const { counts, seconds } = tallyOf(route);
      const packed = status * TIERS.length + (tier === undefined ? 0 : 1 + ACCESS_TIERS.indexOf(tier));
      counts.set(packed, (counts.get(packed) ?? 0) + 1);
      seconds.observe(ms / 1000);
      if (problem !== undefined) refusals.set(problem, (refusals.get(problem) ?? 0) + 1);
    },
    requests: () =>
      [...routes].flatMap(([route, { counts }]) =>
        [...counts].map(([packed, value]) => {
          const status = String(Math.floor(packed / TIERS.length));
          return { value, labels: { route, status, tier: TIERS[packed % TIERS.length] ?? "none" } };
        }),
      ),
    refusals: () =>
      [...refusals].map(([problem, value]) => ({
        value,
        labels: { code: PROBLEMS[problem].code, situation: problem },
      })),
    seconds: () => [...routes].flatMap(([route, { seconds }]) => seconds.samples({ route })),
  };
}

/** Counts of durable commits of the quota. */
export interface QuotaTally {
  failures: number;
  /** Charges and refunds of one commit. */
  readonly units: Histogram;
}

/** A tally of no commit yet. */
export function createQuotaTally(): QuotaTally {
  return { failures: 0, units: createHistogram([1, 2, 4, 8, 16, 32, 64, 128, 256]) };
}
