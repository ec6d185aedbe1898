import type { ManifestFile } from "../../snapshots/format/manifest.ts";
import type { LocatedVersion } from "../../snapshots/store/locate-version.ts";
import { SnapshotError } from "../../snapshots/store/snapshot-error.ts";
import { fileProblem } from "../../snapshots/store/verified-file.ts";

/** Throws `SnapshotError` at the first of these files that is not what its manifest says: before a byte is written. */
export async function assertWhole(
  { version, directory }: LocatedVersion,
  files: readonly ManifestFile[],
): Promise<void> {
  for (const file of files) {
    const problem = await fileProblem(directory, file);
    if (problem === undefined) continue;
    throw new SnapshotError("SNAPSHOT_INVALID", `version ${version}: ${problem.message}`, {
      path: file.path,
    });
  }
}
