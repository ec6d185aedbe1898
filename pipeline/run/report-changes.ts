import { keptVersions } from "../../snapshots/store/kept-versions.ts";
import { readVersion, type WholeVersion } from "../../snapshots/store/read-version.ts";
import type { ReportChanges } from "../exports/report/report-data.ts";
import { diffChanges } from "./diff-changes.ts";

/** What moved since the version that was published before; undefined where none is kept. Throws `SnapshotError`. */
export function reportChanges(root: string, after: WholeVersion, isFull: boolean): ReportChanges | undefined {
  const kept = keptVersions(root);
  const previous = kept[kept.findIndex(({ version }) => version === after.version) - 1];
  if (previous === undefined) return undefined;
  return diffChanges(readVersion(root, previous.version), after, { isFull, minDelta: 0 });
}
