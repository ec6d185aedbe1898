import { isBusy } from "../quota/sqlite/open-quota-database.ts";

export type Store = "keys" | "quota";

interface StoreWatchParts {
  /**
   * Does to a store what a request does; throws or rejects if a request would fail. Without `mayWrite` it writes nothing,
   * and may do nothing at all. `mayWrite` is true one time in five, and while something is wrong.
   */
  readonly probes: Readonly<Record<Store, (mayWrite: boolean) => void | Promise<void>>>;
  /** Called at each change with the error, or with undefined when the store answers again. */
  readonly onChange: (store: Store, error: unknown) => void;
}

/** One check in this many may write: an idle server need not write and flush each second. */
const WRITE_EVERY = 5;

/** A check unanswered for this many looks has failed: a hanging disk reports no error, and callers wait for it. */
const LOOKS_UNANSWERED_MAX = 5;

/**
 * Checks whether the stores answer, independently of requests: a front server that sends no traffic here while a store
 * is down still sees it recover.
 */
export function watchStores({ probes, onChange }: StoreWatchParts) {
  const watched = {
    keys: watchStore(probes.keys, (error) => onChange("keys", error)),
    quota: watchStore(probes.quota, (error) => onChange("quota", error)),
  };
  return {
    /** Why every request gets 503 although a version is loaded, by the last check: callers cause no work and no change. */
    problem: (): "KEYS_DOWN" | "QUOTA_DOWN" | undefined => {
      if (watched.keys.isDown()) return "KEYS_DOWN";
      return watched.quota.isDown() ? "QUOTA_DOWN" : undefined;
    },
    isDown: (store: Store) => watched[store].isDown(),
    /** Checks the stores; call it once a second. Never throws. */
    look: (): void => {
      watched.keys.look();
      watched.quota.look();
    },
    /** Call it when a request failed: the next `look` checks this store, and only that check counts. */
    suspect: (store: Store) => watched[store].suspect(),
  };
}

function watchStore(probe: StoreWatchParts["probes"][Store], onChange: (error: unknown) => void) {
  let looks = 0;
  let isSuspect = false;
  let isDown = false;
  let wasBusy = false;
  /** The number of looks since a check that is still unanswered. */
  let unanswered: number | undefined;

  const ended = (error?: unknown): void => {
    // Another program may lock a file for a moment; busy twice in a row is a failure.
    wasBusy = isBusy(error) && !wasBusy && !isDown;
    isSuspect ||= wasBusy;
    if (wasBusy) return;
    const isFailure = error !== undefined;
    if (isFailure !== isDown) onChange(error);
    isDown = isFailure;
  };
  const look = (): void => {
    if (unanswered !== undefined) {
      // A remote store answers later or fails; a disk may do neither.
      unanswered += 1;
      if (unanswered === LOOKS_UNANSWERED_MAX) ended(hangs());
      return;
    }
    const mayWrite = looks % WRITE_EVERY === 0 || isSuspect || isDown;
    looks = mayWrite ? 1 : looks + 1;
    isSuspect = false;
    try {
      const looked = probe(mayWrite);
      if (looked === undefined) {
        ended();
        return;
      }
      unanswered = 0;
      const answered = looked.then(() => ended(), ended);
      void answered.finally(() => {
        unanswered = undefined;
      });
    } catch (error) {
      ended(error);
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
