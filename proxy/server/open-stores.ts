import { existsSync } from "node:fs";
import { DAY_MS } from "../../snapshots/base/days.ts";
import { dayOf } from "../../snapshots/format/ids.ts";
import {
  COMMAND_BUSY_TIMEOUT_MS,
  findHome,
  type Home,
  openHome,
  pepperFor,
  placeOfKeys,
  refuseAbsentKeys,
  SERVER_BUSY_TIMEOUT_MS,
  strandedKeysWarning,
} from "../home.ts";
import { openKeyFile } from "../keys/key-lookup.ts";
import { type KeyTable, openKeyTable } from "../keys/key-table.ts";
import { operatorFailure } from "../operator-error.ts";
import { type Counts, closedDayWarning, quotaDayOf, USAGE_DAYS } from "../quota/daily-quota.ts";
import { createGroupCommit } from "../quota/group-commit.ts";
import { setCount } from "../quota/sqlite/edit-counts.ts";
import { isBusy } from "../quota/sqlite/open-quota-database.ts";
import { openQuotaLedger } from "../quota/sqlite/quota-ledger.ts";
import type { KeysAndQuota, KeysToEdit, StoreWorld } from "./server-world.ts";

/** Opens keys and quota for a server: in the Redis at `url`, which several hosts share, or in files of the home. */
export async function openStores(
  url: string | undefined,
  home: Home,
  world: StoreWorld,
): Promise<KeysAndQuota> {
  if (url === undefined) return openFileStores(home, world);
  const { openRedisStores } = await import("../fleet/open-redis-stores.ts");
  return openRedisStores(url, home, world);
}

/** Does some work with the keys. In Redis it may be done twice, if another command wrote meanwhile. */
export async function editKeys<Result>(
  options: KeysToEdit,
  work: (table: KeyTable, home: Home) => Result,
): Promise<Result> {
  const { url, directory, mayMakeHome, nowMs, tell } = options;
  if (url !== undefined) {
    const { editRedisKeys } = await import("../fleet/redis-commands.ts");
    return editRedisKeys({ ...options, url }, work);
  }
  const home = mayMakeHome ? openHome(directory) : findHome(directory);
  refuseAbsentKeys(home, { mayBeLost: true });
  if (placeOfKeys(home) === "lost") {
    tell(
      "warning: a server has used this home, but its keys.db is gone: a new one is started, without the earlier keys",
    );
  }
  const { keysPath } = home;
  const keys = openKeyFile(keysPath, () => openKeyTable(keysPath, COMMAND_BUSY_TIMEOUT_MS), nowMs);
  return keys.edit((table) => work(table, home)).finally(keys.close);
}

export async function openCounts(
  url: string | undefined,
  home: Home,
  world: Pick<StoreWorld, "nowMs" | "randomBytes">,
): Promise<Counts> {
  if (url === undefined) return countsInFile(home, world.nowMs);
  const { countsInRedis } = await import("../fleet/redis-commands.ts");
  return countsInRedis(url, home, world.randomBytes);
}

function countsInFile(home: Home, clockMs: () => number): Counts {
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

/** Refuses a missing counter: an empty one created here would grant the day again at the next start. */
function refuseNoCounter(home: Home): void {
  if (existsSync(home.quotaPath)) return;
  throw operatorFailure(
    "STORE_UNUSABLE",
    "There is no quota.db in this home, so nothing has been counted here.",
    "A server creates it when it starts. If one is running, the file was removed: put it back.",
  );
}

async function openFileStores(home: Home, world: StoreWorld): Promise<KeysAndQuota> {
  const { nowMs, monotonicMs, randomBytes, pepper: given, onCommit, onCommitError } = world;
  refuseAbsentKeys(home);
  const open = () => openKeyTable(home.keysPath, SERVER_BUSY_TIMEOUT_MS);
  const keys = await whenFree(() => openKeyFile(home.keysPath, open, nowMs));
  const { peppers, keyWarnings } = await whenFree(() =>
    keys.edit((table) => {
      const known = pepperFor(table, home, { given, randomBytes });
      return {
        peppers: known,
        keyWarnings: [noKeysWarning(table), strandedKeysWarning(table, known, nowMs())],
      };
    }),
  );
  const ledger = await whenFree(() => openQuotaLedger(home.quotaPath));
  const quota = createGroupCommit({ ledger, tickMs: monotonicMs, onCommit, onError: onCommitError });
  return {
    keys,
    peppers,
    quota,
    // The table holds whole numbers only.
    hasInvalidCount: () => false,
    // The probe commits and flushes; an idle server need not do so each second.
    probeQuota: (mayWrite) => (mayWrite ? ledger.probe(quotaDayOf(nowMs()).day) : undefined),
    warnings: [...keyWarnings, closedDayWarning(ledger.closedThrough(), nowMs())],
    close: async () => {
      await quota.close();
      keys.close();
    },
  };
}

/** Returns a warning if there are no keys: a machine without the Redis address looks just like a new one. */
function noKeysWarning(table: Pick<KeyTable, "keys">): string | undefined {
  if (table.keys().length > 0) return undefined;
  return "there is no key in this home, so every caller gets 401: create one with `key create`, or set GOVDATA_QUOTA to the Redis that holds the keys";
}

/** The store already waits a tenth of a second in each try. */
const TRIES_MAX = 50;

/**
 * Opens or edits a file that another process may be writing to constantly, and throws the last error after `TRIES_MAX` tries. Only
 * for a start, when no request waits: a proxy restarted under load must not give up because another one is counting.
 */
export async function whenFree<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries >= TRIES_MAX || !isBusy(error)) throw error;
    }
  }
}
