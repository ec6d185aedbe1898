import type { Registry } from "prom-client";
import type { RandomBytes } from "../keys/key-format.ts";
import type { AskedKeyStore } from "../keys/key-lookup.ts";
import type { Peppers } from "../keys/peppers.ts";
import type { LogStream } from "../observe/create-log.ts";
import type { ClosableQuota } from "../quota/group-commit.ts";
import type { PublishedVersions } from "../snapshot/snapshot-source.ts";

/** What the world gives to a server. */
export interface ServerWorld {
  readonly nowMs: () => number;
  /** A finer clock for how long something took, which nobody sets. */
  readonly monotonicMs: () => number;
  readonly randomBytes: RandomBytes;
  readonly logStream: LogStream & {
    /** Lines that the stream could not take, where it counts them. */
    readonly dropped?: () => number;
  };
  readonly pepper: string | undefined;
  readonly versions: PublishedVersions;
  /** How many files this process may have open at once, where that is known. */
  readonly openFilesMax?: number | undefined;
  /** Runs a task again and again; returns the way to end that. */
  readonly repeat: (task: () => Promise<void>, everyMs: number) => () => void;
  /** Adds what is known of the process itself to the metrics. */
  readonly addProcessMetrics?: (registry: Registry) => void;
}

/** What keys and quota need of a server. */
export interface StoreWorld
  extends Pick<ServerWorld, "nowMs" | "monotonicMs" | "randomBytes" | "pepper" | "repeat"> {
  /** Called with the number of charges and refunds that a commit settled. */
  readonly onCommit: (size: number) => void;
  readonly onCommitError: (error: unknown) => void;
  /** Called while serving. */
  readonly onWarning: (warning: string) => void;
}

/** Keys and quota, in files of the home or in a Redis. */
export interface KeysAndQuota {
  readonly keys: AskedKeyStore;
  readonly peppers: Peppers;
  readonly quota: ClosableQuota;
  /** Does what a request does to the quota and grants nothing, with a write where it may; throws or rejects where one would fail. */
  readonly probeQuota: (mayWrite: boolean) => void | Promise<void>;
  /** What an operator should hear at the start. */
  readonly warnings: readonly (string | undefined)[];
  readonly close: () => Promise<void>;
}
