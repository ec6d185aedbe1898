export interface FailureParts<Data = unknown> {
  readonly hint?: string | undefined;
  readonly path?: string | undefined;
  readonly cause?: unknown;
  readonly isPassing?: boolean;
  readonly data?: Data;
}

/**
 * An expected failure: a stable code, and a message that says what failed and where, without a path of this machine or a
 * secret. What the system or a library threw is its `cause`.
 */
export class Failure<Code extends string = string, Data = unknown> extends Error {
  override readonly name = "Failure";
  readonly code: Code;
  readonly hint: string | undefined;
  /** The file or document concerned, relative to the folder or the storage that it is in. */
  readonly path: string | undefined;
  /** The cause may pass by itself, as with a server that is away: the same request may succeed later. */
  readonly isPassing: boolean;
  readonly data: Data | undefined;

  constructor(code: Code, message: string, parts: FailureParts<Data> = {}) {
    super(message, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.code = code;
    this.hint = parts.hint;
    this.path = parts.path;
    this.isPassing = parts.isPassing ?? false;
    this.data = parts.data;
  }
}

export function isFailure<Code extends string>(
  error: unknown,
  codes: readonly Code[],
): error is Failure<Code> {
  return error instanceof Failure && (codes as readonly string[]).includes(error.code);
}

/** The code of an error of the system, of SQLite or of a library, such as `ENOENT`; `undefined` without one. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

/** The code of an error that a call of the system returned, which our own failures and libraries do not have. */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && "syscall" in error ? errorCode(error) : undefined;
}

const REASONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    EACCES: "permission denied",
    EPERM: "operation not permitted",
    EROFS: "its disk is read-only",
    ENOSPC: "the disk is full",
    EDQUOT: "this user's disk quota is used up",
    EIO: "the disk failed",
    EISDIR: "it is a folder",
    ENOTDIR: "a part of its path is not a folder",
    ELOOP: "its links form a loop",
    ENAMETOOLONG: "its path is too long",
    EMFILE: "this process has too many files open",
    ENFILE: "this machine has too many files open",
    SQLITE_FULL: "the disk is full",
    SQLITE_READONLY: "the file or its disk is read-only",
    SQLITE_IOERR: "the disk failed",
    SQLITE_CANTOPEN: "its folder or its permissions do not allow it",
    SQLITE_BUSY: "another command is writing to it",
    SQLITE_CORRUPT: "it is damaged",
    SQLITE_NOTADB: "it is not a database",
  }),
);

/** The explanation of a code; SQLite's codes may have a suffix, as in `SQLITE_IOERR_WRITE`. */
export function reasonOfCode(code: string): string | undefined {
  return REASONS.get(code) ?? REASONS.get(code.split("_").slice(0, 2).join("_"));
}
