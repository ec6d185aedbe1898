import type { FollowProcess } from "../follow/supervise.ts";
import type { RandomBytes } from "../keys/key-format.ts";
import type { Environment } from "../settings.ts";
import type { RemoteStatus } from "../snapshot/snapshot-source.ts";

/** A stream that text is written to. */
export interface TextSink {
  write(text: string, done?: (error?: Error | null) => void): unknown;
  /** Bytes it was given and has not got rid of, where it knows. */
  readonly writableLength?: number;
  /** How wide it is, where it is a terminal. */
  readonly columns?: number;
}

/** What the world gives to a command; tests give their own. */
export interface CommandWorld {
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly environment: Environment;
  readonly nowMs: () => number;
  /** A finer clock for how long something took, which nobody sets. */
  readonly monotonicMs: () => number;
  readonly randomBytes: RandomBytes;
  /** Calls back at each request to stop; returns the way to stop listening. */
  readonly onStopSignal: (stop: () => void) => () => void;
  /** Writes to stdout and comes back when the text has left this process; rejects where it cannot. */
  readonly deliver: (text: string) => Promise<void>;
  /** The first line that comes on stdin, or what comes before its end. */
  readonly readLine: () => Promise<string>;
  /** Whether whatever is written to stdout is lost: it was closed, or leads to the null device. */
  readonly isStdoutNowhere: () => boolean;
  /** How many files this process may have open at once, where the system says. */
  readonly openFilesMax: () => number | undefined;
  /** Starts this program once more, with these words and this environment, to follow a remote address. */
  readonly startFollower: (words: readonly string[], environment: Environment) => FollowProcess;
  /** The server that this process follows for, where one started it. */
  readonly parent?: {
    readonly report: (status: RemoteStatus) => void;
    /** Calls back when that server is gone, however it ended. */
    readonly onGone: (end: () => void) => void;
  };
  /** Calls back when the process ends, whatever ends it; returns the way to stop listening. */
  readonly onExit: (task: () => void) => () => void;
}

/** Exit code after two requests to stop: it did not finish. */
export const CUT_SHORT = 130;

/** Waits for the first request to stop and does so; resolves at once at the second. True when everything finished. */
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
