import { join } from "node:path";
import { openRememberedFile, type RememberedFile } from "../../../snapshots/base/durable-files.ts";
import { dayOf } from "../../../snapshots/format/ids.ts";
import { operatorFailure } from "../../operator-error.ts";
import { closedDayWarning } from "../../quota/daily-quota.ts";
import type { RedisCall, RedisLink } from "../redis/redis-link.ts";
import { type StoreFailure, storeFailure } from "../redis/store-failure.ts";
import { dayOfNumber, GUARD, GUARD_KEY, processKey, TICK } from "./quota-scripts.ts";

/** The error if today by Redis' clock was not among the keys; nothing was counted then. */
export function clocksApart(atMs: number): StoreFailure {
  return storeFailure(
    "QUOTA_CLOCKS_APART",
    `this clock differs from that of Redis by more than a day; Redis says ${dayOf(atMs)}`,
  );
}

/** Returns a script's reply as `count` whole numbers; throws if it is anything else. */
export function wholeNumbers(reply: unknown, count: number): readonly number[] {
  const numbers = Array.isArray(reply) ? reply.filter(Number.isSafeInteger) : [];
  if (numbers.length === count) return numbers;
  throw storeFailure("QUOTA_ANSWER_INVALID", "Redis gave an invalid answer: whole numbers were expected");
}

/** Remembers across restarts the epoch used for counting, and how many writes were seen in it, which only ever grows. */
export type EpochMemory = RememberedFile<{ readonly epoch: string; readonly settled: number }>;

const FILE = "quota-epoch";

/** Opens the file in the proxy's home. Without it, a start after Redis lost data would grant the day again. */
export function openEpochMemory(home: string): EpochMemory {
  return openRememberedFile({
    path: join(home, FILE),
    read: (line) => {
      const [, epoch, settled] = /^([0-9a-f]{32}) (0|[1-9][0-9]{0,14})$/.exec(line) ?? [];
      return epoch === undefined ? undefined : { epoch, settled: Number(settled) };
    },
    write: ({ epoch, settled }) => `${epoch} ${settled}`,
    damaged: () =>
      operatorFailure(
        "STORE_UNUSABLE",
        `${FILE} in the home, which records where quota was counted, is damaged.`,
        "To continue with whatever Redis holds now, delete the file.",
      ),
  });
}

/** The Redis to count in, the remembered epoch, and the source of random names. */
export interface CountedIn {
  /** A link that has loaded `QUOTA_SCRIPTS`. */
  readonly link: Pick<RedisLink, "call">;
  readonly memory: EpochMemory;
  readonly randomBytes: (count: number) => Uint8Array;
}

/** Since when a day is closed, for the operator. */
export const COUNTS_LOST = "since Redis lost its counts";

/**
 * Detects that Redis lost counts: reads the epoch, or begins one, and checks each write against it from then on. Keeps
 * the time of Redis between replies by `tickMs`. `onLost` is called with a warning when the counts are gone and the rest
 * of the day is closed.
 */
export async function openQuotaGuard(
  { link, memory, randomBytes }: CountedIn,
  tickMs: () => number = () => 0,
  onLost: (warning: string) => void = () => {},
) {
  const newName = () => Buffer.from(randomBytes(16)).toString("hex");
  let known = memory.last() ?? { epoch: "", settled: 0 };
  // Writes of other processes raise the total and hide lost ones of ours: each process also counts its own.
  const keys = [GUARD_KEY, processKey(newName())];
  let writesKnown = 0;
  let closedThrough = -1;
  let aheadMs = 0;
  /** Units of the latest day ever read may be lost too, even if Redis' clock says less now. */
  let latestMs = 0;
  let isRenewing = false;

  const nowMs = () => Math.floor(tickMs() + aheadMs);
  const setClock = (atMs: number): void => {
    aheadMs = atMs - tickMs();
    latestMs = Math.max(atMs, latestMs);
  };
  /** A warning for the operator until the closed day is over. */
  const warning = () =>
    closedThrough < 0 ? undefined : closedDayWarning(dayOfNumber(closedThrough), nowMs(), COUNTS_LOST);
  const renew = async (): Promise<void> => {
    const [reply] = await link.call([
      GUARD.run(keys, [writesKnown, latestMs / 1000, known.epoch, known.settled, newName()]),
    ]);
    const [epoch, ...numbers]: readonly unknown[] = Array.isArray(reply) ? reply : [];
    const [settled = 0, writes = 0, atMs = 0, closed = 0] = wholeNumbers(numbers, 4);
    if (typeof epoch !== "string" || !/^[0-9a-f]{32}$/.test(epoch))
      throw storeFailure("QUOTA_ANSWER_INVALID", "Redis gave an invalid answer: no epoch");
    setClock(atMs);
    const wasOther = known.epoch !== "" && known.epoch !== epoch;
    // Before any unit is counted in the epoch: otherwise a restart would not know that it was used.
    if (epoch !== known.epoch) await memory.remember({ epoch, settled });
    known = { epoch, settled };
    // Lost writes are covered by the closed day now, and must not count as lost again.
    writesKnown = writes;
    closedThrough = closed;
    if (wasOther) onLost(warning() ?? COUNTS_LOST);
  };
  const lost = (): StoreFailure => {
    if (!isRenewing) {
      isRenewing = true;
      // If it fails, the epoch is still unknown, and the next write tries again.
      renew()
        .catch(() => {})
        .finally(() => {
          isRenewing = false;
        });
    }
    return storeFailure("QUOTA_DATA_LOST");
  };

  await renew();
  return {
    /** The time by Redis' clock. */
    nowMs,
    warning,
    /** The epoch, and the number of the last closed day, granted only to accounts whose count was set; -1 for none. */
    state: () => ({ epoch: known.epoch, closedThrough }),
    /**
     * Sends calls built for the current epoch together, followed by one that counts this write. Resolves to their
     * replies. If they cannot be trusted, rejects and renews the epoch.
     */
    send: async (calls: readonly RedisCall[]): Promise<readonly unknown[]> => {
      const { epoch } = known;
      const replies = await link.call([...calls, TICK.run(keys, [writesKnown])]);
      const tick = replies.at(-1);
      const [epochThere, ...numbers]: readonly unknown[] = Array.isArray(tick) ? tick : [];
      const [settled = 0, writes = 0, atMs = 0] = wholeNumbers(numbers, 3);
      // Another write of ours may have detected and reported the loss meanwhile.
      if (epochThere !== epoch || epoch !== known.epoch) throw lost();
      // These numbers must be new: replies come in the order in which Redis counted.
      if (settled <= known.settled || writes <= writesKnown) throw lost();
      known = { epoch, settled };
      writesKnown = writes;
      setClock(atMs);
      return replies;
    },
    /** Saves the number of writes seen to disk, if it has changed. */
    save: async (): Promise<void> => {
      if (known.settled !== memory.last()?.settled) await memory.remember(known);
    },
  };
}
