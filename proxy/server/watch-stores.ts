import { isBusy } from "../quota/sqlite/open-quota-database.ts";

/** The stores without which no request is let in. */
export const STORES = ["keys", "quota"] as const;
export type Store = (typeof STORES)[number];

/** Why every request gets 503 although there is something to serve. */
export type StoreProblem = "KEYS_DOWN" | "QUOTA_DOWN";

/** What the stores answered when they were looked at last. */
export interface StoreWatch {
  /** Asking looks at nothing, so nobody who asks can make work or turn it. */
  readonly problem: () => StoreProblem | undefined;
  readonly isDown: (store: Store) => boolean;
  /** Looks at the stores whose turn it is; call it once a second. Never throws. */
  readonly look: () => void;
  /** A request met a failure: the store is looked at the next time, and only what is seen then counts. */
  readonly suspect: (store: Store) => void;
}

/** What watching needs. */
export interface StoreWatchParts {
  /** Does to a store what a request does; throws, or rejects, where a request would fail. */
  readonly probes: Readonly<Record<Store, () => void | Promise<void>>>;
  /** Told of each change: the error, or nothing where the store answers again. */
  readonly onChange: (store: Store, error: unknown) => void;
  /** Every how many looks it is a store's turn; `LOOK_AGAIN` where it is left out. */
  readonly lookAgain?: Readonly<Record<Store, number>>;
}

/** To look at the quota is to write and flush, which an idle server need not do each second. */
const LOOK_AGAIN: Readonly<Record<Store, number>> = { keys: 1, quota: 5 };

/** A look that is not answered in so many more: a disk that hangs lets nobody know, and the callers wait with it. */
const LOOKS_UNANSWERED_MAX = 5;

const PROBLEMS: Readonly<Record<Store, StoreProblem>> = { keys: "KEYS_DOWN", quota: "QUOTA_DOWN" };

/**
 * Knows whether the stores answer, by asking them itself: what callers do, or that none comes, turns nothing. A front
 * server that sends nobody here while a store is down sees it come back.
 */
export function watchStores({ probes, onChange, lookAgain = LOOK_AGAIN }: StoreWatchParts): StoreWatch {
  const states = { keys: newState(), quota: newState() };

  const well = (store: Store): void => {
    const state = states[store];
    if (state.isDown) onChange(store, undefined);
    state.isDown = false;
    state.wasBusy = false;
  };
  const failed = (store: Store, error: unknown): void => {
    const state = states[store];
    // Another program may hold a file for a moment; twice in a row is more than that.
    const isFirstBusy = isHeld(error) && !state.wasBusy && !state.isDown;
    state.wasBusy = isFirstBusy;
    state.isSuspect = isFirstBusy;
    if (isFirstBusy) return;
    if (!state.isDown) onChange(store, error);
    state.isDown = true;
  };
  const waitFor = (store: Store, looked: Promise<void>): void => {
    const state = states[store];
    state.isLookedAt = true;
    state.looksUnanswered = 0;
    void looked
      .then(() => well(store))
      .catch((error: unknown) => failed(store, error))
      .finally(() => {
        state.isLookedAt = false;
      });
  };
  const lookAt = (store: Store): void => {
    const state = states[store];
    if (state.isLookedAt) {
      // One that is far away answers later, or says that it does not; a disk may do neither.
      state.looksUnanswered += 1;
      if (state.looksUnanswered === LOOKS_UNANSWERED_MAX) failed(store, hangs());
      return;
    }
    state.looksLeft -= 1;
    if (state.looksLeft > 0 && !state.isSuspect && !state.isDown) return;
    state.looksLeft = lookAgain[store];
    state.isSuspect = false;
    try {
      const looked = probes[store]();
      if (looked instanceof Promise) waitFor(store, looked);
      else well(store);
    } catch (error) {
      failed(store, error);
    }
  };

  return {
    problem: () => {
      const down = STORES.find((store) => states[store].isDown);
      return down === undefined ? undefined : PROBLEMS[down];
    },
    isDown: (store) => states[store].isDown,
    look: () => STORES.forEach(lookAt),
    suspect: (store) => {
      states[store].isSuspect = true;
    },
  };
}

function newState() {
  return {
    looksLeft: 0,
    isSuspect: false,
    isDown: false,
    wasBusy: false,
    isLookedAt: false,
    looksUnanswered: 0,
  };
}

function hangs(): Error {
  return Object.assign(new Error("the store does not answer a look"), { code: "STORE_HANGS" });
}

/** Also where a store tells of it in words of its own. */
function isHeld(error: unknown): boolean {
  return isBusy(error) || (error instanceof Error && isBusy(error.cause));
}
