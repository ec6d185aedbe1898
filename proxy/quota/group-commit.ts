import { LRUCache } from "lru-cache";
import { dayOf } from "../../snapshots/format/ids.ts";
import type { DailyQuota } from "./daily-quota.ts";
import {
  answerAt,
  type QuotaAnswer,
  type QuotaRequest,
  type UnitsAsked,
  type UnitsGranted,
  type UnitsReturned,
} from "./grant.ts";

/** Where units are counted: a file, or a store that is farther away. */
export interface QuotaLedger {
  /**
   * Takes back what is returned, then grants what is left of what is asked; answers in the order of `asked`, once all of
   * it is on disk. Rejects where that is not known.
   */
  readonly settle: (
    asked: readonly UnitsAsked[],
    returned: readonly UnitsReturned[],
  ) => Promise<readonly UnitsGranted[]>;
  readonly close: () => void | Promise<void>;
}

/** What the counter needs. */
export interface GroupCommitParts {
  readonly ledger: QuotaLedger;
  /** Any clock that only goes forward. */
  readonly tickMs: () => number;
  readonly onError: (error: unknown) => void;
}

/** A `DailyQuota` that can be closed. */
export interface ClosableQuota extends DailyQuota {
  /** Settles what waits, and closes the ledger. */
  readonly close: () => Promise<void>;
}

/** A group that goes on growing is settled at this age, where no other is under way: nobody waits longer to save a flush. */
const GATHER_MS = 2;

/** Accounts remembered as being at their limit; the others are asked about in the ledger, which is slower and as right. */
const AT_LIMIT_MAX = 10_000;

/** After so many refusals from memory the ledger is asked again: another process may have given a unit back. */
const REFUSALS_FROM_MEMORY_MAX = 50;

interface Waiter<Answer> {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** All that asks for units of one account and day within one limit, or that gives units of them back. */
interface Together<Asked, Answer> {
  readonly asked: Asked;
  readonly waiters: Waiter<Answer>[];
}

/** What is settled by one commit. */
interface Group {
  readonly charges: Map<string, Together<QuotaRequest, QuotaAnswer>>;
  readonly refunds: Map<string, Together<Omit<QuotaRequest, "limit">, void>>;
  readonly sinceMs: number;
  size: number;
  /** Its size when the turn before ended: a turn that leaves it as it is brought nobody new. */
  sizeBefore: number;
}

/**
 * A counter that is durable before it answers, at the price of one flush for many requests: a group is settled in the
 * first turn of the event loop that brings nobody new, or at an age of `GATHER_MS`, and one at a time. A commit that
 * fails releases nobody.
 */
export function createGroupCommit({ ledger, tickMs, onError }: GroupCommitParts): ClosableQuota {
  let waiting: Group | undefined;
  let underWay: Promise<void> | undefined;
  let closing: Promise<void> | undefined;
  // Use only grows within a day but for refunds, so "at least this much" stays true until one comes.
  const usedAtLeast: UsedAtLeast = new LRUCache({ max: AT_LIMIT_MAX });

  const settle = (group: Group): void => {
    waiting = undefined;
    underWay = settleIn(ledger, group, usedAtLeast)
      .catch((error: unknown) => {
        onError(error);
        for (const { waiters } of [...group.charges.values(), ...group.refunds.values()]) {
          for (const { reject } of waiters) reject(error);
        }
      })
      .finally(() => {
        underWay = undefined;
        if (waiting !== undefined) settleWhenWhole(waiting);
      });
  };
  const settleWhenWhole = (group: Group): void => {
    setImmediate(() => {
      if (waiting !== group || underWay !== undefined) return;
      if (group.size === group.sizeBefore || isOld(group)) {
        settle(group);
        return;
      }
      group.sizeBefore = group.size;
      settleWhenWhole(group);
    });
  };
  const isOld = (group: Group): boolean => tickMs() - group.sinceMs >= GATHER_MS;

  const join = <Asked, Answer>(
    kind: (group: Group) => Map<string, Together<Asked, Answer>>,
    name: string,
    asked: Asked,
  ): Promise<Answer> => {
    if (closing !== undefined) return Promise.reject(new Error("the quota counter is closed"));
    return new Promise((resolve, reject) => {
      const group = waiting ?? newGroup(tickMs());
      const together = kind(group).get(name) ?? { asked, waiters: [] };
      if (together.waiters.length === 0) kind(group).set(name, together);
      together.waiters.push({ resolve, reject });
      group.size += 1;
      if (waiting === undefined) {
        waiting = group;
        if (underWay === undefined) settleWhenWhole(group);
      } else if (underWay === undefined && isOld(group)) {
        // Under load libuv may put the end of a turn off for longer than anybody should wait.
        settle(group);
      }
    });
  };
  const refuseKnown = (request: QuotaRequest): QuotaAnswer | undefined => {
    const known = usedAtLeast.get(nameOf(request));
    if (known === undefined || known.used < request.limit || known.refusalsLeft === 0) return undefined;
    known.refusalsLeft -= 1;
    return { isGranted: false, remaining: 0 };
  };

  return {
    refuseKnown,
    charge: (request) => join(({ charges }) => charges, `${nameOf(request)} ${request.limit}`, request),
    refund: (request) => join(({ refunds }) => refunds, nameOf(request), request),
    close: () => {
      closing ??= (async () => {
        await underWay;
        if (waiting !== undefined) settle(waiting);
        await underWay;
        await ledger.close();
      })();
      return closing;
    },
  };
}

/** The least that is known to be used, by account and day, and how many more may be refused by it. */
type UsedAtLeast = LRUCache<string, { readonly used: number; refusalsLeft: number }>;

function newGroup(nowMs: number): Group {
  return { charges: new Map(), refunds: new Map(), sinceMs: nowMs, size: 0, sizeBefore: 0 };
}

/** Releases the waiters of a group after the commit, and nobody before. */
async function settleIn(ledger: QuotaLedger, group: Group, usedAtLeast: UsedAtLeast): Promise<void> {
  const charges = [...group.charges.values()];
  const granted = await ledger.settle(withUnits(charges), withUnits([...group.refunds.values()]));
  if (granted.length !== charges.length) throw new Error("invariant: a request was left without an answer");
  for (const { asked, waiters } of group.refunds.values()) {
    usedAtLeast.delete(nameOf(asked));
    for (const { resolve } of waiters) resolve();
  }
  charges.forEach(({ asked, waiters }, at) => {
    const units = granted[at];
    if (units === undefined) return;
    const { account, limit } = asked;
    const day = units.countedAtMs === undefined ? asked.day : dayOf(units.countedAtMs);
    if (units.used + units.granted >= limit) {
      usedAtLeast.set(nameOf({ account, day }), { used: limit, refusalsLeft: REFUSALS_FROM_MEMORY_MAX });
    }
    waiters.forEach(({ resolve }, index) => {
      resolve(answerAt(index, limit, units));
    });
  });
}

function withUnits<Asked, Answer>(
  groups: readonly Together<Asked, Answer>[],
): readonly (Asked & { readonly units: number })[] {
  return groups.map(({ asked, waiters }) => ({ ...asked, units: waiters.length }));
}

/** A day holds no space, so no two pairs have the same name. */
function nameOf({ account, day }: Omit<QuotaRequest, "limit">): string {
  return `${day} ${account}`;
}
