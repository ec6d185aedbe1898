import { existsSync } from "node:fs";
import { dayOf } from "../../snapshots/format/ids.ts";
import type { Home } from "../home.ts";
import { OperatorError } from "../operator-error.ts";
import { setCount } from "../quota/sqlite/edit-counts.ts";
import { openQuotaLedger } from "../quota/sqlite/quota-ledger.ts";
import { type Counts, USAGE_DAYS } from "./counts.ts";

const DAY_MS = 86_400_000;

/** The counts in the home's `quota.db`. */
export function countsInFile(home: Home, clockMs: () => number): Counts {
  return {
    usage: async (account) => {
      refuseNoCounter(home);
      const nowMs = clockMs();
      const ledger = openQuotaLedger(home.quotaPath);
      try {
        const through = ledger.isOpened(account, dayOf(nowMs)) ? undefined : ledger.closedThrough();
        return {
          nowMs,
          days: ledger.usage(account, dayOf(nowMs - (USAGE_DAYS - 1) * DAY_MS)),
          closed: through === undefined ? undefined : { through },
        };
      } finally {
        ledger.close();
      }
    },
    set: async (account, used) => {
      refuseNoCounter(home);
      const day = dayOf(clockMs());
      return { day, before: setCount(home.quotaPath, { account, day, used }) };
    },
  };
}

/** Nothing was counted yet, or the file is gone: an empty one made here would give the day anew at the next start. */
function refuseNoCounter(home: Home): void {
  if (existsSync(home.quotaPath)) return;
  throw new OperatorError(
    "STORE_UNUSABLE",
    "There is no quota.db in this home, so nothing was counted here.",
    "A server makes it when it starts. If one runs, the file was taken away: put it back.",
  );
}
