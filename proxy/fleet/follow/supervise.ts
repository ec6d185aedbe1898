import type { RemoteProblem, RemoteStatus } from "../../snapshot/snapshot-source.ts";

/** A following process, as seen by its parent. */
export interface FollowProcess {
  /** Calls the listener with each status the process reports. */
  readonly onStatus: (listener: (status: RemoteStatus) => void) => void;
  /** Resolves to a short text on how it ended; never rejects. */
  readonly ended: Promise<string>;
  readonly kill: (signal: "SIGTERM" | "SIGKILL") => void;
}

export interface SupervisorParts {
  readonly start: () => FollowProcess;
  readonly nowMs: () => number;
  /** Waits `waitMs`, or until the signal aborts; never rejects. */
  readonly rest: (waitMs: number, signal: AbortSignal) => Promise<void>;
  /** Called each time the process ends unexpectedly. */
  readonly onEnd: (ended: { readonly how: string; readonly againInMs: number }) => void;
}

/** A following process that is restarted whenever it ends. */
export interface SupervisedFollower {
  readonly status: () => RemoteStatus;
  /** Resolves at the first status for which `isSettled` is true, after `mostMs`, or on `stop`. */
  readonly settled: (isSettled: (status: RemoteStatus) => boolean, mostMs: number) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** The pause before a restart; it doubles while the process keeps ending early. */
const AGAIN_FIRST_MS = 1_000;
const AGAIN_MOST_MS = 30_000;

/** After a process that ran this long, the pause starts at its minimum again. */
const LASTED_MS = 60_000;

/** How long a process may take to end after SIGTERM. */
const STOP_MOST_MS = 2_000;

const DIED: RemoteProblem = "REMOTE_FAILED";

/** Starts the following process and restarts it after a pause when it ends; serving continues meanwhile. */
export function superviseFollower({ start, nowMs, rest, onEnd }: SupervisorParts): SupervisedFollower {
  const ending = new AbortController();
  const listeners = new Set<() => void>();
  let status: RemoteStatus = {
    problem: undefined,
    refusedVersion: undefined,
    upToDateAtMs: undefined,
    bytesPulled: 0,
  };
  let child: FollowProcess | undefined;

  const put = (next: RemoteStatus): void => {
    status = next;
    for (const listener of listeners) listener();
  };

  const supervise = async (): Promise<void> => {
    let againInMs = AGAIN_FIRST_MS;
    while (!ending.signal.aborted) {
      const startedAtMs = nowMs();
      child = start();
      child.onStatus(put);
      const how = await child.ended;
      if (ending.signal.aborted) return;
      if (nowMs() - startedAtMs >= LASTED_MS) againInMs = AGAIN_FIRST_MS;
      onEnd({ how, againInMs });
      put({ ...status, problem: DIED, refusedVersion: undefined });
      await rest(againInMs, ending.signal);
      againInMs = Math.min(AGAIN_MOST_MS, againInMs * 2);
    }
  };
  const supervised = supervise();

  return {
    status: () => status,
    settled: async (isSettled, mostMs) => {
      const settled = new AbortController();
      const look = () => {
        if (isSettled(status)) settled.abort();
      };
      listeners.add(look);
      look();
      await rest(mostMs, AbortSignal.any([settled.signal, ending.signal]));
      listeners.delete(look);
    },
    stop: async () => {
      ending.abort();
      child?.kill("SIGTERM");
      const over = new AbortController();
      await Promise.race([supervised, rest(STOP_MOST_MS, over.signal)]);
      over.abort();
      child?.kill("SIGKILL");
    },
  };
}
