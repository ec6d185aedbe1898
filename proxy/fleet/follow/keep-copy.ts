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
import type { SnapshotDisk } from "../../../snapshots/store/write/snapshot-disk.ts";
import { discardVersion, whileLocked } from "../../../snapshots/store/write/snapshot-disk.ts";

/** A version that is no longer the newest stays at least this long: a server of this home may still use it. */
export const COPY_GRACE_MS = 60_000;

/** The least time between two repairs: a disk that keeps damaging the copy must not cause a pull each second. */
const REPAIRED_AGAIN_MS = 60_000;

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
  /** A version that cannot be opened although its bytes are as published, so another pull would not help. */
  let publishedSo: string | undefined;
  let repairedAtMs = Number.NEGATIVE_INFINITY;
  /** When this process first saw that a version was not the newest. */
  const pastSinceMs = new Map<string, number>();

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
    }
    const damage = await held.damage();
    if (damage === undefined) return held;
    release();
    throw damage;
  };

  const giveUp = async (): Promise<boolean> => {
    if (Math.abs(nowMs() - repairedAtMs) < REPAIRED_AGAIN_MS) return false;
    await whileLocked(disk, async () => {
      await disk.remove(POINTER_FILE);
      await disk.syncDirectory(".");
    });
    repairedAtMs = nowMs();
    return true;
  };

  /** Returns the versions to delete. The one before the newest stays 15 minutes, unless the newest redacts it. */
  const dueVersions = async (newest: SnapshotReader): Promise<readonly string[]> => {
    const past = versionNames(await disk.names(".")).filter((version) => version !== newest.version);
    for (const version of [...pastSinceMs.keys()]) if (!past.includes(version)) pastSinceMs.delete(version);
    for (const version of past) if (!pastSinceMs.has(version)) pastSinceMs.set(version, nowMs());
    const before = past.at(-1);
    return past.filter((version) => {
      const ageMs = nowMs() - (pastSinceMs.get(version) ?? nowMs());
      const isKeptLonger = version === before && !newest.manifest.redacted;
      return ageMs >= (isKeptLonger ? KEPT_YOUNGER_THAN_MS : COPY_GRACE_MS);
    });
  };

  const tidy = async (newest: SnapshotReader): Promise<readonly string[]> => {
    // A server that does not use the newest yet still serves an older one.
    if (highest() !== 0 && highest() < newest.sequence) return [];
    const due = await dueVersions(newest);
    if (due.length === 0) return [];
    await whileLocked(disk, async () => {
      for (const version of due) await discardVersion(disk, version);
    });
    return due;
  };

  return {
    close: release,
    /**
     * Checks and tidies the copy after each check of the remote pointer: whether it was damaged and will be pulled again,
     * and the old versions deleted. Never rejects.
     */
    care: async ({
      pulled,
      isRemoteThere,
    }: {
      /** The version pulled since the last call, whose bytes are as published. */
      readonly pulled: string | undefined;
      /** Whether the copy could be pulled again now. */
      readonly isRemoteThere: boolean;
    }): Promise<{ readonly isGivenUp: boolean; readonly tidied: readonly string[] }> => {
      let newest: SnapshotReader | undefined;
      try {
        newest = await openCopy();
      } catch (error) {
        if (!isDamage(error)) return { isGivenUp: false, tidied: [] };
        publishedSo = pulled ?? publishedSo;
        const isWorthIt = pulled === undefined && isRemoteThere;
        return { isGivenUp: isWorthIt && (await giveUp().catch(() => false)), tidied: [] };
      }
      // If another process is pulling or the disk fails, the next call tries again.
      const tidied = newest === undefined ? [] : await tidy(newest).catch(() => []);
      return { isGivenUp: false, tidied };
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
