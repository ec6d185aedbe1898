import { ACCESS_TIERS } from "../../snapshots/format/value-sets.ts";
import type { ObserveRequest } from "../request/finished-request.ts";
import type { Problem } from "../request/problems.ts";

/** Upper bounds of the classes of time, in seconds; the last class has none. */
export const DURATION_BOUNDS_SECONDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5,
] as const;

/** Routes are templates and few; should that ever break, the rest share one name instead of growing without end. */
const ROUTES_MAX = 64;

/** How often one route answered so to such a tier. */
export interface RequestCount {
  readonly route: string;
  readonly status: number;
  /** `none` where nobody was admitted. */
  readonly tier: string;
  readonly count: number;
}

/** How long one route took. */
export interface RequestTimes {
  readonly route: string;
  /** Answers in each class of time; one more than there are bounds. */
  readonly perClass: readonly number[];
  readonly sumSeconds: number;
}

/** Counts of finished requests. */
export interface RequestTally {
  readonly observe: ObserveRequest;
  readonly counts: () => readonly RequestCount[];
  readonly times: () => readonly RequestTimes[];
  readonly refusals: () => ReadonlyMap<Problem, number>;
}

interface RouteTally {
  /** By status and tier, packed into one number: a name built for each request would cost more than counting it. */
  readonly counts: Map<number, number>;
  readonly perClass: number[];
  sumSeconds: number;
}

const TIERS = ["none", ...ACCESS_TIERS];

/** A tally that costs a request two look-ups in small maps; names are put together when somebody asks. */
export function createRequestTally(): RequestTally {
  const routes = new Map<string, RouteTally>();
  const refusals = new Map<Problem, number>();
  const tallyOf = (route: string): RouteTally => {
    const known = routes.get(route);
    if (known !== undefined) return known;
    const name = routes.size < ROUTES_MAX ? route : "other";
    const made = routes.get(name) ?? {
      counts: new Map(),
      perClass: Array<number>(DURATION_BOUNDS_SECONDS.length + 1).fill(0),
      sumSeconds: 0,
    };
    routes.set(name, made);
    return made;
  };
  return {
    observe: ({ route, status, tier, problem, ms }) => {
      const tally = tallyOf(route);
      const packed = status * TIERS.length + (tier === undefined ? 0 : 1 + ACCESS_TIERS.indexOf(tier));
      tally.counts.set(packed, (tally.counts.get(packed) ?? 0) + 1);
      const seconds = ms / 1000;
      const at = classOf(seconds);
      tally.perClass[at] = (tally.perClass[at] ?? 0) + 1;
      tally.sumSeconds += seconds;
      if (problem !== undefined) refusals.set(problem, (refusals.get(problem) ?? 0) + 1);
    },
    counts: () =>
      [...routes].flatMap(([route, { counts }]) =>
        [...counts].map(([packed, count]) => ({
          route,
          status: Math.floor(packed / TIERS.length),
          tier: TIERS[packed % TIERS.length] ?? "none",
          count,
        })),
      ),
    times: () => [...routes].map(([route, { perClass, sumSeconds }]) => ({ route, perClass, sumSeconds })),
    refusals: () => refusals,
  };
}

function classOf(seconds: number): number {
  let at = 0;
  for (const bound of DURATION_BOUNDS_SECONDS) {
    if (seconds <= bound) return at;
    at += 1;
  }
  return at;
}
