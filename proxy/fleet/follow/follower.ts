import { type Failure, isFailure } from "../../../snapshots/base/failure.ts";
import type { Pointer } from "../../../snapshots/format/manifest.ts";
import type { PullResult } from "../../../snapshots/remote/pull-version.ts";
import type { RemotePointer } from "../../../snapshots/remote/remote-pointer.ts";
import { isRemoteFailure } from "../../../snapshots/remote/remote-store.ts";
import { isSnapshotFailure } from "../../../snapshots/store/read/snapshot-error.ts";
import { type Backoff, createLastProblem } from "../../snapshot/last-problem.ts";
import type { RemoteProblem, RemoteStatus } from "../../snapshot/snapshot-source.ts";

/** What happened to the copy, for the log; `detail` contains no credential and no local path. */
export type FollowerEvent =
  | (Extract<PullResult, { kind: "pulled" }> & { readonly durationMs: number })
  | {
      readonly kind: "not followed";
      readonly problem: RemoteProblem;
      readonly detail: string;
      readonly refusedVersion: string | undefined;
    }
  | { readonly kind: "followed again" }
  /** A version older than one already seen was pulled. */
  | { readonly kind: "went back"; readonly sequence: number; readonly seen: number };

/**
 * Without signatures a sequence cannot be trusted: someone with temporary write access to the remote storage could set it
 * so high that every later honest version is refused. So an older version is accepted if no newer one was named for this
 * long, which is far longer than any cache serves an old pointer.
 */
const BELIEVED_AFTER_MS = 600_000;

/** How long a version that could not be pulled waits for the next try; the pointer is read each second. */
const BACKOFFS: Readonly<Partial<Record<RemoteProblem, Backoff>>> = {
  REMOTE_AWAY: { firstMs: 1_000, mostMs: 24_000 },
  // All downloaded files were deleted again, so somebody has to free space first.
  REMOTE_NO_ROOM: { firstMs: 60_000, mostMs: 900_000 },
};

/** An incomplete version may soon be complete; a forged one never is, and a try costs its manifest and failed files. */
const REFUSED: Backoff = { firstMs: 1_000, mostMs: 60_000 };

/**
 * Follows a remote pointer by its ETag. If a version cannot be fetched, trusted or parsed, only the status changes: the
 * copy stays as it is.
 */
export function createFollower(parts: {
  /** Returns the remote pointer, "unchanged" if it still has `knownEtag`, or undefined if there is none. */
  readonly look: (
    knownEtag: string | undefined,
  ) => Promise<Pick<RemotePointer, "pointer" | "etag"> | "unchanged" | undefined>;
  /** Pulls the version the remote pointer names, completely or not at all; an older one than seen only if allowed. */
  readonly pull: (isOlder: boolean) => Promise<PullResult>;
  /** The pointer of the local copy. */
  readonly here: () => Pointer | undefined;
  /** Whether versions are accepted without a check of signatures. */
  readonly isUnsigned: boolean;
  /** No lower sequence is ever accepted. */
  readonly sequenceMin: number;
  /** The highest sequence ever served from this home. */
  readonly highest: () => number;
  readonly nowMs: () => number;
  readonly onEvent: (event: FollowerEvent) => void;
}) {
  const { nowMs, onEvent } = parts;
  /** The mark of a problem is the version that has it, if the pointer could be read. */
  const problems = createLastProblem<{ readonly problem: RemoteProblem; readonly mark: string }>(
    nowMs,
    (problem) => BACKOFFS[problem] ?? REFUSED,
  );
  let last: Pick<RemotePointer, "pointer" | "etag"> | undefined;
  let upToDateAtMs: number | undefined;
  let bytesPulled = 0;
  /** Since when the remote pointer has named only versions older than one already seen. */
  let olderSinceMs: number | undefined;

  const note = (problem: RemoteProblem, detail: string, refusedVersion: string | undefined): void => {
    if (problems.put({ problem, mark: refusedVersion ?? "" }))
      onEvent({ kind: "not followed", problem, detail, refusedVersion });
  };
  const accept = (): void => {
    olderSinceMs = undefined;
    upToDateAtMs = nowMs();
    if (problems.current() !== undefined) onEvent({ kind: "followed again" });
    problems.clear();
  };
  const isHere = ({ version, sequence }: Pointer): boolean => {
    const here = parts.here();
    return here?.version === version && here.sequence === sequence;
  };
  const isBelieved = (sequence: number): boolean => {
    // If the clock is set back, the time starts again.
    olderSinceMs = Math.min(olderSinceMs ?? nowMs(), nowMs());
    const isAllowed = parts.isUnsigned && sequence >= parts.sequenceMin;
    return isAllowed && nowMs() - olderSinceMs >= BELIEVED_AFTER_MS;
  };
  const follow = async (pointer: Pointer): Promise<void> => {
    if (isHere(pointer)) return accept();
    if (problems.isWaiting(pointer.version)) return;
    const { sequence, version } = pointer;
    const seen = Math.max(parts.here()?.sequence ?? 0, parts.highest());
    const isOlder = sequence < seen;
    if (!isOlder) olderSinceMs = undefined;
    else if (!isBelieved(sequence)) {
      const detail = `current.json: names sequence ${sequence}, but ${seen} was seen before`;
      return note("REMOTE_STALE", detail, version);
    }
    const beganMs = nowMs();
    const result = await parts.pull(isOlder);
    if (result.kind === "pulled") {
      bytesPulled += result.bytes;
      onEvent({ ...result, durationMs: nowMs() - beganMs });
      if (isOlder) onEvent({ kind: "went back", sequence, seen });
      accept();
      // Nothing was pulled if another process of the same home was faster.
    } else if (isHere(pointer)) accept();
  };

  return {
    status: (): RemoteStatus => ({
      problem: problems.current()?.problem,
      refusedVersion: problems.current()?.mark || undefined,
      upToDateAtMs,
      bytesPulled,
    }),
    /** Checks once and pulls if needed; never rejects. */
    step: async (): Promise<void> => {
      let version: string | undefined;
      try {
        const remote = await parts.look(last?.etag);
        if (remote !== "unchanged") last = remote;
        version = last?.pointer.version;
        if (last === undefined) note("REMOTE_MISSING", NOTHING_THERE, undefined);
        else await follow(last.pointer);
      } catch (error) {
        // Another process of this home is pulling the same version and will soon finish.
        if (isSnapshotFailure(error) && error.code === "PUBLISH_LOCKED") return;
        note(...describe(error), version);
      }
    },
  };
}

const NOTHING_THERE =
  "current.json: is missing; nothing has been published there yet, or the address is wrong";

function describe(error: unknown): [problem: RemoteProblem, detail: string] {
  const shortage = shortageIn(error);
  if (shortage !== undefined) return ["REMOTE_NO_ROOM", shortage.message];
  if (isRemoteFailure(error) || isSnapshotFailure(error)) return [error.code, error.message];
  // The message of any other error could contain a path or a secret.
  const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
  return ["REMOTE_FAILED", `an unexpected failure${code}`];
}

/** Finds REMOTE_NO_ROOM among an error and its causes: the store wraps errors of the disk. */
function shortageIn(error: unknown): Failure | undefined {
  if (isFailure(error, ["REMOTE_NO_ROOM"])) return error;
  return error instanceof Error ? shortageIn(error.cause) : undefined;
}
