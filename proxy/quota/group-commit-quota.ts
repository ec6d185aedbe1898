import { LRUCache } from "lru-cache";
import type { DailyQuota, QuotaAnswer, QuotaRequest } from "./daily-quota.ts";
import type { QuotaLedger } from "./quota-ledger.ts";

type Refund = Omit<QuotaRequest, "limit">;

interface Waiter<Request, Answer> {
  readonly request: Request;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** Accounts remembered as being at their limit; the others are asked about on disk, which is slower and as right. */
const AT_LIMIT_MAX = 10_000;

/** What the counter needs: a way to open its ledger, again after a failure. */
export interface GroupCommitParts {
  readonly openLedger: () => Pick<QuotaLedger, "settle" | "close">;
  readonly onError: (error: unknown) => void;
}

/** A `DailyQuota` that can be closed. */
export interface ClosableQuota extends DailyQuota {
  readonly close: () => void;
}

/**
 * A counter that is durable before it answers, at the price of one flush per turn of the event loop: all
 * that waits in a turn is settled by one transaction. A failed commit releases nobody.
 */
export function createGroupCommitQuota({ openLedger, onError }: GroupCommitParts): ClosableQuota {
  let ledger: Pick<QuotaLedger, "settle" | "close"> | undefined = openLedger();
  let charges: Waiter<QuotaRequest, QuotaAnswer>[] = [];
  let refunds: Waiter<Refund, void>[] = [];
  let isScheduled = false;
  let isClosed = false;
  // Use only grows within a day but for refunds, so "at least this much" stays true until one comes.
  const usedAtLeast = new LRUCache<string, number>({ max: AT_LIMIT_MAX });
  const nameOf = (refund: Refund) => JSON.stringify([refund.account, refund.day]);

  const settle = (): void => {
    isScheduled = false;
    const [charged, refunded] = [charges, refunds];
    charges = [];
    refunds = [];
    try {
      ledger ??= openLedger();
      const answers = ledger.settle(
        charged.map((waiter) => waiter.request),
        refunded.map((waiter) => waiter.request),
      );
      for (const waiter of refunded) usedAtLeast.delete(nameOf(waiter.request));
      charged.forEach((waiter, index) => {
        const answer = answers[index];
        if (answer === undefined) throw new Error("invariant: a request was left without an answer");
        const { request } = waiter;
        if (answer.remaining === 0) usedAtLeast.set(nameOf(request), request.limit);
        waiter.resolve(answer);
      });
      for (const waiter of refunded) waiter.resolve();
    } catch (error) {
      if (!isBusy(error)) ledger = reopenLater(ledger);
      onError(error);
      for (const waiter of [...charged, ...refunded]) waiter.reject(error);
    }
  };

  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(settle);
  };

  return {
    charge: (request) => {
      if (isClosed) return Promise.reject(new Error("the quota counter is closed"));
      if ((usedAtLeast.get(nameOf(request)) ?? 0) >= request.limit) {
        return Promise.resolve({ isGranted: false, remaining: 0 });
      }
      return new Promise((resolve, reject) => {
        charges.push({ request, resolve, reject });
        schedule();
      });
    },
    refund: (request) => {
      if (isClosed) return Promise.reject(new Error("the quota counter is closed"));
      return new Promise((resolve, reject) => {
        refunds.push({ request, resolve, reject });
        schedule();
      });
    },
    close: () => {
      if (charges.length + refunds.length > 0) settle();
      isClosed = true;
      ledger?.close();
      ledger = undefined;
    },
  };
}

/** Another program holds the file; the handle is sound and the next turn tries again. */
function isBusy(error: unknown): boolean {
  const code = (error as { readonly code?: unknown }).code;
  return typeof code === "string" && code.startsWith("SQLITE_BUSY");
}

/** A handle that failed otherwise may never work again, also after the file was put right: the next turn opens a new one. */
function reopenLater(ledger: Pick<QuotaLedger, "close"> | undefined): undefined {
  try {
    ledger?.close();
  } catch {
    // It failed already, and that failure is the one reported.
  }
  return undefined;
}
