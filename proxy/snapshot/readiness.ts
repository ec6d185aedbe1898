import type { SnapshotStatus } from "./snapshot-source.ts";

/** The answer of `/readyz`: for machines that decide whether to send traffic here, and people who ask why not. */
export interface Readiness {
  readonly httpStatus: 200 | 503;
  readonly body: {
    readonly status: "ready" | "degraded" | "unavailable";
    readonly reason?: string;
    /** The version the reason is about, where that is not the one served. */
    readonly refused_version?: string;
    readonly version?: string;
    readonly sequence?: number;
    readonly as_of?: string;
    readonly published_at?: string;
  };
}

/** What is known beside the version. */
export interface ReadinessFacts {
  readonly nowMs: number;
  readonly maxAgeMs: number | undefined;
  readonly isStopping: boolean;
  /** Why nobody is let in at the moment, in one word. */
  readonly storeProblem: string | undefined;
}

/** Judges what is being served: absent, too old or behind a store that is down is unavailable, the last good one in place of a newer is degraded. */
export function readinessOf(
  { serving, problem, refusedVersion, remote }: SnapshotStatus,
  { nowMs, maxAgeMs, isStopping, storeProblem }: ReadinessFacts,
): Readiness {
  const refused = refusedVersion === undefined ? {} : { refused_version: refusedVersion };
  if (serving === undefined) {
    const reason = problem ?? "SNAPSHOT_MISSING";
    return { httpStatus: 503, body: { status: "unavailable", reason, ...refused } };
  }
  const { as_of, created_at } = serving.manifest;
  const facts = { version: serving.version, sequence: serving.sequence, as_of, published_at: created_at };
  if (isStopping)
    return { httpStatus: 503, body: { status: "unavailable", reason: "SHUTTING_DOWN", ...facts } };
  // The age of publishing, not of the data: a publisher that was stopped or cut off is what this must show.
  if (maxAgeMs !== undefined && nowMs - Date.parse(created_at) > maxAgeMs) {
    return { httpStatus: 503, body: { status: "unavailable", reason: "SNAPSHOT_STALE", ...facts } };
  }
  // Every request gets 503: a front server had better ask another process.
  if (storeProblem !== undefined) {
    return { httpStatus: 503, body: { status: "unavailable", reason: storeProblem, ...facts } };
  }
  if (problem !== undefined)
    return { httpStatus: 200, body: { status: "degraded", reason: problem, ...refused, ...facts } };
  // The copy here is good, and may be behind what is published: callers are served, and an operator should know.
  if (remote?.problem !== undefined) {
    const behind = remote.refusedVersion === undefined ? {} : { refused_version: remote.refusedVersion };
    return { httpStatus: 200, body: { status: "degraded", reason: remote.problem, ...behind, ...facts } };
  }
  return { httpStatus: 200, body: { status: "ready", ...facts } };
}
