import { DAY_MS } from "../../../snapshots/base/days.ts";
import {
  type DelegateCentralization,
  delegateCentralizationOf,
  type WeightTier,
  weightTierOf,
} from "../../../snapshots/format/value-sets.ts";
import type { ListedDelegate } from "../../facts/dao-facts.ts";
import type { DelegationMeasures } from "../method/measures.ts";
import { METHODOLOGY } from "../method/methodology.ts";

export interface RankedDelegate {
  readonly rank: number;
  readonly address: string;
  /** In the smallest unit of the ranking's `decimals`. */
  readonly votes: bigint;
  readonly delegatorsCount: number;
  readonly ens: string | undefined;
  readonly weightTier: WeightTier;
}

/** All delegates with power > 0 in ranking order, and their total. Computed from complete data only. */
export interface DelegateRanking {
  /** UTC day of the data; `undefined` for logs without block times, for which no dated file is published. */
  readonly date: string | undefined;
  readonly asOfMs: number | undefined;
  readonly fetchedAtMs: number;
  /** The last block whose events are included; absent for a source's own list. */
  readonly lastBlock?: number | undefined;
  readonly decimals: number;
  readonly total: bigint;
  readonly delegates: readonly RankedDelegate[];
}

const descending = (a: bigint | number, b: bigint | number): number => (a < b ? 1 : a > b ? -1 : 0);

/** Ranks delegates with power above 0: votes desc, delegators desc, address asc. Assigns tiers by integer arithmetic. */
export function rankDelegates(input: {
  readonly date: string | undefined;
  readonly asOfMs: number | undefined;
  readonly fetchedAtMs: number;
  readonly decimals: number;
  readonly delegates: readonly ListedDelegate[];
}): DelegateRanking {
  const { delegates, ...rest } = input;
  const powerful = delegates.filter((delegate) => delegate.votes > 0n);
  const total = powerful.reduce((sum, delegate) => sum + delegate.votes, 0n);
  const sorted = powerful.sort(
    (a, b) =>
      descending(a.votes, b.votes) ||
      descending(a.delegatorsCount, b.delegatorsCount) ||
      (a.address < b.address ? -1 : a.address > b.address ? 1 : 0),
  );
  return {
    ...rest,
    total,
    delegates: sorted.map((delegate, index) => ({
      ...delegate,
      rank: index + 1,
      weightTier: weightTierOf(delegate.votes, total),
    })),
  };
}

/** Concentration of delegated power (Herfindahl–Hirschman index, 0–10,000 points); `undefined` without power or date. */
export function measureDelegation(ranking: DelegateRanking | undefined): DelegationMeasures | undefined {
  if (ranking?.asOfMs === undefined || ranking.total === 0n) return undefined;
  const total = Number(ranking.total);
  let squares = 0;
  for (const { votes } of ranking.delegates.toReversed()) squares += (Number(votes) / total) ** 2;
  return { hhiPoints: 10_000 * squares, asOfMs: ranking.asOfMs };
}

/**
 * Concentration level of delegated power as of t.
 *
 * Range: low, moderate, high, critical, or `unknown`.
 * Unit: HHI points of delegated power.
 * Source: the newest complete delegate data at or before t.
 * Unknown: `unknown` without complete data of the last 45 days, or without block times.
 */
export function delegateCentralizationAt(
  delegation: DelegationMeasures | undefined,
  asOfMs: number,
): DelegateCentralization {
  if (delegation === undefined) return "unknown";
  const ageDays = (asOfMs - delegation.asOfMs) / DAY_MS;
  if (ageDays < 0 || ageDays >= METHODOLOGY.risk.delegationDays) return "unknown";
  return delegateCentralizationOf(delegation.hhiPoints);
}
