import type { RemoteProblem, RemoteStatus } from "../snapshot/snapshot-source.ts";

/** A process that follows, as the one that started it sees it. */
export interface FollowProcess {
  /** Calls back with each status that it reports. */
  readonly onStatus: (listener: (status: RemoteStatus) => void) => void;
  /** How it ended, in a word; never rejects. */
  readonly ended: Promise<string>;
  readonly kill: (signal: "SIGTERM" | "SIGKILL") => void;
}

/** What the supervisor needs. */
export interface SupervisorParts {
  readonly start: () => FollowProcess;
  readonly nowMs: () => number;
  /** Waits so long, or until the signal ends it; never rejects. */
  readonly rest: (waitMs: number, signal: AbortSignal) => Promise<void>;
  /** Called at each end that nobody asked for. */
  readonly onEnd: (ended: { readonly how: string; readonly againInMs: number }) => void;
}

/** A process that follows, started again whenever it ends. */
export interface SupervisedFollower {
  readonly status: () => RemoteStatus;
  /** Comes back at the first status after which `isSettled` says so, at the latest after `mostMs` or at the end. */
  readonly settled: (isSettled: (status: RemoteStatus) => boolean, mostMs: number) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** It is started again after so long, doubling while it does not last. */
const AGAIN_FIRST_MS = 1_000;
const AGAIN_MOST_MS = 30_000;

/** A process that lasted so long had begun well. */
const LASTED_MS = 60_000;

/** A process that is asked to end gets so long. */
const STOP_MOST_MS = 2_000;

const DIED: RemoteProblem = "REMOTE_FAILED";

/** Starts the process that follows, and starts it again after a pause when it ends; serving goes on meanwhile. */
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
