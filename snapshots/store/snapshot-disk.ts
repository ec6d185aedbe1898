import { closeSync, constants, fsync, linkSync, openSync, writeFileSync } from "node:fs";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { acquirePublishLock } from "./publish-lock.ts";

/** A new file, open for writing; `sync` speaks for the very descriptor that wrote. */
export interface StagedFile {
  write(bytes: Buffer): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Everything publishing does to a disk. Paths are relative to the snapshot root; `.` is the root itself. */
export interface SnapshotDisk {
  /** For the reader's own code, which verifies what was written. */
  readonly root: string;
  /** Makes the root, and its name durable, where it is missing. */
  makeRoot(): Promise<void>;
  /** Takes the one writer's lock, or throws `PUBLISH_LOCKED`; the answer gives it back. */
  lock(): () => void;
  names(path: string): Promise<readonly string[]>;
  makeDirectory(path: string): Promise<void>;
  /** Fails where the path exists: nothing is ever edited in place. */
  create(path: string): Promise<StagedFile>;
  link(from: string, to: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  syncDirectory(path: string): Promise<void>;
  remove(path: string): Promise<void>;
}

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
export function createSnapshotDisk(root: string): SnapshotDisk {
  const at = (path: string) => join(root, path);
  return {
    root,
    async makeRoot() {
      const firstMade = await mkdir(root, { recursive: true, mode: DIRECTORY_MODE });
      if (firstMade === undefined) return;
      // Each folder made has its name in the one above it: a name that is lost takes all below it along.
      for (let made = resolve(root); made.startsWith(resolve(firstMade)); made = dirname(made)) {
        await syncPath(dirname(made));
      }
    },
    lock: () => acquirePublishLock(root),
    names: (path) => readdir(at(path)),
    makeDirectory: (path) => mkdir(at(path), { mode: DIRECTORY_MODE }),
    async create(path) {
      // Only the flush waits for the disk. The rest is done at once: handing it to another thread costs more than doing it.
      const descriptor = openSync(at(path), "wx", FILE_MODE);
      return {
        write: async (bytes) => writeFileSync(descriptor, bytes),
        sync: () => flush(descriptor),
        close: async () => closeSync(descriptor),
      };
    },
    link: async (from, to) => linkSync(at(from), at(to)),
    rename: (from, to) => rename(at(from), at(to)),
    syncDirectory: (path) => syncPath(at(path)),
    remove: (path) => rm(at(path), { recursive: true, force: true }),
  };
}
