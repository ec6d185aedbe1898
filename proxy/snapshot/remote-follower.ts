import type { Pointer } from "../../snapshots/format/manifest.ts";
import type { PullResult } from "../../snapshots/remote/pull-version.ts";
import type { RemotePointer } from "../../snapshots/remote/remote-pointer.ts";
import { createRemoteProblems, type RemoteProblem, type RemoteProblemEvent } from "./remote-problems.ts";

/** How it stands with the place that versions are pulled from. */
export interface RemoteStatus {
  /** Why the copy here may not be what is published there; undefined while it is. */
  readonly problem: RemoteProblem | undefined;
  /** The version that the problem is with, where the pointer could be read. */
  readonly refusedVersion: string | undefined;
  /** When the copy here was last known to be what is published there. */
  readonly upToDateAtMs: number | undefined;
  /** Since the start: what came over the network for versions. */
  readonly bytesPulled: number;
}

/** What happened, for the log. */
export type RemoteEvent =
  | (Omit<Extract<PullResult, { kind: "pulled" }>, "etag"> & { readonly durationMs: number })
  | RemoteProblemEvent;

/** What the follower needs; everything that takes time or touches anything is given to it. */
export interface RemoteFollowerParts {
  /** The remote pointer, or that it has not changed since `knownEtag`; undefined where there is none. */
  readonly look: (
    knownEtag: string | undefined,
  ) => Promise<Pick<RemotePointer, "pointer" | "etag"> | "unchanged" | undefined>;
  /** Brings what the remote pointer names here, whole or not at all. */
  readonly pull: () => Promise<PullResult>;
  /** The pointer of the copy here. */
  readonly here: () => Pointer | undefined;
  /** The highest sequence that was ever served from this home. */
  readonly highest: () => number;
  readonly nowMs: () => number;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly onEvent: (event: RemoteEvent) => void;
}

/** Keeps the copy here what is published elsewhere. */
export interface RemoteFollower {
  /** Looks once and does what is to be done; how many milliseconds later to come again. Never rejects. */
  readonly step: () => Promise<number>;
  readonly status: () => RemoteStatus;
}

/** A pointer that has not changed costs one request without a body. */
const POLL_MS = 1_000;

/** Each wait is up to so much longer, so that proxies which started together do not ask together. */
const JITTER = 0.25;

/**
 * Follows a remote pointer by its ETag. What cannot be had, believed or understood changes nothing here but the status:
 * the copy here stays what it was.
 */
export function createRemoteFollower(parts: RemoteFollowerParts): RemoteFollower {
  const { nowMs } = parts;
  const problems = createRemoteProblems(nowMs, parts.onEvent);
  let last: Pick<RemotePointer, "pointer" | "etag"> | undefined;
  let upToDateAtMs: number | undefined;
  let bytesPulled = 0;

  const isHere = (pointer: Pointer): boolean => {
    const here = parts.here();
    return here?.version === pointer.version && here.sequence === pointer.sequence;
  };

  const accept = (): void => {
    upToDateAtMs = nowMs();
    problems.clear();
  };

  const pull = async (pointer: Pointer): Promise<void> => {
    const beganMs = nowMs();
    const result = await parts.pull();
    if (result.kind === "pulled") {
      bytesPulled += result.bytes;
      const { etag: _, ...told } = result;
      parts.onEvent({ ...told, durationMs: nowMs() - beganMs });
      accept();
      // Nothing came where another process of the same home was faster.
    } else if (isHere(pointer)) accept();
  };

  const follow = async (pointer: Pointer): Promise<void> => {
    try {
      if (isHere(pointer)) return accept();
      if (problems.isWaiting(pointer)) return;
      const lowest = Math.max(parts.here()?.sequence ?? 0, parts.highest());
      if (pointer.sequence < lowest) problems.noteOlder(pointer, lowest);
      else await pull(pointer);
    } catch (error) {
      problems.note(error, pointer);
    }
  };

  const look = async (): Promise<void> => {
    const found = await parts.look(last?.etag);
    if (found !== "unchanged") last = found;
    if (last === undefined) problems.noteMissing();
    else await follow(last.pointer);
  };

  return {
    status: () => ({
      problem: problems.current(),
      refusedVersion: problems.refusedVersion(),
      upToDateAtMs,
      bytesPulled,
    }),
    step: async () => {
      try {
        await look();
      } catch (error) {
        problems.note(error, undefined);
      }
      const waitMs = Math.max(POLL_MS, problems.restMs());
      return Math.round(waitMs * (1 + JITTER * parts.random()));
    },
  };
}
