/** Every way the deny list refuses; callers may switch on these. */
export const OPT_OUTS_ERROR_CODES = ["OPT_OUTS_MISSING", "OPT_OUTS_UNREADABLE"] as const;
export type OptOutsErrorCode = (typeof OPT_OUTS_ERROR_CODES)[number];

/** A deny list that cannot be asked: a stable code and a sentence, without a path of the machine; the system's own words stay in `cause`. */
export class OptOutsError extends Error {
  override readonly name = "OptOutsError";
  readonly code: OptOutsErrorCode;

  constructor(code: OptOutsErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** What went wrong with the file, as a refusal: a file that is not there is told apart from one that cannot be read. */
export function optOutsError(error: unknown): OptOutsError {
  if (error instanceof OptOutsError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
  if (code === "ENOENT" || code === "ENOTDIR") {
    return new OptOutsError("OPT_OUTS_MISSING", "there is no list of live opt-outs", error);
  }
  return new OptOutsError("OPT_OUTS_UNREADABLE", `the list of live opt-outs cannot be used (${code})`, error);
}
