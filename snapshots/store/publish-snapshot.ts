import type { Manifest, ManifestSource } from "../format/manifest.ts";
import type { PublishedSet } from "../format/published-set.ts";
import type { RunReport } from "../format/run-report.ts";
import type { SnapshotDisk } from "./snapshot-disk.ts";

/** What is to be published, and when (wall time: the version's name and `created_at`). */
export interface SnapshotPlan {
  readonly set: PublishedSet;
  readonly run: RunReport;
  readonly sources: readonly ManifestSource[];
  readonly createdAtMs: number;
}

/** What was published. `warnings` name what could not be tidied up after the pointer had moved. */
export interface PublishResult {
  readonly version: string;
  readonly sequence: number;
  readonly manifest: Manifest;
  readonly filesWritten: number;
  readonly filesLinked: number;
  readonly removed: readonly string[];
  readonly warnings: readonly string[];
}

/** Publishes every document or none. Readers switch when the pointer is renamed, and only there. */
export async function publishSnapshot(_plan: SnapshotPlan, _disk: SnapshotDisk): Promise<PublishResult> {
  throw new Error("not written yet");
}
