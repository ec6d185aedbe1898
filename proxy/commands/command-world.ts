import type { Environment } from "../../snapshots/base/command-line/settings.ts";
import { printable } from "../../snapshots/base/plain-text.ts";
import type { RandomBytes } from "../keys/key-format.ts";

export interface TextSink {
  write(text: string, done?: (error?: Error | null) => void): unknown;
  readonly writableLength?: number | undefined;
  readonly columns?: number | undefined;
}

/** A sink to which no text from outside, such as a key of a forged version, passes on what would steer a terminal. */
export function printableSink(sink: TextSink): TextSink {
  return {
    write: (text, done) => sink.write(printable(text), done),
    get writableLength() {
      return sink.writableLength;
    },
    get columns() {
      return sink.columns;
    },
  };
}

export interface CommandWorld {
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly environment: Environment;
  readonly nowMs: () => number;
  /** A finer clock for durations, which is never set back. */
  readonly monotonicMs: () => number;
  readonly randomBytes: RandomBytes;
  /** Calls the listener at each request to stop; returns a function that removes it. */
  readonly onStopSignal: (stop: () => void) => () => void;
  /** Writes to stdout; resolves when the text has left this process, rejects if it cannot be written. */
  readonly deliver: (text: string) => Promise<void>;
  /** Reads the first line of stdin, or everything if stdin ends before a newline. */
  readonly readLine: () => Promise<string>;
  /** Whether output to stdout is lost, because it is closed or the null device. */
  readonly isStdoutNowhere: () => boolean;
  readonly openFilesMax: () => number | undefined;
  /** Calls the listener when the process ends, for any reason; returns a function that removes it. */
  readonly onExit: (task: () => void) => () => void;
}

/** Exit code after two requests to stop: it did not finish. */
export const CUT_SHORT = 130;

/** Stops at the first request to stop; resolves at once at a second one. Returns true if everything finished. */
export function stopped(world: CommandWorld, stop: () => Promise<unknown>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let signals = 0;
    const unsubscribe = world.onStopSignal(() => {
      signals += 1;
      if (signals > 1) {
        unsubscribe();
        resolve(false);
        return;
      }
      stop().then(() => {
        unsubscribe();
        resolve(true);
      }, reject);
    });
  });
}
