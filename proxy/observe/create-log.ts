import { type Logger, pino } from "pino";

/** Where log lines go; each call writes one line, ended by a newline. */
export interface LogStream {
  write(line: string): void;
}

export type Log = Logger;

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
  write(text: string, done?: (error?: Error | null) => void): unknown;
  readonly writableLength?: number | undefined;
}

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
    dropped: () => dropped,
  };
}

/** What failed: a key lookup, a charge or refund of one request, or the commit of all waiting ones. */
export type FailedStore = "keys" | "quota" | "quota commit";

/** The time between two lines of one kind: a full disk fails every request, and more lines would add nothing. */
const EVERY_MS = 1_000;

/** The most kinds remembered. There are few in practice; the limit only bounds the memory. */
const KINDS_MAX = 64;

/**
 * Logs store failures: one line per second and kind, with the number of failures it represents. A failed commit is one
 * failure, regardless of how many requests waited for it. `onDropped` is called for each failure without a line.
 */
export function logStoreFailures(
  log: Log,
  { nowMs, onDropped }: { readonly nowMs: () => number; readonly onDropped: () => void },
): (where: FailedStore, error: unknown) => void {
  const kinds = new Map<string, { lineAtMs: number; unlogged: number }>();
  const seen = new WeakSet<object>();
  return (where, error) => {
    if (typeof error === "object" && error !== null) {
      if (seen.has(error)) return;
      seen.add(error);
    }
    const { frames, ...words } = describeError(error);
    const kind = JSON.stringify([where, words]);
    const last = kinds.get(kind);
    const ageMs = nowMs() - (last?.lineAtMs ?? Number.NEGATIVE_INFINITY);
    // A clock set back silences nothing.
    if (last !== undefined && ageMs >= 0 && ageMs < EVERY_MS) {
      last.unlogged += 1;
      return onDropped();
    }
    if (kinds.size >= KINDS_MAX) kinds.clear();
    kinds.set(kind, { lineAtMs: nowMs(), unlogged: 0 });
    const failures = last === undefined || last.unlogged === 0 ? undefined : 1 + last.unlogged;
    log.error({ where, ...words, failures, frames }, "store failed");
  };
}
