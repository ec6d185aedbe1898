import { POINTER_BYTES_MAX } from "../format/limits.ts";
import { type Manifest, Pointer } from "../format/manifest.ts";
import { type LocatedVersion, locateVersion } from "../store/read/locate-version.ts";
import { POINTER_FILE, parseFormatted } from "../store/read/read-pointer.ts";
import { readable, SnapshotError } from "../store/read/snapshot-error.ts";
import {
  fileRefused,
  RemoteError,
  type RemoteFile,
  type RemoteReader,
  type RemoteWriter,
} from "./remote-store.ts";

/** Somebody else's version stands where ours was to be. */
function movedError(name: string, there: Pointer): RemoteError {
  const { version, sequence, published_at: at } = there;
  return new RemoteError(
    "REMOTE_MOVED",
    `${name}: holds ${version} (sequence ${sequence}, published at ${at}), and the version here does not follow it`,
    { path: POINTER_FILE },
  );
}

/**
 * Refuses to replace a remote version that the one here does not follow, with REMOTE_MOVED: one of the same or a higher
 * sequence, or one that this root's own line of versions passes by. Where the line has a gap, the sequence alone decides.
 */
export function assertSuccessor(root: string, local: LocatedVersion, there: Pointer, name: string): void {
  let at: Manifest | undefined = local.manifest;
  if (there.sequence >= at.sequence) throw movedError(name, there);
  while (at !== undefined && at.previous !== null) {
    const { version, sha256 }: NonNullable<Manifest["previous"]> = at.previous;
    if (version === there.version && sha256 === there.manifest.sha256) return;
    // Each version has the sequence after the one before it, so here ours stood where theirs stands now.
    if (at.sequence - 1 <= there.sequence) throw movedError(name, there);
    // One that expired, was redacted or is damaged says nothing of what came before it.
    at = readable(() => locateVersion(root, { version }).manifest);
  }
  // A line that begins here, at a root of its own, follows nothing.
  if (at !== undefined) throw movedError(name, there);
}

/** The pointer of a remote place as it was read. */
export interface RemotePointer extends RemoteFile {
  readonly pointer: Pointer;
}

/** What the store says against something that came from elsewhere: it is not the local root that is wrong. */
export async function orInvalid<Result>(
  name: string,
  parse: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await parse();
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    const about = error.path === undefined ? {} : { path: error.path };
    // No cause: its text is theirs, and `--verbose` would print it as it is.
    throw new RemoteError("REMOTE_INVALID", `${name}: ${error.message}`, about);
  }
}

/** The pointer of a remote place; undefined where nothing was published there. Throws `RemoteError`. */
export async function readRemotePointer(
  reader: RemoteReader,
  signal?: AbortSignal,
): Promise<RemotePointer | undefined> {
  const read = await readNewPointer(reader, undefined, signal);
  return read === "unchanged" ? undefined : read;
}

/** The same, and `unchanged` where it still has `knownEtag`. */
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
 * Points readers of a remote place at another version, in one step, and only where it still is what it was; whatever is
 * not certain is read back. Throws `RemoteError`: REMOTE_MOVED where somebody else was first, else REMOTE_AWAY.
 */
export async function moveRemotePointer(
  writer: RemoteWriter,
  /** As it was read before anything was sent; undefined where nothing was there. */
  before: RemotePointer | undefined,
  bytes: Buffer,
  /** Whether the place itself refuses to replace another pointer than `before`. */
  isGuarded: boolean,
): Promise<void> {
  const { name } = writer;
  if (before !== undefined && before.etag === undefined) {
    throw new RemoteError(
      "REMOTE_INVALID",
      `${name}: sends no ETag, so concurrent writers cannot be detected`,
    );
  }
  if (!isGuarded) {
    const now = await readRemotePointer(writer);
    if (now !== undefined && !isSame(before, now)) throw movedError(name, now.pointer);
  }
  try {
    const isTaken = (await writer.swap(POINTER_FILE, bytes, before?.etag)) !== "moved";
    if (isTaken && isGuarded) return;
  } catch (error) {
    // It may have been taken and nobody heard: only the pointer itself can tell.
    if (!(error instanceof RemoteError && error.code === "REMOTE_AWAY")) throw error;
  }
  const found = await readRemotePointer(writer);
  if (found?.bytes.equals(bytes) === true) return;
  if (found !== undefined && !isSame(before, found)) throw movedError(name, found.pointer);
  throw fileRefused("REMOTE_AWAY", writer, POINTER_FILE, "was not moved; it stands where it stood");
}
