/** Why Redis cannot be counted in at this moment: each is a 503 and one word in the log. */
export type QuotaLoss = "QUOTA_DATA_LOST" | "QUOTA_CLOCKS_APART" | "QUOTA_ANSWER_INVALID";

/** What Redis holds is not what was counted in, or it answered nonsense: to count on could give units a second time. */
export class QuotaLostError extends Error {
  override readonly name = "QuotaLostError";
  readonly code: QuotaLoss;

  constructor(code: QuotaLoss, message: string) {
    super(message);
    this.code = code;
  }
}

/** An answer that no script of ours gives. */
export function answerInvalid(what: string): QuotaLostError {
  return new QuotaLostError("QUOTA_ANSWER_INVALID", `Redis answered nonsense: ${what}`);
}

/** So many whole numbers, as a script answers them. */
export function wholeNumbers(reply: unknown, count: number): readonly number[] {
  const numbers = Array.isArray(reply) ? reply.filter(Number.isSafeInteger) : [];
  if (numbers.length !== count) throw answerInvalid("whole numbers were expected");
  return numbers;
}
