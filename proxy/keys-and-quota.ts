import type { KeyLookup } from "./keys/key-lookup.ts";
import type { ClosableQuota, QuotaLedger } from "./quota/group-commit.ts";
import type { ServerWorld } from "./server/server-world.ts";
import type { StoreWatchParts } from "./server/watch-stores.ts";

/** What keys and quota need of a server. */
export interface KeysAndQuotaWorld
  extends Pick<ServerWorld, "nowMs" | "monotonicMs" | "randomBytes" | "pepper" | "repeat"> {
  readonly onCommitError: (error: unknown) => void;
  readonly watchCommits: (ledger: QuotaLedger) => QuotaLedger;
  /** Told while serving. */
  readonly onWarning: (warning: string) => void;
}

/** Keys and quota, in the home or in a Redis. */
export interface KeysAndQuota {
  readonly lookup: KeyLookup;
  readonly quota: ClosableQuota;
  /** How to see whether they answer. */
  readonly looks: Pick<StoreWatchParts, "probes" | "lookAgain">;
  /** What an operator should hear at the start. */
  readonly warnings: readonly (string | undefined)[];
  readonly close: () => Promise<void>;
}
