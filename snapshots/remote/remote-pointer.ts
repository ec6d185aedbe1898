import { POINTER_BYTES_MAX } from "../format/limits.ts";
import { Pointer } from "../format/manifest.ts";
import { POINTER_FILE, parseFormatted } from "../store/read-pointer.ts";
import { SnapshotError } from "../store/snapshot-error.ts";
import { RemoteError } from "./remote-error.ts";
import type { RemoteReader } from "./remote-store.ts";

/** The pointer of a remote place as it was read. */
export interface RemotePointer {
  readonly pointer: Pointer;
  readonly bytes: Buffer;
  readonly etag: string | undefined;
}

/** What the store says against something that came from elsewhere: it is not the local root that is wrong. */
export function orInvalid<Result>(name: string, parse: () => Result): Result {
  try {
    return parse();
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
  const pointer = orInvalid(reader.name, () => parseFormatted(POINTER_FILE, read.bytes, Pointer));
  return { pointer, ...read };
}
