import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { FILE_BYTES_MAX } from "../format/limits.ts";
import type { ManifestFile } from "../format/manifest.ts";
import { type PreviousVersion, versionHolding } from "../store/read/kept-versions.ts";
import { attempt } from "../store/read/snapshot-error.ts";
import { fileProblem, forEachInFlight, unnamedProblems } from "../store/read/verified-file.ts";
import { type SnapshotDisk, STAGING_PREFIX } from "../store/write/snapshot-disk.ts";
import { foldersUnder } from "../store/write/write-version.ts";
import { fileRefused, type PullVersionOptions, RemoteError } from "./remote-store.ts";

/** Where a version lies while it is pulled; what has a name in there was whole and flushed when it got it. */
const PULL_PREFIX = `${STAGING_PREFIX}pull-`;

/** Beside the version and not in it: half a file never has the name of a whole one. */
const PARTS = `${STAGING_PREFIX}parts`;

/** What does not belong is told of a thousand at a time, and a folder is empty only when its files are gone. */
const ROUNDS_MAX = 10_000;

/** Files on their way at a time: waiting for a distant storage is what takes the time. */
const FILES_IN_FLIGHT = 16;

/** How often one file is asked for: a connection that breaks once must not cost the whole version. */
const ATTEMPTS_MAX = 3;

/** Where the files of a version come from. */
interface PullSource {
  readonly version: string;
  readonly previous: PreviousVersion | undefined;
  readonly staging: Awaited<ReturnType<typeof openPullStaging>>;
}

/** Brings every wanted file into the staging: kept from a pull that was cut, linked from the version before, or fetched. */
export async function pullFiles(
  options: PullVersionOptions,
  source: PullSource,
  files: readonly ManifestFile[],
) {
  const { previous, staging } = source;
  // What came over the network, what was linked from the version before, and what was kept from a pull that was cut.
  const counts = { files: 0, bytes: 0, linked: 0, kept: 0 };
  const done = { filesDone: 0, bytesDone: 0 };
  const filesTotal = files.length;
  const bytesTotal = files.reduce((sum, { bytes }) => sum + bytes, 0);
  // Said before anything comes, so that whoever has no room for it can end it.
  options.onProgress?.({ ...done, filesTotal, bytesTotal });
  await forEachInFlight(files, FILES_IN_FLIGHT, async (file) => {
    options.signal?.throwIfAborted();
    const from = versionHolding(previous, file);
    if (await staging.holds(file)) counts.kept += 1;
    else if (from !== undefined && (await staging.isLinked(from, file))) counts.linked += 1;
    else {
      await fetchWithRetries(options, source, file);
      counts.files += 1;
      counts.bytes += file.bytes;
    }
    done.filesDone += 1;
    done.bytesDone += file.bytes;
    options.onProgress?.({ ...done, filesTotal, bytesTotal });
  });
  return counts;
}

/** Fetches a file in spite of a connection that breaks; one that is not there (yet) means that nothing is there yet. */
async function fetchWithRetries(
  { reader, signal }: PullVersionOptions,
  { version, staging }: PullSource,
  file: ManifestFile,
): Promise<void> {
  const path = `${version}/${file.path}`;
  if (file.bytes > FILE_BYTES_MAX) {
    throw fileRefused("REMOTE_INVALID", reader, path, "is larger than readers accept");
  }
  for (let tried = 1; ; tried += 1) {
    try {
      await staging.take(file.path, async (write) => {
        const hash = createHash("sha256");
        let size = 0;
        for await (const piece of reader.read(path, file.bytes, signal)) {
          size += piece.length;
          hash.update(piece);
          await write(Buffer.from(piece.buffer, piece.byteOffset, piece.length));
        }
        if (size === file.bytes && hash.digest("hex") === file.sha256) return;
        throw fileRefused("REMOTE_INVALID", reader, path, "is not what the manifest says");
      });
      return;
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error;
      if (error.code === "REMOTE_MISSING") {
        throw new RemoteError("REMOTE_STALE", `${error.message} (yet), and the manifest names it`, {
          path: error.path ?? file.path,
          cause: error,
        });
      }
      if (error.code !== "REMOTE_AWAY" || tried >= ATTEMPTS_MAX) throw error;
    }
  }
}

/** Opens the folder that a version is pulled into, with what an earlier pull left in it. */
export async function openPullStaging(disk: SnapshotDisk, version: string) {
  const path = `${PULL_PREFIX}${version}`;
  const isResumed = await attempt("make room for the version", () => makeRoom(disk, version));
  const makeDirectory = (folder: string) =>
    disk.makeDirectory(folder).catch((error: unknown) => {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    });
  const folders = foldersUnder({ makeDirectory }, path);
  const writing = <Result>(work: () => Promise<Result>) => attempt("write a file of the version", work);
  let parts = 0;
  return {
    /** Relative to the root. */
    path,
    /** Whether a file lies here already, whole; makes the folder for it where it does not. */
    holds: (file: ManifestFile): Promise<boolean> =>
      attempt("look for a file of the version", async () => {
        await folders.make(dirname(file.path));
        if (!isResumed) return false;
        if ((await fileProblem(join(disk.root, path), file)) === undefined) return true;
        await disk.remove(`${path}/${file.path}`);
        return false;
      }),
    /** Links a file of a version under the root, where it is whole and links can be made. */
    async isLinked(from: string, file: ManifestFile): Promise<boolean> {
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
    /** Takes a new file: it has its name when `fill` has written it whole, piece by piece, and it is flushed. */
    async take(
      name: string,
      fill: (write: (bytes: Buffer) => Promise<void>) => Promise<void>,
    ): Promise<void> {
      parts += 1;
      const part = `${PARTS}/${parts}`;
      try {
        const file = await writing(() => disk.create(part));
        try {
          await fill((bytes) => writing(() => file.write(bytes)));
          await writing(() => file.sync());
        } finally {
          await writing(() => file.close());
        }
        await writing(() => disk.rename(part, `${path}/${name}`));
      } catch (error) {
        await Promise.allSettled([disk.remove(part)]);
        throw error;
      }
    },
    drop: (name: string) => writing(() => disk.remove(`${path}/${name}`)),
    /** Removes what does not belong to these files, then flushes every folder. */
    settle: (files: readonly ManifestFile[]) =>
      attempt("flush the folders of the version", async () => {
        await folders.make(".");
        for (let round = 0; round < ROUNDS_MAX; round += 1) {
          const strangers = unnamedProblems(join(disk.root, path), { files });
          if (strangers.length === 0) break;
          for (const stranger of strangers) await disk.remove(`${path}/${stranger.path}`);
        }
        for (const folder of folders.names()) await disk.syncDirectory(join(path, folder));
        await disk.remove(PARTS);
      }),
    remove: async (): Promise<void> => {
      await Promise.allSettled([disk.remove(path), disk.remove(PARTS), disk.remove(`${path}.json`)]);
    },
  };
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
