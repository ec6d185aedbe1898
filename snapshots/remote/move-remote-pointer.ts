import { POINTER_FILE } from "../store/read-pointer.ts";
import { movedError } from "./assert-successor.ts";
import { RemoteError } from "./remote-error.ts";
import { type RemotePointer, readRemotePointer } from "./remote-pointer.ts";
import type { RemoteWriter } from "./remote-store.ts";

/** From what to what a remote pointer moves. */
export interface PointerMove {
  /** As it was read before anything was sent; undefined where nothing was there. */
  readonly before: RemotePointer | undefined;
  readonly bytes: Buffer;
  /** Whether the place itself refuses to replace another pointer than `before`. */
  readonly isGuarded: boolean;
}

const isSame = (one: RemotePointer | undefined, other: RemotePointer | undefined): boolean =>
  one === undefined ? other === undefined : other !== undefined && one.bytes.equals(other.bytes);

function expectedEtag(before: RemotePointer | undefined, name: string): string | undefined {
  if (before === undefined || before.etag !== undefined) return before?.etag;
  throw new RemoteError("REMOTE_INVALID", `${name}: gives no ETag, so nobody could tell who wrote last`);
}

/** What the swap came to, as far as its answer says. */
async function trySwap(
  writer: RemoteWriter,
  bytes: Buffer,
  etag: string | undefined,
): Promise<"taken" | "moved" | "unknown"> {
  try {
    return (await writer.swap(POINTER_FILE, bytes, etag)) === "moved" ? "moved" : "taken";
  } catch (error) {
    // It may have been taken and nobody heard: only the pointer itself can tell.
    if (error instanceof RemoteError && error.code === "REMOTE_AWAY") return "unknown";
    throw error;
  }
}

/**
 * Points readers of a remote place at another version, in one step, and only where it still is what it was; whatever is
 * not certain is read back. Throws `RemoteError`: REMOTE_MOVED where somebody else was first, REMOTE_AWAY where the
 * pointer stands where it stood or cannot be read.
 */
export async function moveRemotePointer(
  writer: RemoteWriter,
  { before, bytes, isGuarded }: PointerMove,
): Promise<void> {
  const { name } = writer;
  const etag = expectedEtag(before, name);
  if (!isGuarded) {
    const now = await readRemotePointer(writer);
    if (now !== undefined && !isSame(before, now)) throw movedError(name, now.pointer);
  }
  const outcome = await trySwap(writer, bytes, etag);
  if (outcome === "taken" && isGuarded) return;
  const found = await readRemotePointer(writer);
  if (found?.bytes.equals(bytes) === true) return;
  if (found !== undefined && !isSame(before, found)) throw movedError(name, found.pointer);
  throw new RemoteError("REMOTE_AWAY", `${name}: ${POINTER_FILE} was not moved; it stands where it stood`, {
    path: POINTER_FILE,
  });
}
