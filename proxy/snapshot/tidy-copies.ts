import { KEPT_YOUNGER_THAN_MS, readPointer, versionNames } from "../../snapshots/store/read/read-pointer.ts";
import type { SnapshotReader } from "../../snapshots/store/read/snapshot-reader.ts";
import type { SnapshotDisk } from "../../snapshots/store/write/snapshot-disk.ts";
import { discardVersion } from "../../snapshots/store/write/snapshot-disk.ts";

/** A copy that nobody here reads stays so long at least: another process of the same home may not have moved on yet. */
export const COPY_GRACE_MS = 60_000;

/** What is known of the copies. */
export interface TidyCopiesParts {
  readonly disk: SnapshotDisk;
  /** Every version that is open in this process: the one served, and those that requests still hold. */
  readonly open: () => readonly Pick<SnapshotReader, "version" | "manifest">[];
  readonly nowMs: () => number;
}

/**
 * Makes what deletes copies that are no more needed; never rejects. The version before the one served stays for a quarter
 * of an hour, and goes with the others where the one served is a redaction: what it names may not lie here any more.
 */
export function createCopyTidier({ disk, open, nowMs }: TidyCopiesParts): () => Promise<readonly string[]> {
  /** Since when a version has been past, as far as this process saw it. */
  const pastSinceMs = new Map<string, number>();

  const dueVersions = async (): Promise<readonly string[]> => {
    const current = readPointer(disk.root).version;
    const readers = open();
    const served = readers.find(({ version }) => version === current);
    // As long as the newest was not found good, what is served is an older one.
    if (served === undefined) return [];
    const kept = new Set(readers.map(({ version }) => version));
    const past = versionNames(await disk.names(".")).filter((version) => !kept.has(version));
    for (const version of [...pastSinceMs.keys()]) if (!past.includes(version)) pastSinceMs.delete(version);
    for (const version of past) if (!pastSinceMs.has(version)) pastSinceMs.set(version, nowMs());
    const before = past.at(-1);
    return past.filter((version) => {
      const ageMs = nowMs() - (pastSinceMs.get(version) ?? nowMs());
      const isKeptLonger = version === before && !served.manifest.redacted;
      return ageMs >= (isKeptLonger ? KEPT_YOUNGER_THAN_MS : COPY_GRACE_MS);
    });
  };

  return async () => {
    const removed: string[] = [];
    try {
      const due = await dueVersions();
      if (due.length === 0) return removed;
      const unlock = disk.lock();
      try {
        for (const version of due) {
          await discardVersion(disk, version);
          removed.push(version);
        }
      } finally {
        unlock();
      }
    } catch {
      // Somebody else pulls, or the disk refuses: the next time will do, as only the next pull waits for the room.
    }
    return removed;
  };
}
