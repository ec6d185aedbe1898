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

/**
 * What may be logged of an error: its kind, where it happened and the system's code, without its message, which could
 * hold an id.
 */
export function describeError(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { error: typeof error };
  const { code } = error as { readonly code?: unknown };
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  const { cause } = error;
  return {
    error: error.name,
    code: typeof code === "string" ? code : undefined,
    frames,
    cause: cause instanceof Error && "code" in cause ? String(cause.code) : undefined,
  };
}

/** Where the lines are written; `writableLength` is what it was given and has not written yet. */
interface LineSink {
  /** Calls back when the text is written, or could not be. */
  write(text: string, done?: (error?: Error | null) => void): unknown;
  readonly writableLength?: number;
}

/** A log stream that writes many lines at a time. */
interface BufferedLines extends LogStream {
  /** Writes what waits; call it now and then, and at the end. */
  readonly flush: () => void;
  /** Lines that could not be written, since the beginning. */
  readonly dropped: () => number;
}

/** Characters that wait at most before they are written. */
const BUFFER_MAX = 64 * 1024;

/** Bytes that may wait in a sink: a reader that hangs must not fill our memory. */
const BEHIND_MAX = 4 * 1024 * 1024;

/** Gathers lines and writes them in one piece; never throws, and drops what a closed, full or hanging sink does not take. */
export function bufferLines(
  sink: LineSink,
  { bufferMax = BUFFER_MAX, behindMax = BEHIND_MAX }: { bufferMax?: number; behindMax?: number } = {},
): BufferedLines {
  let text = "";
  let lines = 0;
  let dropped = 0;
  const flush = (): void => {
    if (lines === 0) return;
    const [batch, count] = [text, lines];
    text = "";
    lines = 0;
    if ((sink.writableLength ?? 0) > behindMax) {
      dropped += count;
      return;
    }
    try {
      sink.write(batch, (error) => {
        if (error) dropped += count;
      });
    } catch {
      // A full disk under the log is no reason to stop serving.
      dropped += count;
    }
  };
  return {
    write: (line) => {
      text += line;
      lines += 1;
      if (text.length >= bufferMax) flush();
    },
    flush,
    dropped: () => dropped,
  };
}
