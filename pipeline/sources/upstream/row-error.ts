import type { z } from "zod";

/** Why a row of input is not taken as it stands. Codes are stable; they are counted and published. */
export const ROW_ERROR_CODES = [
  "BAD_JSON",
  "BAD_SHAPE",
  "ROW_TOO_LONG",
  "ADDRESS_INVALID",
  "ID_INVALID",
  "TIME_IMPOSSIBLE",
  "ENDS_BEFORE_START",
  "POWER_INVALID",
  "PROPOSAL_DUPLICATE",
  "PROPOSAL_UNKNOWN",
  "DELEGATE_DUPLICATE",
  "LIST_DATE_INVALID",
  "NAME_UNSAFE",
  "LOG_MALFORMED",
  "LOG_DUPLICATE",
] as const;
export type RowErrorCode = (typeof ROW_ERROR_CODES)[number];

/** One row that cannot be taken: a code, and a sentence that holds nothing of the row. */
export class RowError extends Error {
  override readonly name = "RowError";
  readonly code: RowErrorCode;

  constructor(code: RowErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** A value in the shape it should have; throws `RowError` BAD_SHAPE that names the field and never its content. */
export function parseShape<Shape extends z.ZodType>(shape: Shape, value: unknown): z.output<Shape> {
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  // Paths are ours as far as the shape goes; what lies below may be a key that somebody chose.
  const field = issue?.path.slice(0, 1).map(String).join("") ?? "";
  throw new RowError(
    "BAD_SHAPE",
    field === "" ? "it is not such an object" : `${field} is missing or of a wrong type`,
  );
}
