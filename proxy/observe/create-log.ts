import { type Logger, pino } from "pino";

/** Where log lines go; one line each, ended by a newline. */
export interface LogStream {
  write(line: string): void;
}

/** The log of this program: one JSON object a line. */
export type Log = Logger;

/** A log that writes into `stream` what is at `level` or above. */
export function createLog(stream: LogStream, level: string): Log {
  return pino({ level, base: null }, stream);
}

/** What may be logged of an error: its kind and where it happened, without its message, which could hold an id. */
export function describeError(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { error: typeof error };
  const code = (error as { readonly code?: unknown }).code;
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return { error: error.name, code: typeof code === "string" ? code : undefined, frames };
}
