import type { QuotaAnswer, QuotaRequest } from "./daily-quota.ts";
import { QuotaFileError } from "./quota-file-error.ts";

/** The rows of the counter, as one transaction sees them. */
export interface QuotaRows {
  readonly used: (account: string, day: string) => number;
  /** Adds units; the count afterwards. */
  readonly add: (account: string, day: string, units: number) => number;
  /** Takes one unit back where there is one; whether there was. */
  readonly giveBack: (account: string, day: string) => boolean;
  /** How many transactions have written here: it only ever grows. */
  readonly settled: () => number;
  readonly countSettled: () => void;
  /** The last day of which nothing is granted, since its count was lost; undefined where none was. */
  readonly closedThrough: () => string | undefined;
  /** Whether an operator has set the count of a closed day, so that it can be counted in. */
  readonly isOpened: (account: string, day: string) => boolean;
}

/** What waits for one transaction. */
export interface Settlement {
  readonly requests: readonly QuotaRequest[];
  readonly refunds: readonly Omit<QuotaRequest, "limit">[];
  /** So many transactions were seen in this file before: one that has fewer is an older state of it. */
  readonly settledMin: number;
}

/**
 * Takes refunds, then grants but for closed days, within one transaction of the caller. Answers stand in the order of the requests. A throw
 * must roll everything back; it comes where the file went back in time, and where a grant would pass a limit.
 */
export function settleQuota(
  rows: QuotaRows,
  { requests, refunds, settledMin }: Settlement,
): { readonly answers: readonly QuotaAnswer[]; readonly settled: number } {
  const before = countedBefore(rows, settledMin);
  let hasWritten = false;
  for (const { account, day } of refunds) hasWritten = rows.giveBack(account, day) || hasWritten;
  const answers: QuotaAnswer[] = [];
  const closedThrough = rows.closedThrough() ?? "";
  for (const { request, places } of grouped(requests)) {
    const { account, day, limit } = request;
    // What a closed day has left is not known: every account stands at its limit until its count is set.
    const isClosed = day <= closedThrough && !rows.isOpened(account, day);
    const used = isClosed ? Number.POSITIVE_INFINITY : rows.used(account, day);
    const granted = Math.max(0, Math.min(places.length, limit - used));
    if (granted > 0) {
      hasWritten = true;
      if (rows.add(account, day, granted) > limit) {
        throw new Error("invariant: a grant would raise the count above the limit");
      }
    }
    places.forEach((place, index) => {
      const isGranted = index < granted;
      const after = isGranted ? used + index + 1 : used + granted;
      answers[place] = { isGranted, remaining: Math.max(0, limit - after) };
    });
  }
  // Only a transaction that writes has to be flushed: who is refused costs no disk.
  if (!hasWritten) return { answers, settled: before };
  rows.countSettled();
  return { answers, settled: before + 1 };
}

/** Writes as a grant does, and grants nothing: what it throws, a grant would throw now. Gives the count of transactions. */
export function probeQuota(rows: QuotaRows, settledMin: number): number {
  const before = countedBefore(rows, settledMin);
  rows.countSettled();
  return before + 1;
}

function countedBefore(rows: QuotaRows, settledMin: number): number {
  const before = rows.settled();
  if (before >= settledMin) return before;
  throw new QuotaFileError("QUOTA_WENT_BACK", "quota.db holds an older state than was counted in before");
}

interface Group {
  readonly request: QuotaRequest;
  readonly places: number[];
}

/** Requests of one account, day and limit together, in the order of their first; so each group is one read and one write. */
function grouped(requests: readonly QuotaRequest[]): Iterable<Group> {
  const groups = new Map<string, Group>();
  requests.forEach((request, place) => {
    // Neither day nor limit holds a space, so no two groups have the same name.
    const name = `${request.day} ${request.limit} ${request.account}`;
    const group = groups.get(name) ?? { request, places: [] };
    group.places.push(place);
    groups.set(name, group);
  });
  return groups.values();
}
