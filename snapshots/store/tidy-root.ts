import type { Pointer } from "../format/manifest.ts";
import { abandonedVersions } from "./previous-version.ts";
import { expiredVersions, versionNames } from "./retention.ts";
import type { SnapshotDisk } from "./snapshot-disk.ts";

/** Everything unfinished under a snapshot root begins with this, so that whoever comes next may delete it. */
export const STAGING_PREFIX = ".staging-";

/** Deletes a version: first its name, in one step and durably, so that no crash leaves half of it under that name. */
export async function discardVersion(disk: SnapshotDisk, version: string): Promise<void> {
  const doomed = `${STAGING_PREFIX}removed-${version}`;
  await disk.rename(version, doomed);
  await disk.syncDirectory(".");
  await disk.remove(doomed);
}

/** Deletes what a crashed run left: staging, and versions made whole but never pointed at. */
export async function clearLeftovers(disk: SnapshotDisk, pointer: Pointer | undefined): Promise<void> {
  const names = await disk.names(".");
  for (const name of names.filter((each) => each.startsWith(STAGING_PREFIX))) await disk.remove(name);
  for (const version of abandonedVersions(disk.root, versionNames(names), pointer)) {
    await discardVersion(disk, version);
  }
}

/** Deletes versions past their age. It runs after the pointer moved, so a failure is a warning and no more. */
export async function removeExpired(
  disk: SnapshotDisk,
  current: string,
  nowMs: number,
): Promise<{ readonly removed: readonly string[]; readonly warnings: readonly string[] }> {
  const removed: string[] = [];
  try {
    for (const version of expiredVersions(await disk.names("."), current, nowMs)) {
      await discardVersion(disk, version);
      removed.push(version);
    }
    return { removed, warnings: [] };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    return { removed, warnings: [`an old version could not be deleted (${code})`] };
  }
}
