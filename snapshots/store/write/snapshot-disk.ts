import { closeSync, fsync, linkSync, openSync, writeFileSync } from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { flush } from "../../base/durable-files.ts";
import { errorCode } from "../../base/failure.ts";
import { takeLock } from "../../base/sqlite.ts";
import type { Pointer } from "../../format/manifest.ts";
import { abandonedVersions } from "../read/kept-versions.ts";
import { expiredVersions, versionNames } from "../read/read-pointer.ts";
import { attempt, snapshotFailure } from "../read/snapshot-error.ts";

/** The empty file beside the pointer whose lock allows only one writer. */
const LOCK_FILE = "publish.lock";

/**
 * Works under the publish lock of a root. The lock is reentrant through the disk passed to `work`, and is released when
 * the last holder leaves. Throws `PUBLISH_LOCKED` at once if another process has it.
 */
export async function whileLocked<Result, Disk extends Pick<SnapshotDisk, "lock">>(
  disk: Disk,
  work: (held: Disk) => Promise<Result>,
): Promise<Result> {
  const unlock = await attempt("take the publish lock", async () => disk.lock());
  let inside = 0;
  const enter = (): (() => void) => {
    inside += 1;
    return () => {
      inside -= 1;
      if (inside === 0) unlock();
    };
  };
  const leave = enter();
  try {
    return await work({ ...disk, lock: enter });
  } finally {
    leave();
  }
}

/** All disk operations of publishing. Paths are relative to the snapshot root; `.` is the root itself. */
export type SnapshotDisk = ReturnType<typeof createSnapshotDisk>;

const DIRECTORY_MODE = 0o755;
const FILE_MODE = 0o644;

const flushDescriptor = promisify(fsync);

export function createSnapshotDisk(root: string) {
  const pathOf = (path: string) => join(root, path);
  return {
    /** For the code of readers, which verifies what was written. */
    root,
    /** Creates the root durably if it is missing. */
    async makeRoot(): Promise<void> {
      const firstMade = await mkdir(root, { recursive: true, mode: DIRECTORY_MODE });
      if (firstMade === undefined) return;
      // The name of each new folder is in its parent, which must be flushed too.
      for (let made = resolve(root); made.startsWith(resolve(firstMade)); made = dirname(made)) {
        await flush(dirname(made));
      }
    },
    /** Takes the publish lock, or throws `PUBLISH_LOCKED`; returns the function that releases it. */
    lock(): () => void {
      const release = takeLock(pathOf(LOCK_FILE));
      if (release !== undefined) return release;
      throw snapshotFailure("PUBLISH_LOCKED", "another process is publishing into this snapshot root", {
        path: LOCK_FILE,
      });
    },
    names: (path: string): Promise<readonly string[]> => readdir(pathOf(path)),
    makeDirectory: (path: string) => mkdir(pathOf(path), { mode: DIRECTORY_MODE }),
    /** Fails if the path exists, because nothing is ever edited in place. */
    async create(path: string) {
      // Only the flush waits for the disk. The rest is synchronous, because another thread would cost more time.
      const descriptor = openSync(pathOf(path), "wx", FILE_MODE);
      return {
        write: async (bytes: Buffer) => writeFileSync(descriptor, bytes),
        sync: () => flushDescriptor(descriptor),
        close: async () => closeSync(descriptor),
      };
    },
    link: async (from: string, to: string) => linkSync(pathOf(from), pathOf(to)),
    rename: (from: string, to: string) => rename(pathOf(from), pathOf(to)),
    syncDirectory: (path: string) => flush(pathOf(path)),
    remove: (path: string) => rm(pathOf(path), { recursive: true, force: true }),
  };
}

/** Prefix of everything unfinished under a snapshot root, which the next writer may delete. */
export const STAGING_PREFIX = ".staging-";

/** Deletes a version. Renames it first, durably, so that a crash leaves no incomplete version under its name. */
export async function discardVersion(disk: SnapshotDisk, version: string): Promise<void> {
  const doomed = `${STAGING_PREFIX}removed-${version}`;
  await disk.rename(version, doomed);
  await disk.syncDirectory(".");
  await disk.remove(doomed);
}

/** Deletes what a crashed run left: staging folders, and complete versions that were never published. */
export async function clearLeftovers(disk: SnapshotDisk, pointer: Pointer | undefined): Promise<void> {
  const names = await disk.names(".");
  for (const name of names.filter((name) => name.startsWith(STAGING_PREFIX))) await disk.remove(name);
  for (const version of abandonedVersions(disk.root, versionNames(names), pointer)) {
    await discardVersion(disk, version);
  }
}

/** Deletes expired versions. It runs after the pointer was moved, so a failure is only a warning. */
export async function removeExpired(
  disk: SnapshotDisk,
  current: string,
  nowMs: number,
): Promise<{ readonly removed: readonly string[]; readonly warnings: readonly string[] }> {
  const removed: string[] = [];
  try {
    for (const version of expiredVersions(await disk.names("."), current, nowMs)) {
      await discardVersion(disk, version);
      removed.push(version);
    }
    return { removed, warnings: [] };
  } catch (error) {
    const code = errorCode(error) ?? "unknown";
    return { removed, warnings: [`an old version could not be deleted (${code})`] };
  }
}
