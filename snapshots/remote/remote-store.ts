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

/** What a remote place says lies at a path. */
export interface RemoteEntry {
  readonly path: string;
  readonly bytes: number;
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
  readonly list: (prefix: string, signal?: AbortSignal) => Promise<readonly RemoteEntry[]>;
  /** The first parts of all paths, each once: versions and what else lies there. */
  readonly listFolders: (signal?: AbortSignal) => Promise<readonly string[]>;
  /** Deletes files; one that is not there is no fault. */
  readonly remove: (paths: readonly string[], signal?: AbortSignal) => Promise<void>;
}
