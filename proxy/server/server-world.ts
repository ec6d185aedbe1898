import type { Registry } from "prom-client";
import type { RandomBytes } from "../keys/key-format.ts";
import type { KeyStore } from "../keys/key-lookup.ts";
import type { Peppers } from "../keys/peppers.ts";
import type { LogStream } from "../observe/create-log.ts";
import type { ClosableQuota } from "../quota/group-commit.ts";
import type { PublishedVersions } from "../snapshot/snapshot-source.ts";

export interface ServerWorld {
  readonly nowMs: () => number;
  /** A finer clock for durations, which is never set back. */
  readonly monotonicMs: () => number;
  readonly randomBytes: RandomBytes;
  readonly logStream: LogStream & {
    readonly dropped?: () => number;
  };
  readonly pepper: string | undefined;
  readonly versions: PublishedVersions;
  /** How many files this process may have open at once, if known. */
  readonly openFilesMax?: number | undefined;
  /** Runs a task repeatedly; returns a function that stops it. */
  readonly repeat: (task: () => Promise<void>, everyMs: number) => () => void;
  readonly addProcessMetrics?: (registry: Registry) => void;
}

export interface StoreWorld
  extends Pick<ServerWorld, "nowMs" | "monotonicMs" | "randomBytes" | "pepper" | "repeat"> {
  readonly onCommit: (size: number) => void;
  readonly onCommitError: (error: unknown) => void;
  readonly onWarning: (warning: string) => void;
}

export interface KeysAndQuota {
  readonly keys: KeyStore;
  readonly peppers: Peppers;
  readonly quota: ClosableQuota;
  /** Whether the count of an account is no count, so that it gets nothing. */
  readonly hasInvalidCount: () => boolean;
  /** Uses the quota like a request but grants nothing; writes only if allowed. Fails if a request would fail. */
  readonly probeQuota: (mayWrite: boolean) => void | Promise<void>;
  readonly warnings: readonly (string | undefined)[];
  readonly close: () => Promise<void>;
}

export interface KeysToEdit {
  /** The address of the Redis that holds them; undefined for files in the home. */
  readonly url: string | undefined;
  readonly directory: string;
  /** Only a command that begins something makes a home. */
  readonly mayMakeHome: boolean;
  readonly nowMs: () => number;
  readonly randomBytes: RandomBytes;
  readonly tell: (words: string) => void;
}
