import { statfsSync } from "node:fs";
import type { SnapshotDisk } from "../../snapshots/store/write/snapshot-disk.ts";
import { NoRoomError } from "./remote-problems.ts";

/** Room that a copy must leave: keys, quota and log lie on the same disk as a rule, and a full one stops them. */
export const ROOM_KEPT_BYTES = 128 * 1024 * 1024;

/** Asking the disk before each piece would cost more than the piece. */
const ASKED_EACH_BYTES = 8 * 1024 * 1024;

/** A disk that takes no more before it is full. */
export interface RoomyDisk {
  readonly disk: SnapshotDisk;
  /** Why it took no more; undefined while it did. */
  readonly shortage: () => NoRoomError | undefined;
}

/** What can be written under a root. */
function freeBytesUnder(root: string): number {
  const { bavail, bsize } = statfsSync(root);
  return bavail * bsize;
}

/** As a full disk would say it, only earlier: whoever writes then clears up behind itself. */
function fullDisk(): Error {
  return Object.assign(new Error("there is too little room"), { code: "ENOSPC" });
}

/** The same disk, which refuses to be filled: what is written leaves `keptBytes` free. */
export function keepRoom(
  disk: SnapshotDisk,
  keptBytes: number,
  freeBytes: (root: string) => number = freeBytesUnder,
): RoomyDisk {
  let shortage: NoRoomError | undefined;
  let unaskedBytes = ASKED_EACH_BYTES;
  const assertRoom = (bytes: number): void => {
    unaskedBytes += bytes;
    if (unaskedBytes < ASKED_EACH_BYTES) return;
    unaskedBytes = 0;
    if (freeBytes(disk.root) - bytes >= keptBytes) return;
    shortage = new NoRoomError(`${keptBytes} bytes must stay free on the disk of the home`);
    throw fullDisk();
  };
  return {
    shortage: () => shortage,
    disk: {
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
    },
  };
}
