import { closeSync, constants, fsync, linkSync, openSync, writeFileSync } from "node:fs";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import Database from "better-sqlite3";
import type { Pointer } from "../../format/manifest.ts";
import { abandonedVersions } from "../read/kept-versions.ts";
import { expiredVersions, versionNames } from "../read/read-pointer.ts";
import { attempt, SnapshotError } from "../read/snapshot-error.ts";

/** The file beside the pointer whose lock makes one writer; it holds nothing. */
export const LOCK_FILE = "publish.lock";

/**
 * Takes the exclusive lock of a snapshot root, or throws `PUBLISH_LOCKED` at once. It is a lock of the
 * kernel on an open file (through SQLite), so it ends with the process, however that ends.
 */
export function acquirePublishLock(root: string): () => void {
  const database = new Database(join(root, LOCK_FILE), { timeout: 0 });
  try {
    // Nothing is ever written, so no journal need lie beside the lock after a crash.
    database.pragma("journal_mode = MEMORY");
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY")) {
      throw new SnapshotError("PUBLISH_LOCKED", "another process is publishing into this snapshot root", {
        path: LOCK_FILE,
      });
    }
    throw error;
  }
  return () => {
    database.close();
  };
}

/**
 * Works under the one writer's lock of a root, on the disk that holds it: whoever is handed that disk may enter the lock
 * again, and it is given back when the last has left. Throws `PUBLISH_LOCKED` at once where another process has it.
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

/** Everything publishing does to a disk. Paths are relative to the snapshot root; `.` is the root itself. */
export type SnapshotDisk = ReturnType<typeof createSnapshotDisk>;

/** A new file, open for writing; `sync` speaks for the very descriptor that wrote. */
export type StagedFile = Awaited<ReturnType<SnapshotDisk["create"]>>;

const DIRECTORY_MODE = 0o755;
const FILE_MODE = 0o644;

const flush = promisify(fsync);

async function syncPath(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The disk under one snapshot root. */
export function createSnapshotDisk(root: string) {
  const at = (path: string) => join(root, path);
  return {
    /** For the reader's own code, which verifies what was written. */
    root,
    /** Makes the root, and its name durable, where it is missing. */
    async makeRoot(): Promise<void> {
      const firstMade = await mkdir(root, { recursive: true, mode: DIRECTORY_MODE });
      if (firstMade === undefined) return;
      // Each folder made has its name in the one above it: a name that is lost takes all below it along.
      for (let made = resolve(root); made.startsWith(resolve(firstMade)); made = dirname(made)) {
        await syncPath(dirname(made));
      }
    },
    /** Takes the one writer's lock, or throws `PUBLISH_LOCKED`; the answer gives it back. */
    lock: () => acquirePublishLock(root),
    names: (path: string): Promise<readonly string[]> => readdir(at(path)),
    makeDirectory: (path: string) => mkdir(at(path), { mode: DIRECTORY_MODE }),
    /** Fails where the path exists: nothing is ever edited in place. */
    async create(path: string) {
      // Only the flush waits for the disk. The rest is done at once: handing it to another thread costs more than doing it.
      const descriptor = openSync(at(path), "wx", FILE_MODE);
      return {
        write: async (bytes: Buffer) => writeFileSync(descriptor, bytes),
        sync: () => flush(descriptor),
        close: async () => closeSync(descriptor),
      };
    },
    link: async (from: string, to: string) => linkSync(at(from), at(to)),
    rename: (from: string, to: string) => rename(at(from), at(to)),
    syncDirectory: (path: string) => syncPath(at(path)),
    remove: (path: string) => rm(at(path), { recursive: true, force: true }),
  };
}

/** Everything unfinished under a snapshot root begins with this, so that whoever comes next may delete it. */
export const STAGING_PREFIX = ".staging-";

/** Deletes a version: first its name, in one step and durably, so that no crash leaves half of it under that name. */
export async function discardVersion(disk: SnapshotDisk, version: string): Promise<void> {
  const doomed = `${STAGING_PREFIX}removed-${version}`;
  await disk.rename(version, doomed);
  await disk.syncDirectory(".");
  await disk.remove(doomed);
}

/** Deletes what a crashed run left: staging, and versions made whole but never pointed at. */
export async function clearLeftovers(disk: SnapshotDisk, pointer: Pointer | undefined): Promise<void> {
  const names = await disk.names(".");
  for (const name of names.filter((each) => each.startsWith(STAGING_PREFIX))) await disk.remove(name);
  for (const version of abandonedVersions(disk.root, versionNames(names), pointer)) {
    await discardVersion(disk, version);
  }
}

/** Deletes versions past their age. It runs after the pointer moved, so a failure is a warning and no more. */
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
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    return { removed, warnings: [`an old version could not be deleted (${code})`] };
  }
}
