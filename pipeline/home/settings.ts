import { readPackage } from "../../snapshots/base/package.ts";

/** Numbers and texts by name, in the order of display; `votes` are also displayed as a rate. */
export type ProgressFacts = Readonly<Record<string, string | number>>;

export interface Progress {
  /** `done` of `total` DAOs of a stage are finished; `spaceId` is the latest one. */
  step(stage: string, done: number, total: number, spaceId: string, facts: ProgressFacts): void;
  /** Called from time to time with the progress of a DAO that is not finished. */
  tick(stage: string, spaceId: string, facts: ProgressFacts): void;
  /** Reports a problem that does not end the run; `cause` has the details. */
  warn(message: string, cause?: unknown): void;
}

/** What a run needs from its environment besides folders. */
export interface RunEffects {
  /** Wall time in milliseconds; used for file names, reports and durations, never for a score. */
  readonly nowMs: () => number;
  /** Processor time of all threads so far, in milliseconds; without it, stages report none. */
  readonly processorMs?: () => number;
  /** Peak memory of the process so far, in bytes; without it, none is reported. */
  readonly peakMemoryBytes?: () => number;
  /** Free bytes on the disk of the home or of the versions; without it, free space is not checked. */
  readonly freeBytes?: (folder?: "home" | "snapshots") => number;
  /** Waits before a source is asked again; without it, what failed is not tried again. */
  readonly pause?: (waitMs: number) => Promise<unknown>;
  readonly runId: string;
  readonly progress: Progress;
}

/** The paths of one run, chosen by the operator or by a default of `cli/`. */
export interface Settings {
  /** Unpublished files: warehouse, registry, state. */
  readonly homeDirectory: string;
  /** The list of live opt-outs if it is outside the home, so that another user can share it. */
  readonly optOutsPath?: string | undefined;
  readonly snapshotsDirectory: string;
  /** The registry named by the operator; `undefined` means the home's, or else the curated one. */
  readonly registryPath: string | undefined;
  /** The folder of the package, for files that are not code (curated registry, style of the report). */
  readonly packageDirectory: string;
  /** Number of additional threads; none if absent. */
  readonly threads?: number | undefined;
}

/** The clock and the version (for the user agent) of a run's requests. */
export function httpIdentityOf({ packageDirectory }: Settings, { nowMs }: Pick<RunEffects, "nowMs">) {
  return { nowMs, version: readPackage(packageDirectory).version };
}
