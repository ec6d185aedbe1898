import type { AccessTier } from "../../snapshots/format/value-sets.ts";
import type { Problem } from "./problems.ts";

/** What is known of a request once its answer is out or its caller is gone: nothing that the caller sent. */
export interface FinishedRequest {
  readonly requestId: string;
  readonly method: string;
  /** The route's template, never the path itself: that may hold an entity or a wallet. */
  readonly route: string;
  readonly status: number;
  /** The key's id, once the key was found valid. */
  readonly keyId: string | undefined;
  /** The account's tier, once the request was admitted. */
  readonly tier: AccessTier | undefined;
  /** What it ran into, where it was no answer. */
  readonly problem: Problem | undefined;
  /** From the first byte read to the end; not rounded. */
  readonly ms: number;
  /** Whether the caller hung up before the answer was out. */
  readonly isAborted: boolean;
}

/** Is told of every request at its end, exactly once. */
export type ObserveRequest = (finished: FinishedRequest) => void;
