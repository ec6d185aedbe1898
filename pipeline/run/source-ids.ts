/** The sources `fetch --source` knows. */
export const SOURCE_IDS = ["archive", "snapshot-hub", "governor"] as const;
export type SourceId = (typeof SOURCE_IDS)[number];
