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
  /** 16 hex digits that name this run. */
  readonly runId: string;
  readonly progress: Progress;
}
