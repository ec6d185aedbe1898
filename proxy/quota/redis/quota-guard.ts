import { join } from "node:path";
import { dayOf } from "../../../snapshots/format/ids.ts";
import { openRememberedFile, type RememberedFile } from "../../durable-files.ts";
import { OperatorError, systemReason } from "../../operator-error.ts";
import type { RedisCall, RedisLink } from "../../redis/redis-link.ts";
import { GUARD, GUARD_KEY, processKey, TICK } from "./quota-scripts.ts";

/** Why Redis cannot be counted in at this moment: each is a 503 and one word in the log. */
export type QuotaLoss = "QUOTA_DATA_LOST" | "QUOTA_CLOCKS_APART" | "QUOTA_ANSWER_INVALID";

/** What Redis holds is not what was counted in, or it answered nonsense: to count on could give units a second time. */
export class QuotaLostError extends Error {
  override readonly name = "QuotaLostError";
  readonly code: QuotaLoss;

  constructor(code: QuotaLoss, message: string) {
    super(message);
    this.code = code;
  }
}

/** An answer that no script of ours gives. */
export function answerInvalid(what: string): QuotaLostError {
  return new QuotaLostError("QUOTA_ANSWER_INVALID", `Redis gave an invalid answer: ${what}`);
}

/** Nothing was counted then: the day that Redis is in was not among the keys. */
export function clocksApart(atMs: number): QuotaLostError {
  return new QuotaLostError(
    "QUOTA_CLOCKS_APART",
    `this clock differs from that of Redis by more than a day; Redis says ${dayOf(atMs)}`,
  );
}

/** So many whole numbers, as a script answers them. */
export function wholeNumbers(reply: unknown, count: number): readonly number[] {
  const numbers = Array.isArray(reply) ? reply.filter(Number.isSafeInteger) : [];
  if (numbers.length !== count) throw answerInvalid("whole numbers were expected");
  return numbers;
}

/** What was counted in: the epoch, and how many writes were seen in it, which only ever grows. */
export interface CountedEpoch {
  readonly epoch: string;
  readonly settled: number;
}

/** Remembers, over restarts, what was counted in. */
export type EpochMemory = RememberedFile<CountedEpoch>;

const FILE = "quota-epoch";

/** The memory in the proxy's home: without it, whoever starts after Redis lost its data would give the day anew. */
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
    if (error instanceof OperatorError) throw error;
    throw unusable(systemReason(error) ?? "it cannot be read", error);
  }
}

function unusable(why: string, cause?: unknown): OperatorError {
  return new OperatorError(
    "STORE_UNUSABLE",
    `${FILE} in the home, which records where quota was counted, cannot be used: ${why}.`,
    "Check its owner and permissions. To continue with whatever Redis holds now, delete the file.",
    cause,
  );
}

/** Redis' clock, estimated from its last reading and our monotonic clock. */
export interface StoreClock {
  readonly nowMs: () => number;
  readonly set: (atMs: number) => void;
  /** The latest it was ever set to; 0 where it never was. */
  readonly latestMs: () => number;
}

/** A clock that goes on from the last time it was set; `tickMs` is any clock that only goes forward. */
export function createStoreClock(tickMs: () => number): StoreClock {
  let aheadMs = 0;
  let latestMs = 0;
  return {
    nowMs: () => Math.floor(tickMs() + aheadMs),
    set: (atMs) => {
      aheadMs = atMs - tickMs();
      latestMs = Math.max(atMs, latestMs);
    },
    latestMs: () => latestMs,
  };
}

/** What counts are made in. */
export interface GuardState {
  readonly epoch: string;
  /** Number of the last day of which nothing is granted but to accounts whose count was set; -1 where there is none. */
  readonly closedThrough: number;
}

/** Notices that Redis lost what was counted. */
export interface QuotaGuard {
  readonly state: () => GuardState;
  /**
   * Sends calls that were made under the epoch of now in one write, and behind them one that counts this write, or with
   * `read` only looks; gives all replies. Rejects where they are not to be trusted, and then looks into it.
   */
  readonly send: (calls: readonly RedisCall[], kind: "write" | "read") => Promise<readonly unknown[]>;
  /** Puts on disk how far was counted, where that has changed. */
  readonly save: () => Promise<void>;
}

/** Where is counted, and what names it. */
export interface CountedIn {
  /** One that has loaded `QUOTA_SCRIPTS`. */
  readonly link: Pick<RedisLink, "call">;
  readonly memory: EpochMemory;
  readonly randomBytes: (count: number) => Uint8Array;
}

/** What a guard needs. */
export interface QuotaGuardParts extends CountedIn {
  /** Called when the counts are gone and the rest of the day is closed. */
  readonly onLost: (state: GuardState) => void;
  /** Set to what Redis' clock said. Of the latest day it ever said units may be lost as well, whatever it says now. */
  readonly clock: StoreClock;
}

/** Since when a day is closed, in an operator's words. */
export const COUNTS_LOST = "since Redis lost its counts";

/** Asks for the epoch, or begins one; from then on each write is checked against it. */
export async function openQuotaGuard(parts: QuotaGuardParts): Promise<QuotaGuard> {
  const { link, memory, clock } = parts;
  const newName = () => Buffer.from(parts.randomBytes(16)).toString("hex");
  let known = memory.last() ?? { epoch: "", settled: 0 };
  // Writes of others push the count of all past what was lost of ours, so each process counts its own as well.
  const ownKey = processKey(newName());
  const keys = [GUARD_KEY, ownKey];
  let ownKnown = 0;
  let closedThrough = -1;
  let isRenewing = false;

  const ownWrites = () => [ownKnown, Math.floor(clock.latestMs() / 1000)] as const;
  const tick = (): readonly RedisCall[] => [TICK.run(keys, ownWrites())];
  const look = (): readonly RedisCall[] => [
    ["HMGET", GUARD_KEY, "settled", "epoch"],
    ["GET", ownKey],
  ];
  const renew = async (): Promise<void> => {
    const [reply] = await link.call([
      GUARD.run(keys, [...ownWrites(), known.epoch, known.settled, newName()]),
    ]);
    const { epoch, settled, own, ...rest } = readGuard(reply);
    clock.set(rest.atMs);
    const wasOther = known.epoch !== "" && known.epoch !== epoch;
    // Before anybody is counted in it: else a restart would not know that it was.
    if (epoch !== known.epoch) await memory.remember({ epoch, settled });
    known = { epoch, settled };
    // What was lost of them is in a closed day now, and is not lost once more.
    ownKnown = own;
    closedThrough = rest.closedThrough;
    if (wasOther) parts.onLost({ epoch, closedThrough });
  };
  const lost = (): QuotaLostError => {
    if (!isRenewing) {
      isRenewing = true;
      renew()
        // Still not known: the next one that looks begins anew.
        .catch(() => {})
        .finally(() => {
          isRenewing = false;
        });
    }
    return new QuotaLostError("QUOTA_DATA_LOST", "Redis does not hold the counts it held before");
  };

  await renew();
  return {
    state: () => ({ epoch: known.epoch, closedThrough }),
    send: async (calls, kind) => {
      const { epoch } = known;
      const added = kind === "write" ? 1 : 0;
      const replies = await link.call([...calls, ...(kind === "write" ? tick() : look())]);
      const [settled, epochThere, own] = readWrites(replies.slice(calls.length), kind);
      if (epochThere !== epoch || !Number.isSafeInteger(settled)) throw lost();
      // Another write of ours has found out meanwhile, and reported it.
      if (epoch !== known.epoch) throw lost();
      // Nobody got these numbers before: replies come in the order in which Redis has counted.
      if (settled < known.settled + added || own < ownKnown + added) throw lost();
      known = { epoch, settled };
      ownKnown = own;
      return replies;
    },
    save: async () => {
      if (known.settled !== memory.last()?.settled) await memory.remember(known);
    },
  };
}

function readGuard(reply: unknown) {
  const [epoch, ...numbers]: readonly unknown[] = Array.isArray(reply) ? reply : [];
  const [closedThrough, settled, atMs, own] = numbers.map(Number);
  if (typeof epoch !== "string" || !/^[0-9a-f]{32}$/.test(epoch)) throw answerInvalid("no epoch");
  if (closedThrough === undefined || settled === undefined || atMs === undefined || own === undefined)
    throw answerInvalid("no guard");
  return { epoch, closedThrough, settled, atMs, own };
}

/** The writes of all, the epoch, and the writes of this process; of what is not there, nothing was written. */
function readWrites(
  replies: readonly unknown[],
  kind: "write" | "read",
): readonly [settled: number, epoch: unknown, own: number] {
  const [first, alone] = replies;
  const [settled, epoch, own]: readonly unknown[] = Array.isArray(first) ? first : [];
  return [Number(settled), epoch, Number((kind === "write" ? own : alone) ?? 0)];
}
