import { dirname, join } from "node:path";
import type { ManifestFile } from "../format/manifest.ts";
import { attempt } from "../store/attempt.ts";
import type { SnapshotDisk, StagedFile } from "../store/snapshot-disk.ts";
import { foldersUnder } from "../store/stage-version.ts";
import { STAGING_PREFIX } from "../store/tidy-root.ts";
import { fileProblem } from "../store/verified-file.ts";
import { unnamedProblems } from "../store/verify-files.ts";

/** Where a version lies while it is pulled; what has a name in there was whole and flushed when it got it. */
const PULL_PREFIX = `${STAGING_PREFIX}pull-`;

/** Beside the version and not in it: half a file never has the name of a whole one. */
const PARTS = `${STAGING_PREFIX}parts`;

/** What does not belong is told of a thousand at a time, and a folder is empty only when its files are gone. */
const ROUNDS_MAX = 10_000;

/** Writes the bytes of one file, piece by piece. */
type Fill = (write: (bytes: Buffer) => Promise<void>) => Promise<void>;

/** A version that is being pulled. What the disk says against it becomes `PUBLISH_FAILED`. */
export interface PullStaging {
  /** Relative to the root. */
  readonly path: string;
  /** Whether a file lies here already, whole; makes the folder for it where it does not. */
  readonly holds: (file: ManifestFile) => Promise<boolean>;
  /** Links a file of a version under the root, where it is whole and links can be made. */
  readonly isLinked: (from: string, file: ManifestFile) => Promise<boolean>;
  /** Takes a new file: it has its name when `fill` has written it whole and it is flushed. */
  readonly take: (path: string, fill: Fill) => Promise<void>;
  readonly drop: (path: string) => Promise<void>;
  /** Removes what does not belong to these files, then flushes every folder. */
  readonly settle: (files: readonly ManifestFile[]) => Promise<void>;
  readonly remove: () => Promise<void>;
}

/**
 * Makes room for a version. What lies there of it is taken up: the version itself, which a pull that was cut had named
 * and not yet pointed at, or what an earlier pull had staged, of whatever version. Other leftovers go.
 */
async function makeRoom(disk: SnapshotDisk, version: string): Promise<boolean> {
  const staging = `${PULL_PREFIX}${version}`;
  const names = await disk.names(".");
  const left = names.filter((name) => name.startsWith(PULL_PREFIX) && !name.endsWith(".json")).toSorted();
  const staged = left.includes(staging) ? staging : left.at(-1);
  const taken = names.includes(version) ? version : staged;
  for (const name of names) if (name.startsWith(STAGING_PREFIX) && name !== taken) await disk.remove(name);
  if (taken === undefined) await disk.makeDirectory(staging);
  else if (taken !== staging) await disk.rename(taken, staging);
  await disk.makeDirectory(PARTS);
  return taken !== undefined;
}

const failed = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;

/** How new files come into the staging. */
function createTaking(disk: SnapshotDisk, path: string): PullStaging["take"] {
  let parts = 0;
  const step = <Result>(work: () => Promise<Result>) => attempt("write a file of the version", work);
  async function fillPart(made: StagedFile, fill: Fill): Promise<void> {
    try {
      await fill((bytes) => step(() => made.write(bytes)));
      await step(() => made.sync());
    } finally {
      await step(() => made.close());
    }
  }
  return async (name, fill) => {
    parts += 1;
    const part = `${PARTS}/${parts}`;
    try {
      await fillPart(await step(() => disk.create(part)), fill);
      await step(() => disk.rename(part, `${path}/${name}`));
    } catch (error) {
      await Promise.allSettled([disk.remove(part)]);
      throw error;
    }
  };
}

async function settle(
  disk: SnapshotDisk,
  path: string,
  files: readonly ManifestFile[],
  folders: readonly string[],
): Promise<void> {
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const strangers = unnamedProblems(join(disk.root, path), { files });
    if (strangers.length === 0) break;
    for (const stranger of strangers) await disk.remove(`${path}/${stranger.path}`);
  }
  for (const folder of folders) await disk.syncDirectory(join(path, folder));
  await disk.remove(PARTS);
}

/** Opens the folder that a version is pulled into; what is left of an earlier pull is in it. */
export async function openPullStaging(disk: SnapshotDisk, version: string): Promise<PullStaging> {
  const path = `${PULL_PREFIX}${version}`;
  const isResumed = await attempt("make room for the version", () => makeRoom(disk, version));
  const makeDirectory = (folder: string) =>
    disk.makeDirectory(folder).catch((error: unknown) => {
      if (!failed(error, "EEXIST")) throw error;
    });
  const folders = foldersUnder({ makeDirectory }, path);
  return {
    path,
    holds: (file) =>
      attempt("look for a file of the version", async () => {
        await folders.make(dirname(file.path));
        if (!isResumed) return false;
        if ((await fileProblem(join(disk.root, path), file)) === undefined) return true;
        await disk.remove(`${path}/${file.path}`);
        return false;
      }),
    async isLinked(from, file) {
      // Read first: to link a file that has rotted would carry the damage on.
      if ((await fileProblem(join(disk.root, from), file)) !== undefined) return false;
      try {
        await disk.link(`${from}/${file.path}`, `${path}/${file.path}`);
        return true;
      } catch {
        // What cannot be linked is fetched.
        return false;
      }
    },
    take: createTaking(disk, path),
    drop: (name) => attempt("write a file of the version", () => disk.remove(`${path}/${name}`)),
    settle: (files) =>
      attempt("flush the folders of the version", async () => {
        await folders.make(".");
        await settle(disk, path, files, folders.names());
      }),
    remove: async () => {
      await Promise.allSettled([disk.remove(path), disk.remove(PARTS), disk.remove(`${path}.json`)]);
    },
  };
}
