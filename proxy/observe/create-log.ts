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
