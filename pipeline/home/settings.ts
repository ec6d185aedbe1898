import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** Figures and words by name, in the order in which they are said; `votes` are also given as a rate. */
export type ProgressFacts = Readonly<Record<string, string | number>>;

/** What a long command tells whoever waits for it. */
export interface Progress {
  /** `done` of `total` DAOs of a stage are through; `spaceId` is the one just finished. */
  step(stage: string, done: number, total: number, spaceId: string, facts: ProgressFacts): void;
  /** What has come of a DAO that is still under way; said now and then, to whoever is looking. */
  tick(stage: string, spaceId: string, facts: ProgressFacts): void;
  /** Something that went wrong without ending the run; `cause` is for whoever wants to know all of it. */
  warn(message: string, cause?: unknown): void;
}

/** What a run needs of the world beside its folders. */
export interface RunEffects {
  /** Wall time in milliseconds; read for file names, reports and durations, never for a score. */
  readonly nowMs: () => number;
  /** Processor time of all threads so far, in milliseconds; without it a run does not tell what its stages took of it. */
  readonly processorMs?: () => number;
  /** The most bytes of memory that the process has held so far; without it nobody is told. */
  readonly peakMemoryBytes?: () => number;
  /** Bytes free on the disk of the home, or of the versions; without it nobody looks. */
  readonly freeBytes?: (of?: "home" | "snapshots") => number;
  /** 16 hex digits that name this run. */
  readonly runId: string;
  readonly progress: Progress;
}

const Package = z.object({ version: z.string() });

/** The version of the program, as its package says. */
export function programVersion(packageDirectory: string): string {
  return Package.parse(JSON.parse(readFileSync(join(packageDirectory, "package.json"), "utf8"))).version;
}

/** Where everything lies for one run; every path was chosen by the operator or by a default of `cli/`. */
export interface Settings {
  /** What is not published: warehouse, registry, what the last run remembers. */
  readonly homeDirectory: string;
  /** The list of live opt-outs, where it does not lie in the home: then another user may share it. */
  readonly optOutsPath?: string | undefined;
  /** What is published. */
  readonly snapshotsDirectory: string;
  /** The registry the operator named; `undefined` takes the home's, or else the curated one. */
  readonly registryPath: string | undefined;
  /** The package's own folder, for files that are no code (migrations, curated registry). */
  readonly packageDirectory: string;
  /** Threads that may work beside the main one; without it there are none. */
  readonly threads?: number | undefined;
}

/** What requests of a run are paced by, and named as. */
export function httpIdentityOf({ packageDirectory }: Settings, { nowMs }: Pick<RunEffects, "nowMs">) {
  return { nowMs, version: programVersion(packageDirectory) };
}
