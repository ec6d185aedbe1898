import type { RedisCall, RedisLink } from "../../redis/redis-link.ts";
import type { EpochMemory } from "./epoch-memory.ts";
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
  return new QuotaLostError("QUOTA_ANSWER_INVALID", `Redis answered nonsense: ${what}`);
}

/** So many whole numbers, as a script answers them. */
export function wholeNumbers(reply: unknown, count: number): readonly number[] {
  const numbers = Array.isArray(reply) ? reply.filter(Number.isSafeInteger) : [];
  if (numbers.length !== count) throw answerInvalid("whole numbers were expected");
  return numbers;
}

/** What counts are made in. */
export interface GuardStanding {
  readonly epoch: string;
  /** Number of the last day of which nothing is granted but to accounts whose count was set; -1 where there is none. */
  readonly closedThrough: number;
}

/** Notices that Redis lost what was counted. */
export interface QuotaGuard {
  readonly standing: () => GuardStanding;
  /** Last in every write that counts: it counts the writes, and says in which epoch they were made. */
  readonly tick: () => readonly RedisCall[];
  /** The same without a write. */
  readonly look: () => readonly RedisCall[];
  /** Throws where the replies say that a write made under `epoch` is not to be trusted, and then looks into it. */
  readonly check: (epoch: string, replies: readonly unknown[], hasTicked: boolean) => void;
  /** Puts on disk how far was counted, where that has changed. */
  readonly save: () => Promise<void>;
}

/** What a guard needs. */
export interface QuotaGuardParts {
  readonly link: Pick<RedisLink, "call">;
  readonly memory: EpochMemory;
  /** A name that nobody had before: 32 hex digits. */
  readonly newEpoch: () => string;
  /** Told when what was counted is gone and the rest of the day is closed. */
  readonly onLost: (standing: GuardStanding) => void;
  /** Told what Redis' clock said. */
  readonly onTime: (atMs: number) => void;
  /** The latest it ever said: of that day units may be lost as well, whatever it says now. */
  readonly latestMs?: () => number | undefined;
}

/** Since when a day is closed, in an operator's words. */
export const COUNTS_LOST = "since Redis lost what was counted";

/** A name for an epoch. */
export function newEpoch(randomBytes: (count: number) => Uint8Array): string {
  return Buffer.from(randomBytes(16)).toString("hex");
}

/** Asks for the epoch, or begins one; from then on each write is checked against it. */
export async function openQuotaGuard(parts: QuotaGuardParts): Promise<QuotaGuard> {
  const { link, memory } = parts;
  let known = memory.last() ?? { epoch: "", settled: 0 };
  // Writes of others push the count of all past what was lost of ours, so each process counts its own as well.
  const ownKey = processKey(parts.newEpoch());
  const keys = [GUARD_KEY, ownKey];
  let ownKnown = 0;
  let closedThrough = -1;
  let isRenewing = false;

  const ownWrites = () => [ownKnown, Math.floor((parts.latestMs?.() ?? 0) / 1000)] as const;
  const renew = async (): Promise<void> => {
    const [reply] = await link.call([
      GUARD.run(keys, [...ownWrites(), known.epoch, known.settled, parts.newEpoch()]),
    ]);
    const { epoch, settled, own, ...rest } = readGuard(reply);
    parts.onTime(rest.atMs);
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
    return new QuotaLostError("QUOTA_DATA_LOST", "Redis does not hold what was counted in it");
  };

  await renew();
  return {
    standing: () => ({ epoch: known.epoch, closedThrough }),
    tick: () => [TICK.run(keys, ownWrites())],
    look: () => [
      ["HMGET", GUARD_KEY, "settled", "epoch"],
      ["GET", ownKey],
    ],
    check: (epoch, replies, hasTicked) => {
      const [settled, epochThere, own] = readWrites(replies, hasTicked);
      if (epochThere !== epoch || !Number.isSafeInteger(settled)) throw lost();
      // Another write of ours has found out meanwhile, and told.
      if (epoch !== known.epoch) throw lost();
      // Nobody got these numbers before: replies come in the order in which Redis has counted.
      const added = hasTicked ? 1 : 0;
      if (settled < known.settled + added || own < ownKnown + added) throw lost();
      known = { epoch, settled };
      ownKnown = own;
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
  hasTicked: boolean,
): readonly [settled: number, epoch: unknown, own: number] {
  const [first, alone] = replies;
  const [settled, epoch, own]: readonly unknown[] = Array.isArray(first) ? first : [];
  return [Number(settled), epoch, Number((hasTicked ? own : alone) ?? 0)];
}
