import { isBusy } from "../quota/sqlite/open-quota-database.ts";

/** The stores without which no request is let in. */
export const STORES = ["keys", "quota"] as const;
export type Store = (typeof STORES)[number];

/** Why every request gets 503 although a version is loaded. */
export type StoreProblem = "KEYS_DOWN" | "QUOTA_DOWN";

/** The state of the stores at the last check. */
export interface StoreWatch {
  /** Reads only what is known, so that callers can cause no work and no change. */
  readonly problem: () => StoreProblem | undefined;
  readonly isDown: (store: Store) => boolean;
  /** Checks the stores; call it once a second. Never throws. */
  readonly look: () => void;
  /** A request met a failure: the store is checked next time, and only that check counts. */
  readonly suspect: (store: Store) => void;
}

/** What watching needs. */
export interface StoreWatchParts {
  /**
   * Does to a store what a request does; throws, or rejects, where a request would fail. It need not write, nor look at
   * all where that is a write, unless it may: one time in five, and while something is wrong.
   */
  readonly probes: Readonly<Record<Store, (mayWrite: boolean) => void | Promise<void>>>;
  /** Called at each change with the error, or with nothing where the store answers again. */
  readonly onChange: (store: Store, error: unknown) => void;
}

/** An idle server need not write and flush each second. */
const WRITE_EVERY = 5;

/** Checks after which one that does not return counts as failed: a disk that hangs reports nothing, and callers wait for it. */
const LOOKS_UNANSWERED_MAX = 5;

/**
 * Checks by itself whether the stores answer, so the result does not depend on callers: a front server that sends no
 * traffic here while a store is down sees it come back.
 */
export function watchStores({ probes, onChange }: StoreWatchParts): StoreWatch {
  const watched = {
    keys: watchStore(probes.keys, (error) => onChange("keys", error)),
    quota: watchStore(probes.quota, (error) => onChange("quota", error)),
  };
  return {
    problem: () => {
      if (watched.keys.isDown()) return "KEYS_DOWN";
      return watched.quota.isDown() ? "QUOTA_DOWN" : undefined;
    },
    isDown: (store) => watched[store].isDown(),
    look: () => {
      watched.keys.look();
      watched.quota.look();
    },
    suspect: (store) => watched[store].suspect(),
  };
}

function watchStore(probe: StoreWatchParts["probes"][Store], onChange: (error: unknown) => void) {
  let looks = 0;
  let isSuspect = false;
  let isDown = false;
  let wasBusy = false;
  /** Looks since the one that is not answered yet. */
  let unanswered: number | undefined;

  const well = (): void => {
    if (isDown) onChange(undefined);
    isDown = false;
    wasBusy = false;
  };
  const failed = (error: unknown): void => {
    // Another program may hold a file for a moment; twice in a row is more than that.
    const isFirstBusy = isBusy(error) && !wasBusy && !isDown;
    wasBusy = isFirstBusy;
    isSuspect = isFirstBusy;
    if (isFirstBusy) return;
    if (!isDown) onChange(error);
    isDown = true;
  };
  const look = (): void => {
    if (unanswered !== undefined) {
      // One that is far away answers later, or says that it does not; a disk may do neither.
      unanswered += 1;
      if (unanswered === LOOKS_UNANSWERED_MAX) failed(hangs());
      return;
    }
    const mayWrite = looks % WRITE_EVERY === 0 || isSuspect || isDown;
    looks = mayWrite ? 1 : looks + 1;
    isSuspect = false;
    try {
      const looked = probe(mayWrite);
      if (looked === undefined) {
        well();
        return;
      }
      unanswered = 0;
      void looked.then(well, failed).finally(() => {
        unanswered = undefined;
      });
    } catch (error) {
      failed(error);
    }
  };
  return {
    look,
    isDown: () => isDown,
    suspect: () => {
      isSuspect = true;
    },
  };
}

function hangs(): Error {
  return Object.assign(new Error("the store does not answer a look"), { code: "STORE_HANGS" });
}
