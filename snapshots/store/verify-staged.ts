import { PATHS } from "../format/paths.ts";
import { readManifest } from "./locate-version.ts";
import { openIndex } from "./open-index.ts";
import { SnapshotError } from "./snapshot-error.ts";
import { type ExpectedFile, readVerified } from "./verified-file.ts";
import { unnamedProblems } from "./verify-files.ts";

/** Throws `SnapshotError` with whatever a reader would refuse. */
async function readBack(directory: string, manifestFile: ExpectedFile): Promise<void> {
  const { manifest, sha256 } = readManifest(directory);
  // One after the other on this thread: thousands of small files cost eight times as much through a pool. The index may
  // be too large to be read whole, and is verified where it is opened.
  for (const file of manifest.files) if (file.path !== PATHS.index) readVerified(directory, file);
  const [problem] = unnamedProblems(directory, manifest);
  if (sha256 !== manifestFile.sha256 || problem !== undefined) {
    const message = problem?.message ?? `${manifestFile.path}: does not have the SHA-256 expected`;
    throw new SnapshotError("SNAPSHOT_INVALID", message);
  }
  (await openIndex(directory, manifest)).close();
}

/** Reads a staged version back as a reader would, before it gets its name; throws `PUBLISH_FAILED`. */
export async function verifyStaged(directory: string, manifestFile: ExpectedFile): Promise<void> {
  try {
    await readBack(directory, manifestFile);
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    // Nothing is published yet: what is wrong is this run, and not a version that anybody could look at.
    const message = `what was written does not read back: ${error.message}`;
    throw new SnapshotError("PUBLISH_FAILED", message, { cause: error });
  }
}
