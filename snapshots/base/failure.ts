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
