import { LRUCache } from "lru-cache";
import { dayOf } from "../../snapshots/format/ids.ts";
import type { DailyQuota, QuotaAnswer, QuotaRequest } from "./daily-quota.ts";
import type { QuotaLedger } from "./quota-ledger.ts";

type Refund = Omit<QuotaRequest, "limit">;

/** What a ledger settles, at once or later. */
type Answers = ReturnType<QuotaLedger["settle"]>;

/** A counter in a file, or one that is farther away and answers later. */
export interface OpenLedger {
  readonly settle: (...batch: Parameters<QuotaLedger["settle"]>) => Answers | Promise<Answers>;
  readonly close: () => void | Promise<void>;
}

interface Waiter<Request, Answer> {
  readonly request: Request;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** Accounts remembered as being at their limit; the others are asked about on disk, which is slower and as right. */
const AT_LIMIT_MAX = 10_000;

/** After so many refusals from memory the file is asked again: another process may have given a unit back. */
const REFUSALS_FROM_MEMORY_MAX = 50;

/** What the counter needs: a way to open its ledger, which recovers from failures by itself. */
export interface GroupCommitParts {
  readonly openLedger: () => OpenLedger;
  readonly onError: (error: unknown) => void;
}

/** A `DailyQuota` that can be closed. */
export interface ClosableQuota extends DailyQuota {
  /** Settles what waits; a promise where that takes longer than this turn. */
  readonly close: () => void | Promise<void>;
}

/** What waits in one turn. */
interface Batch {
  readonly charges: Waiter<QuotaRequest, QuotaAnswer>[];
  readonly refunds: Waiter<Refund, void>[];
}

/** The least that is known to be used, by account and day, and how many more may be refused by it. */
type UsedAtLeast = LRUCache<string, { readonly used: number; refusalsLeft: number }>;

/**
 * A counter that is durable before it answers, at the price of one flush per turn of the event loop: all
 * that waits in a turn is settled by one transaction. A failed commit releases nobody.
 */
export function createGroupCommitQuota({ openLedger, onError }: GroupCommitParts): ClosableQuota {
  const ledger: OpenLedger = openLedger();
  let waiting: Batch | undefined;
  let isClosed = false;
  // Use only grows within a day but for refunds, so "at least this much" stays true until one comes.
  const usedAtLeast: UsedAtLeast = new LRUCache({ max: AT_LIMIT_MAX });

  const underWay = new Set<Promise<void>>();

  const fail = (batch: Batch, error: unknown): void => {
    onError(error);
    for (const waiter of [...batch.charges, ...batch.refunds]) waiter.reject(error);
  };
  const follow = (batch: Batch, later: Promise<Answers>): void => {
    const followed = later
      .then((answers) => release(batch, answers, usedAtLeast))
      .catch((error) => fail(batch, error))
      .finally(() => void underWay.delete(followed));
    underWay.add(followed);
  };
  const settle = (): void => {
    if (waiting === undefined) return;
    const batch = waiting;
    waiting = undefined;
    try {
      const answers = ledger.settle(requestsOf(batch.charges), requestsOf(batch.refunds));
      if (answers instanceof Promise) follow(batch, answers);
      else release(batch, answers, usedAtLeast);
    } catch (error) {
      fail(batch, error);
    }
  };

  /** The batch of this turn; the first one in it sees to its end. */
  const turn = (): Batch => {
    if (waiting === undefined) {
      waiting = { charges: [], refunds: [] };
      setImmediate(settle);
    }
    return waiting;
  };

  return {
    charge: (request) => {
      if (isClosed) return Promise.reject(new Error("the quota counter is closed"));
      const known = usedAtLeast.get(nameOf(request));
      if (known !== undefined && known.used >= request.limit && known.refusalsLeft > 0) {
        known.refusalsLeft -= 1;
        return Promise.resolve({ isGranted: false, remaining: 0 });
      }
      return new Promise((resolve, reject) => turn().charges.push({ request, resolve, reject }));
    },
    refund: (request) => {
      if (isClosed) return Promise.reject(new Error("the quota counter is closed"));
      return new Promise((resolve, reject) => turn().refunds.push({ request, resolve, reject }));
    },
    close: () => {
      if (isClosed) return;
      settle();
      isClosed = true;
      if (underWay.size === 0) return ledger.close();
      return Promise.all(underWay).then(() => ledger.close());
    },
  };
}

function requestsOf<Request, Answer>(waiters: readonly Waiter<Request, Answer>[]): readonly Request[] {
  return waiters.map((waiter) => waiter.request);
}

/** Releases the waiters of a batch that was settled: nobody before the commit has returned. */
function release({ charges, refunds }: Batch, answers: Answers, usedAtLeast: UsedAtLeast): void {
  for (const waiter of refunds) usedAtLeast.delete(nameOf(waiter.request));
  charges.forEach((waiter, index) => {
    const answer = answers[index];
    if (answer === undefined) throw new Error("invariant: a request was left without an answer");
    if (answer.remaining === 0) remember(usedAtLeast, waiter.request, answer);
    waiter.resolve(answer);
  });
  for (const waiter of refunds) waiter.resolve();
}

function remember(usedAtLeast: UsedAtLeast, request: QuotaRequest, { countedAtMs }: QuotaAnswer): void {
  const day = countedAtMs === undefined ? request.day : dayOf(countedAtMs);
  const name = nameOf({ account: request.account, day });
  usedAtLeast.set(name, { used: request.limit, refusalsLeft: REFUSALS_FROM_MEMORY_MAX });
}

/** A day holds no space, so no two pairs have the same name. */
function nameOf({ account, day }: Refund): string {
  return `${day} ${account}`;
}
