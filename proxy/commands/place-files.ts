import { closeSync, fstatSync, linkSync, lstatSync, openSync, rmSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { flushSync } from "../../snapshots/base/durable-files.ts";
import { takeLock } from "../../snapshots/base/file-lock.ts";
import { type OperatorFailure, operatorFailure } from "../operator-error.ts";

/** A complete file, and its final path. */
interface Placement {
  readonly from: string;
  readonly to: string;
}

/** The disk operations that placing files needs. */
export interface PlacingDisk {
  readonly link: (from: string, to: string) => void;
  readonly unlink: (path: string) => void;
  readonly flushFolder: (folder: string) => void;
}

/** The disk itself. */
export const DISK: PlacingDisk = { link: linkSync, unlink: unlinkSync, flushFolder: flushSync };

/** Error codes for a disk without hard links, such as FAT. */
const NO_LINKS: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/** Name suffixes of the files that a database keeps beside itself. */
const COMPANIONS = ["-wal", "-shm", "-journal"] as const;

/** Whether a store or a file belonging to one exists there; a dangling link counts too. */
export function isStoreThere(path: string): boolean {
  return ["", ...COMPANIONS].some((end) => isThere(`${path}${end}`));
}

/**
 * Moves each file to its path in `folder`, overwrites nothing, and flushes each before the next: after a power cut no
 * later file exists without the earlier ones. If one fails, those before it are deleted again.
 */
export function placeFiles(files: readonly Placement[], folder: string, disk: PlacingDisk = DISK): void {
  const placed: string[] = [];
  try {
    for (const { from, to } of files) {
      disk.link(from, to);
      placed.push(to);
      disk.flushFolder(folder);
    }
  } catch (error) {
    takeBack(placed.reverse(), disk);
    throw placingFailure(error);
  }
}

/** A server started meanwhile may already use the file: deleting it would leave its log behind. */
function takeBack(placed: readonly string[], disk: PlacingDisk): void {
  for (const path of placed) if (!COMPANIONS.some((end) => isThere(`${path}${end}`))) disk.unlink(path);
}

/** Returns the error for a home that already has a store. */
export function homeNotEmpty(cause?: unknown): OperatorFailure {
  return operatorFailure(
    "HOME_NOT_EMPTY",
    "This home already has databases, and a restore overwrites nothing.",
    "Stop every server, and move keys.db and quota.db with their -wal, -shm and -journal away. If the counts are intact, leave quota.db and add --keep-quota.",
    cause,
  );
}

function placingFailure(error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "EEXIST") return homeNotEmpty(error);
  if (!NO_LINKS.has(code)) return error;
  return operatorFailure(
    "HOME_UNUSABLE",
    `The disk of this home does not support hard links (${code}), which a restore needs.`,
    "Restore into a home on a disk that supports them, such as ext4, xfs, btrfs or zfs: --home DIR",
    error,
  );
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** An empty file that only one process can hold. */
const LOCK = ".restore-lock";

/**
 * Allows one restore at a time in a home, since each deletes what a killed one left. The system holds the lock, so it
 * ends with its process, however that ends.
 */
export function holdingRestoreLock<Result>(home: string, work: () => Result): Result {
  const path = join(home, LOCK);
  const file = openSync(path, "a", 0o600);
  let release: (() => void) | undefined;
  try {
    release = takeLock(path);
    // The previous holder may have deleted the file meanwhile; then this lock excludes nobody.
    const isOfFile = statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(file).ino;
    if (release === undefined || !isOfFile) {
      throw operatorFailure(
        "RESTORE_AT_WORK",
        "Another restore is running in this home.",
        "Wait until it has finished, and read what it prints.",
      );
    }
    try {
      return work();
    } finally {
      rmSync(path, { force: true });
    }
  } finally {
    release?.();
    closeSync(file);
  }
}
