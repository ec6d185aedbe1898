import { type Logger, pino } from "pino";

/** Where log lines go; each call writes one line, ended by a newline. */
export interface LogStream {
  write(line: string): void;
}

/** The log of this program: one JSON object per line. */
export type Log = Logger;

/** Creates a log that writes lines at `level` or above to `stream`. */
export function createLog(stream: LogStream, level: string): Log {
  return pino({ level, base: null }, stream);
}

/**
 * Returns what may be logged of an error: its kind, where it happened, its code, and the codes of its cause and of the
 * first cause of all. Omits its message, which could contain an id.
 */
export function describeError(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { error: typeof error };
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  const [cause, ...deeper] = codesOfCauses(error);
  return { error: error.name, code, frames, cause, reason: deeper.at(-1) };
}

function codesOfCauses({ cause }: Error): readonly string[] {
  if (!(cause instanceof Error)) return [];
  return [...("code" in cause ? [String(cause.code)] : []), ...codesOfCauses(cause)];
}

/** Where lines are written; `writableLength` is the number of bytes not yet written. */
interface LineSink {
  /** Calls `done` when the text is written or has failed. */
  write(text: string, done?: (error?: Error | null) => void): unknown;
  readonly writableLength?: number | undefined;
}

/** The most characters buffered before a write. */
const BUFFER_MAX = 64 * 1024;

/** The most bytes that may be unwritten in a sink: a hanging reader must not fill our memory. */
const BEHIND_MAX = 4 * 1024 * 1024;

/** Buffers lines and writes them at once; never throws, and drops lines if the sink is closed, full or hanging. */
export function bufferLines(sink: LineSink, { bufferMax = BUFFER_MAX, behindMax = BEHIND_MAX } = {}) {
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
      // Serving continues even if the log's disk is full.
      dropped += count;
    }
  };
  return {
    write: (line: string): void => {
      text += line;
      lines += 1;
      if (text.length >= bufferMax) flush();
    },
    /** Writes the buffered lines; call it periodically and at the end. */
    flush,
    /** The number of lines that could not be written so far. */
    dropped: () => dropped,
  };
}
