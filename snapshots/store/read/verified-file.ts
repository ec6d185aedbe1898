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
import { errorCode } from "../../base/failure.ts";
import { sha256Hex } from "../../format/canonical-json.ts";
import type { LineSpan } from "../../format/delegates.ts";
import { FILE_BYTES_MAX, WHOLE_FILE_BYTES_MAX } from "../../format/limits.ts";
import type { Manifest, ManifestFile } from "../../format/manifest.ts";
import { PATHS, SIGNATURE_BYTES } from "../../format/paths.ts";
import {
  damagedFile,
  invalidFile,
  isSnapshotFailure,
  problemOf,
  problemWith,
  refusalIn,
  type SnapshotErrorCode,
  type SnapshotFailure,
  type SnapshotProblem,
} from "./snapshot-error.ts";

type ExpectedFile = Pick<ManifestFile, "path" | "bytes" | "sha256">;

/** No links, which could lead out of the version, and no waiting for a named pipe. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CHUNK_BYTES = 1024 * 1024;

/** The failure for an error of the system about a file; a failure of the store stays as it is. */
function fileFailure(path: string, cause: unknown, missingCode?: SnapshotErrorCode): SnapshotFailure {
  if (isSnapshotFailure(cause)) return cause;
  const code = errorCode(cause) ?? "unknown";
  if (code === "ENOENT" || code === "ENOTDIR") {
    return damagedFile(path, "FILE_MISSING", "is missing", cause, missingCode);
  }
  const why = code === "ELOOP" ? "is a link, not a file" : `cannot be read (${code})`;
  return damagedFile(path, "FILE_UNREADABLE", why, cause);
}

/** Checks type and size before any byte is read, because endless data is an attack. */
function requireRegular(path: string, stat: Stats, bytesMax: number): void {
  if (!stat.isFile()) throw damagedFile(path, "FILE_UNREADABLE", "is not a regular file");
  if (stat.size <= bytesMax) return;
  throw damagedFile(path, "FILE_WRONG_SIZE", `has ${stat.size} bytes, more than the ${bytesMax} allowed`);
}

function requireSize({ path, bytes }: ExpectedFile, size: number): void {
  if (size === bytes) return;
  throw damagedFile(path, "FILE_WRONG_SIZE", `has ${size} bytes, not the ${bytes} expected`);
}

function requireHash(path: string, expected: string, sha256: string): void {
  if (sha256 !== expected) throw damagedFile(path, "FILE_WRONG_HASH", "does not have the SHA-256 expected");
}

/** Opens a file of a version and checks its type and size; the caller closes it. Throws `SnapshotFailure`. */
export async function openFile(directory: string, file: ExpectedFile): Promise<FileHandle> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(join(directory, file.path), READ_FLAGS);
    const stat = await handle.stat();
    requireRegular(file.path, stat, FILE_BYTES_MAX);
    requireSize(file, stat.size);
    return handle;
  } catch (error) {
    await handle?.close();
    throw fileFailure(file.path, error);
  }
}

/** Checks size and hash of an open file, in pieces; throws `SnapshotFailure`. */
export async function requireContent(handle: FileHandle, file: ExpectedFile): Promise<void> {
  try {
    requireSize(file, (await handle.stat()).size);
    const hash = createHash("sha256");
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, file.bytes + 1));
    let size = 0;
    while (size <= file.bytes) {
      const { bytesRead } = await handle.read(chunk, 0, chunk.length, size);
      if (bytesRead === 0) break;
      size += bytesRead;
      hash.update(chunk.subarray(0, bytesRead));
    }
    requireSize(file, size);
    requireHash(file.path, file.sha256, hash.digest("hex"));
  } catch (error) {
    throw fileFailure(file.path, error);
  }
}

const fileProblemOf = (failure: SnapshotFailure): SnapshotProblem => ({
  ...problemOf(failure),
  code: failure.data ?? failure.code,
});

/** Checks type, size and hash of a file of a version; returns the problem or undefined. */
export async function fileProblem(
  directory: string,
  file: ExpectedFile,
): Promise<SnapshotProblem | undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await openFile(directory, file);
    await requireContent(handle, file);
    return undefined;
  } catch (error) {
    return fileProblemOf(refusalIn(error));
  } finally {
    await handle?.close();
  }
}

/** Reads a file of at most `bytesMax` bytes; throws `SnapshotFailure`, with `missingCode` if it does not exist. */
export function readCapped(
  directory: string,
  path: string,
  bytesMax: number,
  missingCode?: SnapshotErrorCode,
): Buffer {
  return whileOpen(directory, path, missingCode, (descriptor) => {
    const stat = fstatSync(descriptor);
    requireRegular(path, stat, bytesMax);
    const bytes = readAt(descriptor, 0, stat.size + 1);
    if (bytes.length !== stat.size) throw invalidFile(path, "changed while it was read");
    return bytes;
  });
}

/** Reads one line of a file of a version and verifies the line's hash; throws `SnapshotFailure`. */
export function readVerifiedLine(
  directory: string,
  path: string,
  line: LineSpan & { readonly sha256: string },
): Buffer {
  return whileOpen(directory, path, undefined, (descriptor) => {
    const stat = fstatSync(descriptor);
    requireRegular(path, stat, WHOLE_FILE_BYTES_MAX);
    // Checked before the buffer is allocated, because the index may be wrong.
    if (line.offset + line.bytes > stat.size) throw invalidFile(path, "ends before the line that is read");
    const bytes = readAt(descriptor, line.offset, line.bytes);
    requireHash(path, line.sha256, sha256Hex(bytes));
    return bytes;
  });
}

function whileOpen(
  directory: string,
  path: string,
  missingCode: SnapshotErrorCode | undefined,
  read: (descriptor: number) => Buffer,
): Buffer {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(join(directory, path), READ_FLAGS);
    return read(descriptor);
  } catch (error) {
    throw fileFailure(path, error, missingCode);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
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
  requireSize(file, bytes.length);
  requireHash(file.path, file.sha256, sha256Hex(bytes));
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
    yield fileProblemOf(fileFailure(prefix === "" ? PATHS.manifest : prefix, error));
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
