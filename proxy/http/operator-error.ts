/** Every way a command can fail that its user can do something about, and the exit code it gives. */
export const OPERATOR_EXIT_CODES = {
  USAGE: 2,
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
export type OperatorErrorCode = keyof typeof OPERATOR_EXIT_CODES;

/** An expected failure of a command: a stable code, a sentence that says what and where, and what to do next. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
  readonly code: OperatorErrorCode;
  readonly hint: string;

  constructor(code: OperatorErrorCode, message: string, hint: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.hint = hint;
  }
}
