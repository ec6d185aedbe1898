import type { RedisCall, RedisLink } from "../../redis/redis-link.ts";
import type { EpochMemory } from "./epoch-memory.ts";
import { GUARD } from "./guard-script.ts";
import { GUARD_KEY } from "./quota-keys.ts";
import { answerInvalid, QuotaLostError } from "./quota-lost-error.ts";

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
  readonly tick: readonly RedisCall[];
  /** The same without a write. */
  readonly look: readonly RedisCall[];
  /** Throws where the two replies say that a write made under `epoch` is not to be trusted, and then looks into it. */
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
  let known = memory.counted() ?? { epoch: "", settled: 0 };
  let closedThrough = -1;
  let isRenewing = false;

  const renew = async (): Promise<void> => {
    const [reply] = await link.call([GUARD.run([GUARD_KEY], [known.epoch, known.settled, parts.newEpoch()])]);
    const { epoch, settled, ...rest } = readGuard(reply);
    parts.onTime(rest.atMs);
    const wasOther = known.epoch !== "" && known.epoch !== epoch;
    // Before anybody is counted in it: else a restart would not know that it was.
    if (epoch !== known.epoch) await memory.remember({ epoch, settled });
    known = { epoch, settled };
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
    tick: [
      ["HINCRBY", GUARD_KEY, "settled", 1],
      ["HGET", GUARD_KEY, "epoch"],
    ],
    look: [
      ["HGET", GUARD_KEY, "settled"],
      ["HGET", GUARD_KEY, "epoch"],
    ],
    check: (epoch, [settledReply, epochReply], hasTicked) => {
      const settled = Number(settledReply);
      if (epochReply !== epoch || !Number.isSafeInteger(settled)) throw lost();
      // Another write of ours has found out meanwhile, and told.
      if (epoch !== known.epoch) throw lost();
      // Nobody got this number before: replies come in the order in which Redis has counted.
      if (settled < known.settled + (hasTicked ? 1 : 0)) throw lost();
      known = { epoch, settled };
    },
    save: async () => {
      if (known.settled !== memory.counted()?.settled) await memory.remember(known);
    },
  };
}

function readGuard(reply: unknown) {
  const [epoch, ...numbers]: readonly unknown[] = Array.isArray(reply) ? reply : [];
  const [closedThrough, settled, atMs] = numbers.map(Number);
  if (typeof epoch !== "string" || !/^[0-9a-f]{32}$/.test(epoch)) throw answerInvalid("no epoch");
  if (closedThrough === undefined || settled === undefined || atMs === undefined)
    throw answerInvalid("no guard");
  return { epoch, closedThrough, settled, atMs };
}
