import { POINTER_BYTES_MAX } from "../format/limits.ts";
import { type Manifest, Pointer } from "../format/manifest.ts";
import { type LocatedVersion, locateVersion } from "../store/read/locate-version.ts";
import { POINTER_FILE, parseFormatted } from "../store/read/read-pointer.ts";
import { isSnapshotFailure, readable } from "../store/read/snapshot-error.ts";
import {
  fileRefused,
  isRemoteFailure,
  type RemoteFailure,
  type RemoteFile,
  type RemoteReader,
  type RemoteWriter,
  remoteFailure,
} from "./remote-store.ts";

/** Another publisher's version is where ours should be. */
function movedError(name: string, remote: Pointer): RemoteFailure {
  const { version, sequence, published_at: publishedAt } = remote;
  return remoteFailure(
    "REMOTE_MOVED",
    `${name}: has ${version} (sequence ${sequence}, published at ${publishedAt}), and the local version does not follow it`,
    { path: POINTER_FILE },
  );
}

/**
 * Throws REMOTE_MOVED if the local version does not follow the remote one: if the remote sequence is the same or higher,
 * or the remote version is no ancestor of the local one. If the ancestry has a gap, the sequence alone decides.
 */
export function assertSuccessor(root: string, local: LocatedVersion, remote: Pointer, name: string): void {
  let manifest: Manifest | undefined = local.manifest;
  if (remote.sequence >= manifest.sequence) throw movedError(name, remote);
  while (manifest !== undefined && manifest.previous !== null) {
    const { version, sha256 }: NonNullable<Manifest["previous"]> = manifest.previous;
    if (version === remote.version && sha256 === remote.manifest.sha256) return;
    // Sequences have no gaps, so another local version had the sequence of the remote one.
    if (manifest.sequence - 1 <= remote.sequence) throw movedError(name, remote);
    // An expired, redacted or damaged version does not show its predecessor.
    manifest = readable(() => locateVersion(root, { version }).manifest);
  }
  // The first version of a root follows nothing.
  if (manifest !== undefined) throw movedError(name, remote);
}

export interface RemotePointer extends RemoteFile {
  readonly pointer: Pointer;
}

/** Turns a `SnapshotFailure` about remote data into REMOTE_INVALID, because the local root is not at fault. */
export async function orInvalid<Result>(
  name: string,
  parse: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await parse();
  } catch (error) {
    if (!isSnapshotFailure(error)) throw error;
    const about = error.path === undefined ? {} : { path: error.path };
    // No cause: it contains remote text, which `--verbose` would print as it is.
    throw remoteFailure("REMOTE_INVALID", `${name}: ${error.message}`, about);
  }
}

export async function readRemotePointer(
  reader: RemoteReader,
  signal?: AbortSignal,
): Promise<RemotePointer | undefined> {
  const read = await readNewPointer(reader, undefined, signal);
  return read === "unchanged" ? undefined : read;
}

/** Like `readRemotePointer`, but returns `unchanged` if the pointer still has `knownEtag`. */
export async function readNewPointer(
  reader: RemoteReader,
  knownEtag: string | undefined,
  signal: AbortSignal | undefined,
): Promise<RemotePointer | "unchanged" | undefined> {
  const read = await reader.readSmall(POINTER_FILE, POINTER_BYTES_MAX, knownEtag, signal);
  if (read === undefined || read === "unchanged") return read;
  const pointer = await orInvalid(reader.name, () => parseFormatted(POINTER_FILE, read.bytes, Pointer));
  return { pointer, ...read };
}

const isSame = (one: RemotePointer | undefined, other: RemotePointer): boolean =>
  one?.bytes.equals(other.bytes) === true;

/**
 * Moves the remote pointer to another version, atomically, and only if nobody else has moved it. Reads the pointer back
 * if the outcome is unknown. Throws `RemoteFailure`: REMOTE_MOVED if another publisher was first, else REMOTE_AWAY.
 */
export async function moveRemotePointer(
  writer: RemoteWriter,
  /** The pointer before the push; undefined if there was none. */
  before: RemotePointer | undefined,
  bytes: Buffer,
  /** Whether the storage itself refuses to replace a pointer other than `before`. */
  isGuarded: boolean,
): Promise<void> {
  const { name } = writer;
  if (before !== undefined && before.etag === undefined) {
    throw remoteFailure("REMOTE_INVALID", `${name}: sends no ETag, so concurrent writers cannot be detected`);
  }
  if (!isGuarded) {
    const now = await readRemotePointer(writer);
    if (now !== undefined && !isSame(before, now)) throw movedError(name, now.pointer);
  }
  try {
    if ((await writer.swap(POINTER_FILE, bytes, before?.etag)) && isGuarded) return;
  } catch (error) {
    // The write may have succeeded although the response was lost: only the pointer shows.
    if (!(isRemoteFailure(error) && error.code === "REMOTE_AWAY")) throw error;
  }
  const remote = await readRemotePointer(writer);
  if (remote?.bytes.equals(bytes) === true) return;
  if (remote !== undefined && !isSame(before, remote)) throw movedError(name, remote.pointer);
  throw fileRefused("REMOTE_AWAY", writer, POINTER_FILE, "was not moved");
}
