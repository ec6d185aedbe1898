/** Why the counter's file cannot be counted in at the moment; each is a 503 and one word in the log. */
export type QuotaFileProblem = "QUOTA_FILE_CHANGED" | "QUOTA_WENT_BACK" | "QUOTA_DAY_GONE";

/** What lies where the counter lay is not what was counted in: to count on could give units a second time. */
export class QuotaFileError extends Error {
  override readonly name = "QuotaFileError";
  readonly code: QuotaFileProblem;

  constructor(code: QuotaFileProblem, message: string) {
    super(message);
    this.code = code;
  }
}
