import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  readSync,
  type Stats,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { forEachInFlight } from "../../base/concurrency.ts";
import { errorCode } from "../../base/system-errors.ts";
import { sha256Hex } from "../../format/canonical-json.ts";
import type { LineSpan } from "../../format/delegate-months.ts";
import { FILE_BYTES_MAX, WHOLE_FILE_BYTES_MAX } from "../../format/limits.ts";
import type { Manifest, ManifestFile } from "../../format/manifest.ts";
import { PATHS, SIGNATURE_BYTES } from "../../format/paths.ts";
import {
  invalidFile,
  isSnapshotFailure,
  problemWith,
  refusalOf,
  type SnapshotErrorCode,
  type SnapshotProblem,
  snapshotFailure,
} from "./snapshot-error.ts";

/** The size and hash that a file must have. */
type ExpectedFile = Pick<ManifestFile, "path" | "bytes" | "sha256">;

/** No links, which could lead out of the version, and no waiting for a named pipe. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CHUNK_BYTES = 1024 * 1024;

/** Turns a system error about a file into a problem. */
export function openProblem(path: string, error: unknown): SnapshotProblem {
  const code = errorCode(error) ?? "unknown";
  if (code === "ENOENT" || code === "ENOTDIR") return problemWith(path, "FILE_MISSING", "is missing");
  if (code === "ELOOP") return problemWith(path, "FILE_UNREADABLE", "is a link, not a file");
  return problemWith(path, "FILE_UNREADABLE", `cannot be read (${code})`);
}

/** Checks type and size before any byte is read, because endless data is an attack. */
function statProblem(path: string, stat: Stats, bytesMax: number): SnapshotProblem | undefined {
  if (!stat.isFile()) return problemWith(path, "FILE_UNREADABLE", "is not a regular file");
  if (stat.size <= bytesMax) return undefined;
  return problemWith(path, "FILE_WRONG_SIZE", `has ${stat.size} bytes, more than the ${bytesMax} allowed`);
}

function sizeProblem(file: ExpectedFile, size: number): SnapshotProblem | undefined {
  if (size === file.bytes) return undefined;
  return problemWith(file.path, "FILE_WRONG_SIZE", `has ${size} bytes, not the ${file.bytes} expected`);
}

function hashProblem(file: ExpectedFile, sha256: string): SnapshotProblem | undefined {
  if (sha256 === file.sha256) return undefined;
  return problemWith(file.path, "FILE_WRONG_HASH", "does not have the SHA-256 expected");
}

/** Checks size and hash of an open file; returns the problem or undefined. Throws system errors. */
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

/** Opens a file of a version for reading; returns the problem if that fails. */
export async function openFile(directory: string, path: string): Promise<FileHandle | SnapshotProblem> {
  try {
    return await open(join(directory, path), READ_FLAGS);
  } catch (error) {
    return openProblem(path, error);
  }
}

/** Checks that a file of a version can be opened, and its type and size; returns the problem or undefined. */
export async function presenceProblem(
  directory: string,
  file: ExpectedFile,
): Promise<SnapshotProblem | undefined> {
  return checkOpened(directory, file, async (handle) => {
    const stat = await handle.stat();
    return statProblem(file.path, stat, FILE_BYTES_MAX) ?? sizeProblem(file, stat.size);
  });
}

/** Checks type, size and hash of a file of a version, in pieces; returns the problem or undefined. */
export async function fileProblem(
  directory: string,
  file: ExpectedFile,
): Promise<SnapshotProblem | undefined> {
  return checkOpened(directory, file, (handle) => contentProblem(handle, file));
}

async function checkOpened(
  directory: string,
  file: ExpectedFile,
  check: (handle: FileHandle) => Promise<SnapshotProblem | undefined>,
): Promise<SnapshotProblem | undefined> {
  const handle = await openFile(directory, file.path);
  if ("code" in handle) return handle;
  try {
    return await check(handle);
  } catch (error) {
    return openProblem(file.path, error);
  } finally {
    await handle.close();
  }
}

/** Reads a file of at most `bytesMax` bytes; throws `SnapshotFailure`, with `missingCode` if it does not exist. */
export function readCapped(
  directory: string,
  path: string,
  bytesMax: number,
  missingCode: SnapshotErrorCode = "SNAPSHOT_INVALID",
): Buffer {
  return whileOpen(directory, path, missingCode, (descriptor) => readWhole(descriptor, path, bytesMax));
}

/** Reads one line of a file of a version and verifies the line's hash; throws `SnapshotFailure`. */
export function readVerifiedLine(
  directory: string,
  path: string,
  line: LineSpan & { readonly sha256: string },
): Buffer {
  return whileOpen(directory, path, "SNAPSHOT_INVALID", (descriptor) => {
    const stat = fstatSync(descriptor);
    const early = statProblem(path, stat, WHOLE_FILE_BYTES_MAX);
    if (early !== undefined) throw refusalOf(early);
    // Checked before the buffer is allocated, because the index may be wrong.
    if (line.offset + line.bytes > stat.size) throw invalidFile(path, "ends before the line that is read");
    const bytes = readAt(descriptor, line.offset, line.bytes);
    const problem = hashProblem({ path, ...line }, sha256Hex(bytes));
    if (problem !== undefined) throw refusalOf(problem);
    return bytes;
  });
}

function whileOpen(
  directory: string,
  path: string,
  missingCode: SnapshotErrorCode,
  read: (descriptor: number) => Buffer,
): Buffer {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(join(directory, path), READ_FLAGS);
    return read(descriptor);
  } catch (cause) {
    if (isSnapshotFailure(cause)) throw cause;
    const { code, message } = openProblem(path, cause);
    throw snapshotFailure(code === "FILE_MISSING" ? missingCode : "SNAPSHOT_INVALID", message, {
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
  const bytes = readAt(descriptor, 0, stat.size + 1);
  if (bytes.length !== stat.size) throw invalidFile(path, "changed while it was read");
  return bytes;
}

function readAt(descriptor: number, offset: number, bytesMax: number): Buffer {
  const bytes = Buffer.allocUnsafe(bytesMax);
  let size = 0;
  while (size < bytes.length) {
    const read = readSync(descriptor, bytes, size, bytes.length - size, offset + size);
    if (read === 0) break;
    size += read;
  }
  return bytes.subarray(0, size);
}

/** Reads a whole file of a version and verifies size and hash; throws `SnapshotFailure`. */
export function readVerified(directory: string, file: ExpectedFile): Buffer {
  // The manifest alone is no limit: an attacker who made the file endless could also forge it.
  const bytes = readCapped(directory, file.path, Math.min(file.bytes, WHOLE_FILE_BYTES_MAX));
  const problem = sizeProblem(file, bytes.length) ?? hashProblem(file, sha256Hex(bytes));
  if (problem !== undefined) throw refusalOf(problem);
  return bytes;
}

/** Concurrent reads: enough to hide the latency, few enough to save memory. */
const FILES_IN_FLIGHT = 16;

const UNLISTED_MAX = 1000;

const notListed = (path: string): SnapshotProblem =>
  problemWith(path, "FILE_NOT_LISTED", "is not in the manifest");

/** Checks type, size and hash of every file in the manifest, and reports all files that are not in it. */
export async function verifyFiles(
  directory: string,
  manifest: Manifest,
): Promise<readonly SnapshotProblem[]> {
  const problems: SnapshotProblem[] = [];
  await forEachInFlight(manifest.files, FILES_IN_FLIGHT, async (file) => {
    const problem = await fileProblem(directory, file);
    if (problem !== undefined) problems.push(problem);
  });
  problems.sort((a, b) => (a.path < b.path ? -1 : 1));
  return [...problems, ...unnamedProblems(directory, manifest)];
}

/** Reports files that are not in the manifest, and a signature that cannot be valid. */
export function unnamedProblems(
  directory: string,
  manifest: { readonly files: readonly Pick<ManifestFile, "path">[] },
): readonly SnapshotProblem[] {
  // The signature is made from the manifest, so the manifest cannot list it.
  const named = new Set([PATHS.manifest, PATHS.signature, ...manifest.files.map((file) => file.path)]);
  const unlisted: SnapshotProblem[] = [];
  for (const problem of unlistedUnder(directory, named)) {
    if (unlisted.push(problem) === UNLISTED_MAX) break;
  }
  unlisted.sort((a, b) => (a.path < b.path ? -1 : 1));
  return [...signatureProblems(directory), ...unlisted];
}

/** Yields every unlisted file and empty folder of a version, one by one because there may be endlessly many. */
function* unlistedUnder(
  directory: string,
  named: ReadonlySet<string>,
  prefix = "",
): Generator<SnapshotProblem> {
  let isEmpty = true;
  try {
    const folder = opendirSync(join(directory, prefix));
    try {
      for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
        isEmpty = false;
        const path = prefix === "" ? entry.name : `${prefix}/${entry.name}`;
        if (entry.isDirectory()) yield* unlistedUnder(directory, named, path);
        else if (!named.has(path)) yield notListed(path);
      }
    } finally {
      folder.closeSync();
    }
  } catch (error) {
    yield openProblem(prefix === "" ? PATHS.manifest : prefix, error);
    return;
  }
  if (isEmpty && prefix !== "") yield notListed(prefix);
}

/** Checks that the signature, if any, is a file of the right size. Only readers with keys can verify it. */
function signatureProblems(directory: string): readonly SnapshotProblem[] {
  const path = PATHS.signature;
  const stat = lstatSync(join(directory, path), { throwIfNoEntry: false });
  if (stat === undefined || (stat.isFile() && stat.size === SIGNATURE_BYTES)) return [];
  return [problemWith(path, "FILE_WRONG_SIZE", `is no file of ${SIGNATURE_BYTES} bytes`)];
}
