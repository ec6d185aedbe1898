/** Where everything lies for one run; every path was chosen by the operator or by a default of `cli/`. */
export interface Settings {
  /** What is not published: warehouse, registry, what the last run remembers. */
  readonly homeDirectory: string;
  /** What is published. */
  readonly snapshotsDirectory: string;
  /** The registry the operator named; `undefined` takes the home's, or else the curated one. */
  readonly registryPath: string | undefined;
  /** The package's own folder, for files that are no code (migrations, curated registry). */
  readonly packageDirectory: string;
}
