import { statfsSync } from "node:fs";
import type { TrustedKey } from "../../snapshots/store/read/manifest-signature.ts";
import { openSnapshot } from "../../snapshots/store/read/open-snapshot.ts";
import {
  KEPT_YOUNGER_THAN_MS,
  POINTER_FILE,
  readPointer,
  versionNames,
} from "../../snapshots/store/read/read-pointer.ts";
import { readable, SnapshotError } from "../../snapshots/store/read/snapshot-error.ts";
import type { SnapshotReader } from "../../snapshots/store/read/snapshot-reader.ts";
import type { SnapshotDisk } from "../../snapshots/store/write/snapshot-disk.ts";
import { discardVersion, whileLocked } from "../../snapshots/store/write/snapshot-disk.ts";

/** A copy that is no longer the newest stays so long at least: a server of this home may not have moved on yet. */
export const COPY_GRACE_MS = 60_000;

/** A disk that keeps damaging the copy must not make it come over the network each second. */
const REPAIRED_AGAIN_MS = 60_000;

/** What looking after a copy came to. */
export interface CopyCare {
  /** Whether the copy was damaged, and is to be pulled again. */
  readonly isGivenUp: boolean;
  /** The old versions that were deleted. */
  readonly tidied: readonly string[];
}

/** Looks after the copy under one root. */
export interface CopyKeeper {
  /** Call it after each look at the remote place; never rejects. */
  readonly care: (facts: {
    /** The version that was pulled since the last call: its bytes are what was published. */
    readonly pulled: string | undefined;
    /** Whether the copy can be had again at the moment. */
    readonly isRemoteThere: boolean;
  }) => Promise<CopyCare>;
  readonly close: () => void;
}

/** What the keeper needs. */
export interface CopyKeeperParts {
  readonly disk: SnapshotDisk;
  readonly trustedKeys: readonly TrustedKey[] | undefined;
  /** The highest sequence that was ever served from this home. */
  readonly highest: () => number;
  readonly nowMs: () => number;
}

/**
 * Makes what gives up a damaged copy and deletes the versions that nobody needs any more. A damaged version loses its
 * pointer alone: the next pull checks what lies there file by file, and fetches what is not right.
 */
export function createCopyKeeper({ disk, trustedKeys, highest, nowMs }: CopyKeeperParts): CopyKeeper {
  let held: SnapshotReader | undefined;
  /** A version that cannot be opened although its bytes are right: no other copy would be better. */
  let publishedSo: string | undefined;
  let repairedAtMs = Number.NEGATIVE_INFINITY;
  /** Since when a version has been past, as far as this process saw it. */
  const pastSinceMs = new Map<string, number>();

  const release = (): void => {
    held?.close();
    held = undefined;
  };

  /** The copy, open and whole; undefined where there is none to look at. Throws where it cannot be opened. */
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

  /** The version before the newest stays for a quarter of an hour, unless the newest is a redaction of it. */
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
    // A server that has not taken the newest serves an older one.
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
    care: async ({ pulled, isRemoteThere }) => {
      let newest: SnapshotReader | undefined;
      try {
        newest = await openCopy();
      } catch (error) {
        if (!isDamage(error)) return { isGivenUp: false, tidied: [] };
        publishedSo = pulled ?? publishedSo;
        const isWorthIt = pulled === undefined && isRemoteThere;
        return { isGivenUp: isWorthIt && (await giveUp().catch(() => false)), tidied: [] };
      }
      // Somebody else pulls, or the disk refuses: the next time will do.
      const tidied = newest === undefined ? [] : await tidy(newest).catch(() => []);
      return { isGivenUp: false, tidied };
    },
  };
}

/** Only what says that the files here are not what they were: a rollback or a missing signature heals by no other copy. */
function isDamage(error: unknown): boolean {
  return (
    error instanceof SnapshotError && (error.code === "SNAPSHOT_INVALID" || error.code === "SNAPSHOT_MISSING")
  );
}

/** Room that a copy must leave: keys, quota and log lie on the same disk as a rule, and a full one stops them. */
export const ROOM_KEPT_BYTES = 128 * 1024 * 1024;

/** Asking the disk before each piece would cost more than the piece. */
const ASKED_EACH_BYTES = 8 * 1024 * 1024;

/** There is too little room on the disk for a version. Its code is that of a full disk: whoever writes clears up then. */
export class NoRoomError extends Error {
  override readonly name = "NoRoomError";
  readonly code = "ENOSPC";
}

/** The same disk, which refuses to be filled: what is written leaves `keptBytes` free, or throws `NoRoomError`. */
export function keepRoom(
  disk: SnapshotDisk,
  keptBytes: number,
  freeBytes: (root: string) => number = freeBytesUnder,
): SnapshotDisk {
  let unaskedBytes = ASKED_EACH_BYTES;
  const assertRoom = (bytes: number): void => {
    unaskedBytes += bytes;
    if (unaskedBytes < ASKED_EACH_BYTES) return;
    unaskedBytes = 0;
    if (freeBytes(disk.root) - bytes >= keptBytes) return;
    throw new NoRoomError(`${keptBytes} bytes must stay free on the disk of the home`);
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

function freeBytesUnder(root: string): number {
  const { bavail, bsize } = statfsSync(root);
  return bavail * bsize;
}
