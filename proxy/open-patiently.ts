import { isBusy } from "./quota/sqlite/open-quota-database.ts";

/** Each try has waited for a tenth of a second already, inside the store. */
const TRIES_MAX = 50;

/**
 * Opens a file that another process may be writing to without a pause. Only for a start, when no request waits behind
 * it: a proxy that is restarted under load must not give up because the other one is counting.
 */
export function openPatiently<Store>(open: () => Store): Store {
  for (let tries = 1; ; tries += 1) {
    try {
      return open();
    } catch (error) {
      if (tries >= TRIES_MAX || !wasBusy(error)) throw error;
    }
  }
}

/** Whether the file itself said so, however it was told on the way up. */
function wasBusy(error: unknown): boolean {
  return isBusy(error) || (error instanceof Error && wasBusy(error.cause));
}
