import { RemoteError } from "./remote-store.ts";

/** A body may take so long, and a second more for each of these bytes: one that comes drop by drop has no end either. */
const GRACE_MS = 30_000;
const BYTES_A_SECOND_MIN = 1024;

/**
 * The pieces of a body, at most `bytesMax` bytes of them; throws REMOTE_INVALID at the first one too many, REMOTE_AWAY
 * where they come too slowly. Only waiting for them counts, and none may be `silenceMs` after the other anyway.
 */
export async function* cappedStream(
  pieces: AsyncIterable<Uint8Array>,
  bytesMax: number,
  path: string,
  nowMs: () => number,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  let waitedMs = 0;
  let askedAtMs = nowMs();
  for await (const piece of pieces) {
    size += piece.length;
    if (size > bytesMax) throw tooLarge(path, bytesMax);
    waitedMs += nowMs() - askedAtMs;
    if (waitedMs > GRACE_MS + (size / BYTES_A_SECOND_MIN) * 1000) {
      throw new RemoteError("REMOTE_AWAY", `${path}: comes too slowly to ever be there`, { path });
    }
    yield piece;
    askedAtMs = nowMs();
  }
}

/** A body in one piece, at most `bytesMax` bytes of it; throws REMOTE_INVALID. */
export async function collectCapped(
  pieces: AsyncIterable<Uint8Array>,
  bytesMax: number,
  path: string,
  nowMs: () => number,
): Promise<Buffer> {
  const taken: Uint8Array[] = [];
  for await (const piece of cappedStream(pieces, bytesMax, path, nowMs)) taken.push(piece);
  return Buffer.concat(taken);
}

/** Refuses a body before it is read, where its length is told. */
export function assertWithin(length: number | undefined, bytesMax: number, path: string): void {
  if (length !== undefined && length > bytesMax) throw tooLarge(path, bytesMax);
}

function tooLarge(path: string, bytesMax: number): RemoteError {
  const message = `${path}: holds more than the ${bytesMax} bytes allowed`;
  return new RemoteError("REMOTE_INVALID", message, { path });
}
