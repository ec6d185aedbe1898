import type { SnapshotReader } from "./snapshot-reader.ts";

/** Which version to open, and the lowest sequence that is not a rollback. */
export interface OpenOptions {
  /** The pointer's version without it. */
  readonly version?: string;
  /** A pointer with a lower sequence is refused with `SNAPSHOT_ROLLED_BACK`. */
  readonly sequenceMin?: number;
}

/** Opens one version for reading once its pointer, manifest and index are verified; throws `SnapshotError`. */
export async function openSnapshot(_root: string, _options: OpenOptions = {}): Promise<SnapshotReader> {
  throw new Error("not written yet");
}
