import type { Readable } from "node:stream";
import { fileRefused, RemoteError, type RemoteReader } from "./remote-store.ts";

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
      throw new RemoteError("REMOTE_AWAY", `${path}: arrives too slowly`, { path });
    }
    yield piece;
    askedAtMs = nowMs();
  }
}

/** A file that a place answered with. */
interface OpenedFile {
  readonly body: Readable;
  /** As far as the answer says. */
  readonly length: number | undefined;
  readonly etag: string | undefined;
}

/** How one place is asked for a file, and what becomes of an error on the way. */
interface Asked {
  readonly name: string;
  readonly nowMs: () => number;
  readonly open: (
    path: string,
    knownEtag: string | undefined,
    signal: AbortSignal | undefined,
  ) => Promise<OpenedFile | "unchanged" | undefined>;
  readonly failure: (error: unknown, path: string, signal: AbortSignal | undefined) => unknown;
}

/** The reads of a remote place, bounded in size and time. */
export function cappedReads({ name, nowMs, open, failure }: Asked): Pick<RemoteReader, "read" | "readSmall"> {
  const piecesOf = ({ body, length }: OpenedFile, bytesMax: number, path: string) => {
    if (length === undefined || length <= bytesMax) return cappedStream(body, bytesMax, path, nowMs);
    abandon(body);
    throw tooLarge(path, bytesMax);
  };
  return {
    async *read(path, bytesMax, signal) {
      try {
        const opened = await open(path, undefined, signal);
        if (typeof opened !== "object") throw fileRefused("REMOTE_MISSING", { name }, path, "is not there");
        yield* piecesOf(opened, bytesMax, path);
      } catch (error) {
        throw failure(error, path, signal);
      }
    },
    async readSmall(path, bytesMax, knownEtag, signal) {
      try {
        const opened = await open(path, knownEtag, signal);
        if (typeof opened !== "object") return opened;
        const pieces: Uint8Array[] = [];
        for await (const piece of piecesOf(opened, bytesMax, path)) pieces.push(piece);
        return { bytes: Buffer.concat(pieces), etag: opened.etag };
      } catch (error) {
        throw failure(error, path, signal);
      }
    },
  };
}

/** What is not wanted need not come; that it was broken off is no news. */
export function abandon(body: Readable): void {
  body.once("error", () => {});
  body.destroy();
}

function tooLarge(path: string, bytesMax: number): RemoteError {
  const message = `${path}: holds more than the ${bytesMax} bytes allowed`;
  return new RemoteError("REMOTE_INVALID", message, { path });
}
