import { RemoteError } from "./remote-error.ts";

/** The pieces of a body, at most `bytesMax` bytes of them; throws REMOTE_INVALID at the first one too many. */
export async function* cappedStream(
  pieces: AsyncIterable<Uint8Array>,
  bytesMax: number,
  path: string,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > bytesMax) throw tooLarge(path, bytesMax);
    yield piece;
  }
}

/** A body in one piece, at most `bytesMax` bytes of it; throws REMOTE_INVALID. */
export async function collectCapped(
  pieces: AsyncIterable<Uint8Array>,
  bytesMax: number,
  path: string,
): Promise<Buffer> {
  const taken: Uint8Array[] = [];
  for await (const piece of cappedStream(pieces, bytesMax, path)) taken.push(piece);
  return Buffer.concat(taken);
}

/** Refuses a body before it is read, where its length is told. */
export function assertWithin(length: number | undefined, bytesMax: number, path: string): void {
  if (length !== undefined && length > bytesMax) throw tooLarge(path, bytesMax);
}

function tooLarge(path: string, bytesMax: number): RemoteError {
  return new RemoteError("REMOTE_INVALID", `${path}: holds more than the ${bytesMax} bytes allowed`, {
    path,
  });
}
