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
