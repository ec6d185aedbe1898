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
