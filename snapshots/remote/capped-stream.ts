import type { Readable } from "node:stream";
import { fileRefused, type RemoteFailure, type RemoteReader, remoteFailure } from "./remote-store.ts";

/** Time limit for a body: this long, plus a second per `BYTES_A_SECOND_MIN`. A trickling body could be endless. */
const GRACE_MS = 30_000;
const BYTES_A_SECOND_MIN = 1024;

/**
 * Yields the pieces of a body. Throws REMOTE_INVALID after `bytesMax` bytes and REMOTE_AWAY if they arrive too slowly.
 * Only the time spent waiting counts; the client already limits each single gap to `silenceMs`.
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
      throw remoteFailure("REMOTE_AWAY", `${path}: arrives too slowly`, { path });
    }
    yield piece;
    askedAtMs = nowMs();
  }
}

interface OpenedFile {
  readonly body: Readable;
  readonly length: number | undefined;
  readonly etag: string | undefined;
}

interface FileSource {
  readonly name: string;
  readonly nowMs: () => number;
  readonly open: (
    path: string,
    knownEtag: string | undefined,
    signal: AbortSignal | undefined,
  ) => Promise<OpenedFile | "unchanged" | undefined>;
  readonly failure: (error: unknown, path: string, signal: AbortSignal | undefined) => unknown;
}

export function cappedReads({
  name,
  nowMs,
  open,
  failure,
}: FileSource): Pick<RemoteReader, "read" | "readSmall"> {
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

/** Discards a body and ignores the error that this causes. */
export function abandon(body: Readable): void {
  body.once("error", () => {});
  body.destroy();
}

function tooLarge(path: string, bytesMax: number): RemoteFailure {
  const message = `${path}: is larger than the ${bytesMax} bytes allowed`;
  return remoteFailure("REMOTE_INVALID", message, { path });
}
