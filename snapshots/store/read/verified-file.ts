import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { sha256Hex } from "../../format/canonical-json.ts";
import { FILE_BYTES_MAX, WHOLE_FILE_BYTES_MAX } from "../../format/limits.ts";
import type { ManifestFile } from "../../format/manifest.ts";
import {
  invalidFile,
  problemWith,
  refusalOf,
  SnapshotError,
  type SnapshotErrorCode,
  type SnapshotProblem,
} from "./snapshot-error.ts";

/**
 * Does `work` for every item, at most `inFlightMax` at a time; after a failure nothing new starts, and it is thrown once
 * all rest. Items are taken as there is room for them, so that those which are made on the way are never there all at once.
 */
export async function forEachInFlight<Item>(
  items: Iterable<Item>,
  inFlightMax: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  const queue = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    while (failures.length === 0) {
      try {
        const next = queue.next();
        if (next.done === true) return;
        await work(next.value);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: inFlightMax }, worker));
  if (failures.length > 0) throw failures[0];
}

/** What a file must be before its content means anything. */
export type ExpectedFile = Pick<ManifestFile, "path" | "bytes" | "sha256">;

/** A link could lead out of the version, and opening a named pipe would wait for ever. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CHUNK_BYTES = 1024 * 1024;

/** What an error of the system says against a file. */
export function openProblem(path: string, error: unknown): SnapshotProblem {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
  if (code === "ENOENT" || code === "ENOTDIR") return problemWith(path, "FILE_MISSING", "is missing");
  if (code === "ELOOP") return problemWith(path, "FILE_UNREADABLE", "is a link, not a file");
  return problemWith(path, "FILE_UNREADABLE", `cannot be read (${code})`);
}

/** The size is judged before a byte is read: endless data is an attack. */
function statProblem(path: string, stat: Stats, bytesMax: number): SnapshotProblem | undefined {
  if (!stat.isFile()) return problemWith(path, "FILE_UNREADABLE", "is not a regular file");
  if (stat.size <= bytesMax) return undefined;
  return problemWith(path, "FILE_WRONG_SIZE", `holds ${stat.size} bytes, more than the ${bytesMax} allowed`);
}

function sizeProblem(file: ExpectedFile, size: number): SnapshotProblem | undefined {
  if (size === file.bytes) return undefined;
  return problemWith(file.path, "FILE_WRONG_SIZE", `holds ${size} bytes, not the ${file.bytes} expected`);
}

function hashProblem(file: ExpectedFile, sha256: string): SnapshotProblem | undefined {
  if (sha256 === file.sha256) return undefined;
  return problemWith(file.path, "FILE_WRONG_HASH", "does not have the SHA-256 expected");
}

/** What is wrong with the content behind an open file, or nothing; throws what the system throws. */
export async function contentProblem(
  handle: FileHandle,
  file: ExpectedFile,
): Promise<SnapshotProblem | undefined> {
  const stat = await handle.stat();
  const early = statProblem(file.path, stat, FILE_BYTES_MAX) ?? sizeProblem(file, stat.size);
  if (early !== undefined) return early;
  const hash = createHash("sha256");
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, file.bytes + 1));
  let size = 0;
  while (size <= file.bytes) {
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, size);
    if (bytesRead === 0) break;
    size += bytesRead;
    hash.update(chunk.subarray(0, bytesRead));
  }
  return sizeProblem(file, size) ?? hashProblem(file, hash.digest("hex"));
}

/** Opens a file of a version for reading, or says why it cannot be. */
export async function openFile(directory: string, path: string): Promise<FileHandle | SnapshotProblem> {
  try {
    return await open(join(directory, path), READ_FLAGS);
  } catch (error) {
    return openProblem(path, error);
  }
}

/** What is wrong with a file of a version, or nothing: kind and size first, then its hash, a piece at a time. */
export async function fileProblem(
  directory: string,
  file: ExpectedFile,
): Promise<SnapshotProblem | undefined> {
  const handle = await openFile(directory, file.path);
  if ("code" in handle) return handle;
  try {
    return await contentProblem(handle, file);
  } catch (error) {
    return openProblem(file.path, error);
  } finally {
    await handle.close();
  }
}

/** A whole file of at most `bytesMax` bytes; throws `SnapshotError`, with `missingCode` where there is none. */
export function readCapped(
  directory: string,
  path: string,
  bytesMax: number,
  missingCode: SnapshotErrorCode = "SNAPSHOT_INVALID",
): Buffer {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(join(directory, path), READ_FLAGS);
    return readWhole(descriptor, path, bytesMax);
  } catch (cause) {
    if (cause instanceof SnapshotError) throw cause;
    const { code, message } = openProblem(path, cause);
    throw new SnapshotError(code === "FILE_MISSING" ? missingCode : "SNAPSHOT_INVALID", message, {
      path,
      cause,
    });
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function readWhole(descriptor: number, path: string, bytesMax: number): Buffer {
  const stat = fstatSync(descriptor);
  const early = statProblem(path, stat, bytesMax);
  if (early !== undefined) throw refusalOf(early);
  const bytes = Buffer.allocUnsafe(stat.size + 1);
  let size = 0;
  while (size < bytes.length) {
    const read = readSync(descriptor, bytes, size, bytes.length - size, null);
    if (read === 0) break;
    size += read;
  }
  if (size !== stat.size) throw invalidFile(path, "changed while it was read");
  return bytes.subarray(0, size);
}

/** A whole file of a version, verified: size first, then hash; throws `SnapshotError`. */
export function readVerified(directory: string, file: ExpectedFile): Buffer {
  // The manifest's word is no bound: it could come from whoever made the file endless.
  const bytes = readCapped(directory, file.path, Math.min(file.bytes, WHOLE_FILE_BYTES_MAX));
  const found = sizeProblem(file, bytes.length) ?? hashProblem(file, sha256Hex(bytes));
  if (found !== undefined) throw refusalOf(found);
  return bytes;
}
