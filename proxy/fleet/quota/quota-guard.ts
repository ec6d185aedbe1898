import { join } from "node:path";
import { openRememberedFile, type RememberedFile } from "../../../snapshots/base/durable-files.ts";
import { dayOf } from "../../../snapshots/format/ids.ts";
import {
  isOperatorFailure,
  type OperatorFailure,
  operatorFailure,
  systemReason,
} from "../../operator-error.ts";
import type { RedisCall, RedisLink } from "../redis/redis-link.ts";
import { type StoreFailure, storeFailure } from "../redis/store-failure.ts";
import { GUARD, GUARD_KEY, processKey, TICK } from "./quota-scripts.ts";

/** The error for a reply that none of our scripts returns. */
export function invalidReply(what: string): StoreFailure {
  return storeFailure("QUOTA_ANSWER_INVALID", `Redis gave an invalid answer: ${what}`);
}

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
  if (numbers.length !== count) throw invalidReply("whole numbers were expected");
  return numbers;
}

/** Remembers across restarts the epoch used for counting, and how many writes were seen in it, which only ever grows. */
export type EpochMemory = RememberedFile<{ readonly epoch: string; readonly settled: number }>;

const FILE = "quota-epoch";

/** Opens the file in the proxy's home. Without it, a start after Redis lost data would grant the day again. */
export function openEpochMemory(home: string): EpochMemory {
  try {
    return openRememberedFile({
      path: join(home, FILE),
      read: (line) => {
        const [, epoch, settled] = /^([0-9a-f]{32}) (0|[1-9][0-9]{0,14})$/.exec(line) ?? [];
        return epoch === undefined ? undefined : { epoch, settled: Number(settled) };
      },
      write: ({ epoch, settled }) => `${epoch} ${settled}`,
      damaged: () => unusable("it is damaged"),
    });
  } catch (error) {
    if (isOperatorFailure(error)) throw error;
    throw unusable(systemReason(error) ?? "it cannot be read", error);
  }
}

function unusable(why: string, cause?: unknown): OperatorFailure {
  return operatorFailure(
    "STORE_UNUSABLE",
    `${FILE} in the home, which records where quota was counted, cannot be used: ${why}.`,
    "Check its owner and permissions. To continue with whatever Redis holds now, delete the file.",
    cause,
  );
}

export type StoreClock = ReturnType<typeof createStoreClock>;

/** Redis' clock, estimated from its last reading and our monotonic clock, `tickMs`. */
export function createStoreClock(tickMs: () => number) {
  let aheadMs = 0;
  let latestMs = 0;
  return {
    nowMs: () => Math.floor(tickMs() + aheadMs),
    set: (atMs: number): void => {
      aheadMs = atMs - tickMs();
      latestMs = Math.max(atMs, latestMs);
    },
    /** The latest time it was ever set to; 0 if never. */
    latestMs: () => latestMs,
  };
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

export type QuotaGuard = Awaited<ReturnType<typeof openQuotaGuard>>;

/**
 * Detects that Redis lost counts: reads the epoch, or begins one, and checks each write against it from then on. Sets
 * `clock` to that of Redis: units of the latest day it ever read may be lost too, even if it reads less now. `onLost` is
 * called when the counts are gone and the rest of the day is closed.
 */
export async function openQuotaGuard(
  { link, memory, randomBytes }: CountedIn,
  clock: StoreClock,
  onLost: (closedThrough: number) => void = () => {},
) {
  const newName = () => Buffer.from(randomBytes(16)).toString("hex");
  let known = memory.last() ?? { epoch: "", settled: 0 };
  // Writes of other processes raise the total and hide lost ones of ours: each process also counts its own.
  const ownKey = processKey(newName());
  const keys = [GUARD_KEY, ownKey];
  let writesKnown = 0;
  let closedThrough = -1;
  let isRenewing = false;

  const ownWrites = () => [writesKnown, Math.floor(clock.latestMs() / 1000)] as const;
  const tick = (): readonly RedisCall[] => [TICK.run(keys, ownWrites())];
  const look = (): readonly RedisCall[] => [
    ["HMGET", GUARD_KEY, "settled", "epoch"],
    ["GET", ownKey],
  ];
  const renew = async (): Promise<void> => {
    const [reply] = await link.call([
      GUARD.run(keys, [...ownWrites(), known.epoch, known.settled, newName()]),
    ]);
    const { epoch, settled, writes, ...rest } = readGuard(reply);
    clock.set(rest.atMs);
    const wasOther = known.epoch !== "" && known.epoch !== epoch;
    // Before any unit is counted in the epoch: otherwise a restart would not know that it was used.
    if (epoch !== known.epoch) await memory.remember({ epoch, settled });
    known = { epoch, settled };
    // Lost writes are covered by the closed day now, and must not count as lost again.
    writesKnown = writes;
    closedThrough = rest.closedThrough;
    if (wasOther) onLost(closedThrough);
  };
  const lost = (): StoreFailure => {
    if (!isRenewing) {
      isRenewing = true;
      renew()
        // The epoch is still unknown; the next check retries.
        .catch(() => {})
        .finally(() => {
          isRenewing = false;
        });
    }
    return storeFailure("QUOTA_DATA_LOST");
  };

  await renew();
  return {
    /** The epoch, and the number of the last closed day, granted only to accounts whose count was set; -1 for none. */
    state: () => ({ epoch: known.epoch, closedThrough }),
    /**
     * Sends calls built for the current epoch together, followed by one that counts this write, or with `read` only reads
     * the counters. Resolves to all replies. If they cannot be trusted, rejects and renews the epoch.
     */
    send: async (calls: readonly RedisCall[], kind: "write" | "read"): Promise<readonly unknown[]> => {
      const { epoch } = known;
      const added = kind === "write" ? 1 : 0;
      const replies = await link.call([...calls, ...(kind === "write" ? tick() : look())]);
      const [settled, epochThere, writes] = readWrites(replies.slice(calls.length), kind);
      if (epochThere !== epoch || !Number.isSafeInteger(settled)) throw lost();
      // Another write of ours has detected and reported the loss meanwhile.
      if (epoch !== known.epoch) throw lost();
      // These numbers must be new: replies come in the order in which Redis counted.
      if (settled < known.settled + added || writes < writesKnown + added) throw lost();
      known = { epoch, settled };
      writesKnown = writes;
      return replies;
    },
    /** Saves the number of writes seen to disk, if it has changed. */
    save: async (): Promise<void> => {
      if (known.settled !== memory.last()?.settled) await memory.remember(known);
    },
  };
}

function readGuard(reply: unknown) {
  const [epoch, ...numbers]: readonly unknown[] = Array.isArray(reply) ? reply : [];
  const [closedThrough, settled, atMs, writes] = numbers.map(Number);
  if (typeof epoch !== "string" || !/^[0-9a-f]{32}$/.test(epoch)) throw invalidReply("no epoch");
  if (closedThrough === undefined || settled === undefined || atMs === undefined || writes === undefined)
    throw invalidReply("no guard");
  return { epoch, closedThrough, settled, atMs, writes };
}

/** The total of writes, the epoch, and the writes of this process (0 if the key is missing). */
function readWrites(
  replies: readonly unknown[],
  kind: "write" | "read",
): readonly [settled: number, epoch: unknown, writes: number] {
  const [first, alone] = replies;
  const [settled, epoch, writes]: readonly unknown[] = Array.isArray(first) ? first : [];
  return [Number(settled), epoch, Number((kind === "write" ? writes : alone) ?? 0)];
}
