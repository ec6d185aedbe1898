import { LRUCache } from "lru-cache";
import { dayOf } from "../../snapshots/format/ids.ts";
import {
  answerAt,
  type DailyQuota,
  type QuotaRequest,
  type UnitsAsked,
  type UnitsGranted,
  type UnitsReturned,
} from "./daily-quota.ts";

/** The store in which units are counted: a file, or a remote store. */
export interface QuotaLedger {
  /**
   * Books the refunds, then grants the requested units that are left. Resolves in the order of `asked`, once
   * everything is on disk. Rejects if that is not certain.
   */
  readonly settle: (
    asked: readonly UnitsAsked[],
    returned: readonly UnitsReturned[],
  ) => Promise<readonly UnitsGranted[]>;
  readonly close: () => void | Promise<void>;
}

export interface GroupCommitParts {
  readonly ledger: QuotaLedger;
  readonly tickMs: () => number;
  readonly onCommit?: (size: number) => void;
  readonly onError: (error: unknown) => void;
}

export interface ClosableQuota extends DailyQuota {
  /** Settles the waiting requests, then closes the ledger. */
  readonly close: () => Promise<void>;
}

/** How long a group gathers at most: no request waits longer to save a flush. */
const GATHER_MS = 2;

/** Accounts remembered as being at their limit; others are checked in the ledger, which is only slower. */
const AT_LIMIT_MAX = 10_000;

/** After so many refusals from memory the ledger is asked again: another process may have refunded a unit. */
const REFUSALS_FROM_MEMORY_MAX = 50;

/** Units whose number grows while a group gathers, and what was granted of them. */
type Asked = UnitsAsked & { units: number; granted?: UnitsGranted | undefined };

interface Group {
  readonly asked: Map<string, Asked>;
  readonly returned: Map<string, UnitsReturned>;
  size: number;
  /** One promise for all requests of the group; resolves only after the commit. */
  readonly settled: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A counter that is durable before it answers, with one flush for many requests. Groups are settled one after
 * the other. Once the previous group is settled and answered, the next one gathers until a turn of the event
 * loop adds no request or `GATHER_MS` have passed. Thus clients that were just answered and ask again at once
 * join those that came during the flush; otherwise two half groups would take turns. A failed commit rejects
 * its whole group.
 */
export function createGroupCommit({ ledger, tickMs, onCommit, onError }: GroupCommitParts): ClosableQuota {
  let group = newGroup();
  let settling: Promise<void> | undefined;
  let closing: Promise<void> | undefined;
  let gathersSinceMs = 0;
  let endTurn = (): void => {};
  // The least known use, by account and day, and how many more requests may be refused because of it. Within a day only
  // refunds lower the count, so "at least this much" stays true until the next refund.
  const usedAtLeast = new LRUCache<string, { readonly used: number; refusalsLeft: number }>({
    max: AT_LIMIT_MAX,
  });

  const isDue = (): boolean => closing !== undefined || tickMs() - gathersSinceMs >= GATHER_MS;
  const turn = (): Promise<void> =>
    new Promise((resolve) => {
      endTurn = resolve;
      setImmediate(resolve);
    });
  const firstTurn = async (): Promise<void> => {
    gathersSinceMs = tickMs();
    if (!isDue()) await turn();
  };
  const gather = async (): Promise<void> => {
    for (let before = 0; group.size > before && !isDue(); ) {
      before = group.size;
      await turn();
    }
  };
  /** Commits a group, and remembers the accounts that are then at their limit. */
  const settle = async ({ asked, returned }: Group): Promise<void> => {
    const all = [...asked.values()];
    const granted = await ledger.settle(all, [...returned.values()]);
    for (const name of returned.keys()) usedAtLeast.delete(name);
    for (const [index, units] of all.entries()) {
      const given = granted[index];
      units.granted = given;
      if (given === undefined || given.used + given.granted < units.limit) continue;
      const day = given.countedAtMs === undefined ? units.day : dayOf(given.countedAtMs);
      const known = { used: units.limit, refusalsLeft: REFUSALS_FROM_MEMORY_MAX };
      usedAtLeast.set(nameOf({ account: units.account, day }), known);
    }
  };
  const settleAll = async (): Promise<void> => {
    await firstTurn();
    while (group.size > 0) {
      await gather();
      const whole = group;
      group = newGroup();
      try {
        await settle(whole);
        onCommit?.(whole.size);
        whole.resolve();
      } catch (error) {
        onError(error);
        whole.reject(error);
      }
      await firstTurn();
      // The callers were answered in that turn. This may have taken `GATHER_MS`, which the next group still has.
      gathersSinceMs = tickMs();
    }
    settling = undefined;
  };
  /** Adds one request to the current group, and returns that group. Throws once the counter is closed. */
  const join = (): Group => {
    if (closing !== undefined) throw new Error("the quota counter is closed");
    group.size += 1;
    settling ??= settleAll();
    // Under load libuv may delay the end of a turn for longer than a request should wait.
    if (isDue()) endTurn();
    return group;
  };

  return {
    refuseKnown: (request) => {
      const known = usedAtLeast.get(nameOf(request));
      if (known === undefined || known.used < request.limit || known.refusalsLeft === 0) return undefined;
      known.refusalsLeft -= 1;
      return { isGranted: false, remaining: 0 };
    },
    charge: async ({ account, day, limit }) => {
      const { asked, settled } = join();
      const name = `${day} ${account} ${limit}`;
      const units: Asked = asked.get(name) ?? { account, day, limit, units: 0 };
      const index = units.units;
      units.units += 1;
      if (index === 0) asked.set(name, units);
      await settled;
      if (units.granted === undefined) throw new Error("invariant: a request was left without an answer");
      return answerAt(index, limit, units.granted);
    },
    refund: async ({ account, day }) => {
      const { returned, settled } = join();
      const name = nameOf({ account, day });
      const units = returned.get(name)?.units ?? 0;
      returned.set(name, { account, day, units: units + 1 });
      await settled;
    },
    close: () => {
      closing ??= (async () => {
        endTurn();
        await settling;
        await ledger.close();
      })();
      return closing;
    },
  };
}

function newGroup(): Group {
  let resolve: Group["resolve"] = () => {};
  let reject: Group["reject"] = () => {};
  const settled: Group["settled"] = new Promise((...callbacks) => {
    [resolve, reject] = callbacks;
  });
  return { asked: new Map(), returned: new Map(), size: 0, settled, resolve, reject };
}

/** A day contains no space, so each pair has a unique name. */
function nameOf({ account, day }: Omit<QuotaRequest, "limit">): string {
  return `${day} ${account}`;
}
