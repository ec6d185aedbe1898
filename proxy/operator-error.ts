import { errorCode, Failure, isFailure, reasonOfCode } from "../snapshots/base/failure.ts";

/** Every failure of a command that its user can fix, with its exit code. */
export const OPERATOR_EXIT_CODES = {
  BAD_OPTION: 2,
  TIER_MISSING: 2,
  TIER_BELONGS_TO_ACCOUNT: 2,
  LIMIT_NOT_FOR_TIER: 2,
  ACCOUNT_EXISTS: 1,
  ACCOUNT_UNKNOWN: 1,
  KEY_UNKNOWN: 1,
  KEY_NOT_ACTIVE: 1,
  KEY_ROTATED: 1,
  KEYS_MISSING: 1,
  HOME_UNUSABLE: 1,
  STORE_UNUSABLE: 1,
  STORE_TOO_NEW: 1,
  PEPPER_MISSING: 1,
  PEPPER_INVALID: 1,
  PEPPER_EXPOSED: 1,
  PEPPER_MISMATCH: 1,
  KEY_NOT_SHOWN: 1,
  OPEN_FILES_TOO_FEW: 1,
  ADDRESS_UNUSABLE: 1,
  OPT_OUTS_MISSING: 1,
  OPT_OUTS_UNREADABLE: 1,
  BACKUP_EXISTS: 1,
  BACKUP_UNWRITABLE: 1,
  BACKUP_INVALID: 1,
  HOME_NOT_EMPTY: 1,
  RESTORE_AT_WORK: 1,
  CLOCK_BEHIND: 1,
} as const;
type OperatorErrorCode = keyof typeof OPERATOR_EXIT_CODES;

export type OperatorFailure = Failure<OperatorErrorCode>;

export function operatorFailure(
  code: OperatorErrorCode,
  message: string,
  hint: string,
  cause?: unknown,
): OperatorFailure {
  return new Failure(code, message, { hint, cause });
}

export const isOperatorFailure = (error: unknown): error is OperatorFailure =>
  isFailure(error, Object.keys(OPERATOR_EXIT_CODES));

const HINT = "Check its owner, its permissions and its disk (df) as the user who runs this program.";

/** Explains an error of the system or SQLite, with its code; `undefined` for any other error. */
export function systemReason(error: unknown): string | undefined {
  const code = errorCode(error) ?? "";
  const reason = isOperatorFailure(error) ? undefined : reasonOfCode(code);
  return reason && `${reason} (${code})`;
}

/** Returns an `OperatorFailure` for an error of a disk, its permissions or the system; any other error unchanged. */
export function fileFailure(error: unknown, file: string, hint = HINT): unknown {
  const reason = systemReason(error);
  if (reason === undefined) return error;
  return operatorFailure("HOME_UNUSABLE", `${file} cannot be used: ${reason}.`, hint, error);
}

/** Runs work on a file; turns system errors into `OperatorFailure`. */
export function explainingFileFailures<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw fileFailure(error, file);
  }
}
