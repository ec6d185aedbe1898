import { Failure, type FailureParts, isFailure } from "../base/failure.ts";
import { printableLine } from "../base/plain-text.ts";
import type { TrustedKey } from "../store/read/manifest-signature.ts";
import type { SnapshotDisk } from "../store/write/snapshot-disk.ts";

/** A small file as it was read: its bytes, and the ETag if the storage sends one. */
export interface RemoteFile {
  readonly bytes: Buffer;
  readonly etag: string | undefined;
}

/** Remote storage that versions are read from. Paths are relative to it; every call may throw `RemoteFailure`. */
export interface RemoteReader {
  /** Its address for logs, without secrets or a query. */
  readonly name: string;
  /** A file of at most `bytesMax` bytes; `unchanged` if it still has `knownEtag`, undefined if it does not exist. */
  readonly readSmall: (
    path: string,
    bytesMax: number,
    knownEtag?: string,
    signal?: AbortSignal,
  ) => Promise<RemoteFile | "unchanged" | undefined>;
  /** Streams a file; throws after `bytesMax` bytes, and `REMOTE_MISSING` if it does not exist. */
  readonly read: (path: string, bytesMax: number, signal?: AbortSignal) => AsyncIterable<Uint8Array>;
  readonly close: () => void;
}

/** A file of a version: the content of its path never changes, so caches may keep it forever. */
export interface RemoteUpload {
  /** The bytes, or the path of a local file. */
  readonly content: Buffer | { readonly localPath: string };
  readonly bytes: number;
  readonly sha256: string;
  readonly mediaType: string;
}

export interface RemoteWriter extends RemoteReader {
  readonly write: (path: string, file: RemoteUpload) => Promise<void>;
  /** The SHA-256 stored with a file; undefined if it is not known, or the file does not exist. */
  readonly sha256Of: (path: string) => Promise<string | undefined>;
  /**
   * Atomically writes a small file if it still has `expectedEtag` (undefined: if it does not exist); returns whether it
   * did. Never retries. Throws `REMOTE_AWAY` if the response is lost; the caller must then read the file back.
   */
  readonly swap: (path: string, bytes: Buffer, expectedEtag: string | undefined) => Promise<boolean>;
  /** All files whose path begins with `prefix`. */
  readonly list: (prefix: string) => Promise<readonly { readonly path: string; readonly bytes: number }[]>;
  /** The distinct top-level folders: versions and anything else. */
  readonly listFolders: () => Promise<readonly string[]>;
  readonly remove: (paths: readonly string[]) => Promise<void>;
}

export interface TransferProgress {
  readonly filesDone: number;
  readonly filesTotal: number;
  readonly bytesDone: number;
  readonly bytesTotal: number;
}

export interface PullVersionOptions {
  readonly reader: RemoteReader;
  /** The local root; its publish lock is held during the pull. */
  readonly disk: SnapshotDisk;
  /** Lower sequences are refused as rollbacks, in addition to those below the local pointer's. */
  readonly sequenceMin?: number | undefined;
  /** Accepts a lower sequence than the local pointer's, but never one below `sequenceMin`. */
  readonly allowsRollback?: boolean | undefined;
  /** A version that none of these keys has signed is refused with `SNAPSHOT_UNSIGNED`; absent: none has to be signed. */
  readonly trustedKeys?: readonly TrustedKey[] | undefined;
  /** Selects files by their path in the version; absent: all. Manifest and signature are always pulled. */
  readonly wanted?: ((path: string) => boolean) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: TransferProgress) => void) | undefined;
}

/** Every error code of remote storage; callers may switch on these. */
export const REMOTE_ERROR_CODES = [
  /** No response, or one that was incomplete or too slow: the same call may succeed later. */
  "REMOTE_AWAY",
  /** The storage denies access. */
  "REMOTE_REFUSED",
  /** There is nothing at this address, or a required file is missing. */
  "REMOTE_MISSING",
  /** Another publisher has published there meanwhile. */
  "REMOTE_MOVED",
  /** Two reads are not consistent yet: the pointer is newer than the files it names, or older than one seen before. */
  "REMOTE_STALE",
  /** The content is wrong: too large, with another hash, or forged. */
  "REMOTE_INVALID",
  /** The address itself cannot be used. */
  "REMOTE_ADDRESS",
] as const;
export type RemoteErrorCode = (typeof REMOTE_ERROR_CODES)[number];

/** A message may contain keys of a foreign document. */
const MESSAGE_LENGTH_MAX = 600;

export type RemoteFailure = Failure<RemoteErrorCode>;

/** A failure of remote storage; the message names the file by its path below the address, without a credential. */
export function remoteFailure(code: RemoteErrorCode, message: string, parts?: FailureParts): RemoteFailure {
  return new Failure(code, printableLine(message.slice(0, MESSAGE_LENGTH_MAX)), parts);
}

export const isRemoteFailure = (error: unknown): error is RemoteFailure =>
  isFailure(error, REMOTE_ERROR_CODES);

export function fileRefused(
  code: RemoteErrorCode,
  { name }: Pick<RemoteReader, "name">,
  path: string,
  why: string,
): RemoteFailure {
  return remoteFailure(code, `${name}: ${path} ${why}`, { path });
}
