import { statSync } from "node:fs";
import type { KeyTable, KeyWithAccount } from "./key-table.ts";

/** Where accounts and keys are kept: in a file or in Redis. Every method throws or rejects if it cannot be used. */
export interface KeyStore {
  /**
   * Differs after every change; results from before it are then invalid. Throws while no result may be used, not even one
   * that was kept.
   */
  readonly revision: () => number;
  /** Finds a key by its digests, one for each pepper, newest first. A promise where the store is on another machine. */
  readonly find: (
    digests: readonly Buffer[],
  ) => KeyWithAccount | undefined | Promise<KeyWithAccount | undefined>;
  /**
   * Runs `work` on all accounts and keys as one change: all of it, or nothing if it throws. `work` may run twice, if
   * another program writes meanwhile.
   */
  readonly edit: <Result>(work: (table: KeyTable) => Result) => Promise<Result>;
  readonly close: () => void;
}

/** A change must take effect within one second; a slow request may use up the rest of it. */
const LOOK_EVERY_MS = 200;

/**
 * Opens the file of keys at `path`, and checks up to five times a second whether it was replaced or changed. Otherwise a
 * file restored while the server runs would never be read: the old one would stay open, and keys revoked in the new one
 * would still work. Throws while the file is missing or is not a store, so that nobody is let in.
 */
export function openKeyFile(path: string, open: () => KeyTable, nowMs: () => number): KeyStore {
  const fileId = (): string => {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  };
  let table: KeyTable | undefined = open();
  let openedId = fileId();
  let revision = 0;
  let tableRevision: number | undefined;
  let lookedAtMs = Number.NEGATIVE_INFINITY;

  const current = (): KeyTable => {
    const id = fileId();
    if (table !== undefined && id === openedId) return table;
    table?.close();
    table = undefined;
    table = open();
    openedId = id;
    tableRevision = undefined;
    return table;
  };
  return {
    revision: () => {
      const atMs = nowMs();
      const ageMs = atMs - lookedAtMs;
      // A clock set back makes the age negative: check again instead of trusting an old result for an hour.
      if (ageMs >= 0 && ageMs < LOOK_EVERY_MS) return revision;
      const latest = current().revision();
      if (latest !== tableRevision) revision += 1;
      tableRevision = latest;
      lookedAtMs = atMs;
      return revision;
    },
    find: (digests) => {
      const { findByDigest } = current();
      for (const digest of digests) {
        const record = findByDigest(digest);
        if (record !== undefined) return record;
      }
      return undefined;
    },
    edit: async (work) => {
      const opened = current();
      return opened.atomically(() => work(opened));
    },
    close: () => table?.close(),
  };
}
