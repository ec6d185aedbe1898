import { replaceUnsafe } from "../format/text.ts";
import type { TrustedKey } from "../store/read/manifest-signature.ts";
import type { SnapshotDisk } from "../store/write/snapshot-disk.ts";

/** A small file as it was read: its bytes, and the mark that changes with them where the place gives one. */
export interface RemoteFile {
  readonly bytes: Buffer;
  readonly etag: string | undefined;
}

/** A remote place that versions are read from. Paths are relative to it; every call may throw `RemoteError`. */
export interface RemoteReader {
  /** Where it is, in words fit for a log: no secret, no query. */
  readonly name: string;
  /** A file of at most `bytesMax` bytes; `unchanged` where it still has `knownEtag`, undefined where it is not there. */
  readonly readSmall: (
    path: string,
    bytesMax: number,
    knownEtag?: string,
    signal?: AbortSignal,
  ) => Promise<RemoteFile | "unchanged" | undefined>;
  /** The bytes of a file as they come; throws after `bytesMax`, and `REMOTE_MISSING` where it is not there. */
  readonly read: (path: string, bytesMax: number, signal?: AbortSignal) => AsyncIterable<Uint8Array>;
  /** Lets its connections go. */
  readonly close: () => void;
}

/** A file on its way to a remote place. */
export interface RemoteUpload {
  /** The bytes themselves, or where they lie on this machine. */
  readonly content: Buffer | { readonly localPath: string };
  readonly bytes: number;
  readonly sha256: string;
  readonly mediaType: string;
  /** Whether the path will never hold other bytes, so that anybody may keep it for ever. */
  readonly isImmutable: boolean;
}

/** A remote place that versions are written to. */
export interface RemoteWriter extends RemoteReader {
  /** Writes a file whole, whatever is there. */
  readonly write: (path: string, file: RemoteUpload, signal?: AbortSignal) => Promise<void>;
  /** The size and the SHA-256 that was written beside a file, as far as they are known; undefined where it is not there. */
  readonly inspect: (
    path: string,
    signal?: AbortSignal,
  ) => Promise<{ readonly bytes: number; readonly sha256: string | undefined } | undefined>;
  /**
   * Writes a small file where it still has `expectedEtag` (undefined: where nothing is there), in one step and once:
   * `moved` where it has not. An answer that never came throws `REMOTE_AWAY`: the caller reads back and judges.
   */
  readonly swap: (
    path: string,
    bytes: Buffer,
    expectedEtag: string | undefined,
  ) => Promise<{ readonly etag: string | undefined } | "moved">;
  /** Whether this place refuses a conditional write whose condition does not hold; asked once, by trying. */
  readonly refusesConflicts: () => Promise<boolean>;
  /** All files whose path begins with `prefix`. */
  readonly list: (
    prefix: string,
    signal?: AbortSignal,
  ) => Promise<readonly { readonly path: string; readonly bytes: number }[]>;
  /** The first parts of all paths, each once: versions and what else lies there. */
  readonly listFolders: (signal?: AbortSignal) => Promise<readonly string[]>;
  /** Deletes files; one that is not there is no fault. */
  readonly remove: (paths: readonly string[], signal?: AbortSignal) => Promise<void>;
}

/** How far a version on its way is. */
export interface TransferProgress {
  readonly filesDone: number;
  readonly filesTotal: number;
  readonly bytesDone: number;
  readonly bytesTotal: number;
}

/** What to pull, from where, to where, and whom to believe. */
export interface PullVersionOptions {
  readonly reader: RemoteReader;
  /** Of the local root; its publish lock is taken for the time of the pull. */
  readonly disk: SnapshotDisk;
  /** Of the remote pointer at the last pull: one request without a body where it is still the same. */
  readonly knownEtag?: string | undefined;
  /** The lowest sequence that is no rollback, beside that of the local pointer. */
  readonly sequenceMin?: number | undefined;
  /** Takes a lower sequence than the local pointer's; never one below `sequenceMin`. */
  readonly allowsRollback?: boolean | undefined;
  /** A version that none of these keys has signed is refused with `SNAPSHOT_UNSIGNED`; absent, nobody is asked. */
  readonly trustedKeys?: readonly TrustedKey[] | undefined;
  /** Which files to take, by their path in the version; all of them where absent. Manifest and signature always come. */
  readonly wanted?: ((path: string) => boolean) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: TransferProgress) => void) | undefined;
}

/** Every way a remote place refuses; callers may switch on these. */
export const REMOTE_ERROR_CODES = [
  /** Nobody answers, or what came was cut or too slow: the same call may end well later. */
  "REMOTE_AWAY",
  /** It answers, and does not let us in. */
  "REMOTE_REFUSED",
  /** There is nothing at this address, or not what must be there. */
  "REMOTE_MISSING",
  /** Somebody else has published there meanwhile. */
  "REMOTE_MOVED",
  /** Two reads do not belong together yet: a pointer that is newer than what it names, or older than one seen before. */
  "REMOTE_STALE",
  /** What is there is not what must be: too large, of another hash, forged. */
  "REMOTE_INVALID",
  /** The address itself cannot be used. */
  "REMOTE_ADDRESS",
] as const;
export type RemoteErrorCode = (typeof REMOTE_ERROR_CODES)[number];

const MESSAGE_LENGTH_MAX = 600;

/** A key of a foreign document must not steer whoever's terminal. */
function plainText(message: string): string {
  return replaceUnsafe(message.slice(0, MESSAGE_LENGTH_MAX), "?");
}

/**
 * A refusal of a remote place: a stable code, and a sentence that names the file by its place under the address. It
 * holds no credential and no signed address; what the client said stays in `cause`.
 */
export class RemoteError extends Error {
  override readonly name = "RemoteError";
  readonly code: RemoteErrorCode;
  /** The file concerned, relative to the address. */
  readonly path: string | undefined;

  constructor(code: RemoteErrorCode, message: string, options?: { path?: string; cause?: unknown }) {
    super(plainText(message), options?.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.path = options?.path;
  }
}

/** The refusal of one file at a remote place. */
export function fileRefused(
  code: RemoteErrorCode,
  { name }: Pick<RemoteReader, "name">,
  path: string,
  why: string,
): RemoteError {
  return new RemoteError(code, `${name}: ${path} ${why}`, { path });
}
