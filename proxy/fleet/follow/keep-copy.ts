import { freeBytesAt } from "../../../snapshots/base/durable-files.ts";
import { Failure } from "../../../snapshots/base/failure.ts";
import type { TrustedKey } from "../../../snapshots/store/read/manifest-signature.ts";
import { openSnapshot } from "../../../snapshots/store/read/open-snapshot.ts";
import {
  KEPT_YOUNGER_THAN_MS,
  POINTER_FILE,
  readPointer,
  versionNames,
} from "../../../snapshots/store/read/read-pointer.ts";
import { isSnapshotFailure, readable } from "../../../snapshots/store/read/snapshot-error.ts";
import type { SnapshotReader } from "../../../snapshots/store/read/snapshot-reader.ts";
import {
  discardVersion,
  type SnapshotDisk,
  whileLocked,
} from "../../../snapshots/store/write/snapshot-disk.ts";

/** A version that is no longer the newest stays at least this long: a server of this home may still use it. */
const COPY_GRACE_MS = 60_000;

/** The least time between two repairs: a disk that keeps damaging the copy must not cause a pull each second. */
const REPAIRED_AGAIN_MS = 60_000;

export type CareEvent =
  | { readonly kind: "tidied"; readonly versions: readonly string[] }
  | { readonly kind: "given up" };

/**
 * Creates a keeper that gives up a damaged copy and deletes versions no longer needed. To give up a version, it deletes
 * only the pointer: the next pull checks each file and fetches the wrong ones.
 */
export function createCopyKeeper({
  disk,
  trustedKeys,
  highest,
  nowMs,
}: {
  readonly disk: SnapshotDisk;
  readonly trustedKeys: readonly TrustedKey[] | undefined;
  /** The highest sequence ever served from this home. */
  readonly highest: () => number;
  readonly nowMs: () => number;
}) {
  let held: SnapshotReader | undefined;
  /** Since when this process has known the newest version. */
  let newestSinceMs = 0;
  /** A version that cannot be opened although its bytes are as published, so another pull would not help. */
  let publishedSo: string | undefined;
  let repairedAtMs = Number.NEGATIVE_INFINITY;

  const release = (): void => {
    held?.close();
    held = undefined;
  };

  /** Returns the opened copy; undefined if there is none to check. Throws if it is damaged or cannot be opened. */
  const openCopy = async (): Promise<SnapshotReader | undefined> => {
    const pointer = readable(() => readPointer(disk.root));
    if (pointer === undefined || held?.version !== pointer.version || held.sequence !== pointer.sequence) {
      release();
      if (pointer === undefined || pointer.version === publishedSo) return undefined;
      held = await openSnapshot(disk.root, { trustedKeys });
      newestSinceMs = nowMs();
    }
    const damage = await held.damage();
    if (damage === undefined) return held;
    release();
    throw damage;
  };

  const giveUp = async (): Promise<CareEvent | undefined> => {
    if (Math.abs(nowMs() - repairedAtMs) < REPAIRED_AGAIN_MS) return undefined;
    await whileLocked(disk, async () => {
      await disk.remove(POINTER_FILE);
      await disk.syncDirectory(".");
    });
    repairedAtMs = nowMs();
    return { kind: "given up" };
  };

  const tidy = async ({
    version: newest,
    sequence,
    manifest,
  }: SnapshotReader): Promise<CareEvent | undefined> => {
    // A server that does not use the newest yet still serves an older one.
    if (highest() !== 0 && highest() < sequence) return undefined;
    const ageMs = nowMs() - newestSinceMs;
    if (ageMs < COPY_GRACE_MS) return undefined;
    const past = versionNames(await disk.names(".")).filter((version) => version !== newest);
    // The one before stays longer, unless the newest redacts it.
    if (ageMs < KEPT_YOUNGER_THAN_MS && !manifest.redacted) past.pop();
    if (past.length === 0) return undefined;
    await whileLocked(disk, async () => {
      for (const version of past) await discardVersion(disk, version);
    });
    return { kind: "tidied", versions: past };
  };

  return {
    close: release,
    /**
     * Checks and tidies the copy after each check of the remote pointer; gives up a damaged one, to be pulled again, if
     * the remote is there. `pulled` is the version pulled since the last call, whose bytes are as published. Never rejects.
     */
    care: async (pulled: string | undefined, isRemoteThere: boolean): Promise<CareEvent | undefined> => {
      // If another process is pulling or the disk fails, the next call tries again.
      try {
        const newest = await openCopy();
        return newest && (await tidy(newest));
      } catch (error) {
        if (!isDamage(error)) return undefined;
        publishedSo = pulled ?? publishedSo;
        if (pulled !== undefined || !isRemoteThere) return undefined;
        return giveUp().catch(() => undefined);
      }
    },
  };
}

/** Whether the local files are damaged. A rollback or a missing signature is not: pulling again would not help. */
function isDamage(error: unknown): boolean {
  return isSnapshotFailure(error) && (error.code === "SNAPSHOT_INVALID" || error.code === "SNAPSHOT_MISSING");
}

/** Bytes that a copy must leave free: keys, quota and log are usually on the same disk and fail if it is full. */
export const ROOM_KEPT_BYTES = 128 * 1024 * 1024;

/** Free space is checked once per this many bytes: a check before each write would cost more than the write. */
const CHECKED_EACH_BYTES = 8 * 1024 * 1024;

/** Wraps a disk so that a write which would leave less than `keptBytes` free throws REMOTE_NO_ROOM. */
export function keepRoom(
  disk: SnapshotDisk,
  keptBytes: number,
  freeBytes: (root: string) => number = freeBytesAt,
): SnapshotDisk {
  let uncheckedBytes = CHECKED_EACH_BYTES;
  const assertRoom = (bytes: number): void => {
    uncheckedBytes += bytes;
    if (uncheckedBytes < CHECKED_EACH_BYTES) return;
    uncheckedBytes = 0;
    if (freeBytes(disk.root) - bytes >= keptBytes) return;
    throw new Failure("REMOTE_NO_ROOM", `${keptBytes} bytes must stay free on the disk of the home`);
  };
  return {
    ...disk,
    create: async (path) => {
      const file = await disk.create(path);
      return {
        ...file,
        write: async (bytes) => {
          assertRoom(bytes.length);
          await file.write(bytes);
        },
      };
    },
  };
}
