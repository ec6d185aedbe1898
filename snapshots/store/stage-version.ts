import { dirname, join } from "node:path";
import type { ManifestFile } from "../format/manifest.ts";
import { forEachInFlight } from "./in-flight.ts";
import type { PreviousVersion } from "./previous-version.ts";
import type { RenderedFile } from "./rendered-file.ts";
import type { SnapshotDisk } from "./snapshot-disk.ts";
import { SnapshotError } from "./snapshot-error.ts";
import { readVerified } from "./verified-file.ts";

/** Files written and flushed at a time; three times faster than one by one where this was measured. */
const FILES_IN_FLIGHT = 64;

/** How many files were written, and how many linked from the version before. */
export interface StagedCounts {
  readonly filesWritten: number;
  readonly filesLinked: number;
}

/** Every folder of these paths, parents first; `.` is the version itself. */
function foldersOf(paths: readonly string[]): readonly string[] {
  const folders = new Set(["."]);
  for (const path of paths) {
    for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) folders.add(folder);
  }
  return [...folders].toSorted();
}

/** Makes one new file, whole and flushed before its descriptor closes. */
export async function writeDurably(disk: SnapshotDisk, path: string, bytes: Buffer): Promise<void> {
  const file = await disk.create(path);
  try {
    await file.write(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function isLinked(disk: SnapshotDisk, from: string, to: string, entry: ManifestFile): Promise<boolean> {
  try {
    // Read first: to link a file that has rotted would carry the damage into every later version.
    readVerified(join(disk.root, from), entry);
    await disk.link(`${from}/${entry.path}`, to);
    return true;
  } catch (error) {
    const isDiskError = error instanceof Error && "code" in error;
    if (isDiskError || error instanceof SnapshotError) return false;
    throw error;
  }
}

/** Writes every file into `staging` (linked where the version before holds the same bytes), then flushes each folder once. */
export async function stageVersion(
  disk: SnapshotDisk,
  staging: string,
  files: readonly RenderedFile[],
  previous: PreviousVersion | undefined,
): Promise<StagedCounts> {
  let filesLinked = 0;
  const folders = foldersOf(files.map((file) => file.entry.path));
  for (const folder of folders) await disk.makeDirectory(join(staging, folder));
  await forEachInFlight(files, FILES_IN_FLIGHT, async ({ entry, bytes }) => {
    const path = `${staging}/${entry.path}`;
    const before = previous?.files.get(entry.path);
    const isSame = before !== undefined && before.sha256 === entry.sha256 && before.bytes === entry.bytes;
    if (isSame && (await isLinked(disk, previous?.pointer.version ?? "", path, entry))) filesLinked += 1;
    else await writeDurably(disk, path, bytes);
  });
  for (const folder of folders) await disk.syncDirectory(join(staging, folder));
  return { filesWritten: files.length - filesLinked, filesLinked };
}
