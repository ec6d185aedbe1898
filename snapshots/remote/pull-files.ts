import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { forEachInFlight } from "../base/concurrency.ts";
import { errorCode } from "../base/failure.ts";
import { FILE_BYTES_MAX } from "../format/limits.ts";
import type { ManifestFile } from "../format/manifest.ts";
import { type PreviousVersion, versionHolding } from "../store/read/kept-versions.ts";
import { attempt } from "../store/read/snapshot-error.ts";
import { fileProblem, unnamedProblems } from "../store/read/verified-file.ts";
import { type SnapshotDisk, STAGING_PREFIX } from "../store/write/snapshot-disk.ts";
import { foldersUnder } from "../store/write/write-version.ts";
import { fileRefused, isRemoteFailure, type PullVersionOptions, remoteFailure } from "./remote-store.ts";

/** Prefix of the folder of a version while it is pulled; files in it are complete and flushed. */
const PULL_PREFIX = `${STAGING_PREFIX}pull-`;

/** Folder of incomplete files, outside the version's folder, so that they never have the name of a complete one. */
const PARTS = `${STAGING_PREFIX}parts`;

/** Unlisted files are found a thousand at a time, and folders become empty only after their files are removed. */
const ROUNDS_MAX = 10_000;

/** Concurrent downloads: most of the time is spent waiting for the storage. */
const FILES_IN_FLIGHT = 16;

/** Attempts per file, so that one broken connection does not fail the whole version. */
const ATTEMPTS_MAX = 3;

interface PullSource {
  readonly version: string;
  readonly previous: PreviousVersion | undefined;
  readonly staging: Awaited<ReturnType<typeof openPullStaging>>;
}

export async function pullFiles(
  options: PullVersionOptions,
  source: PullSource,
  files: readonly ManifestFile[],
) {
  const { previous, staging } = source;
  // Fetched files and bytes, files linked to the previous version, and files kept from an interrupted pull.
  const counts = { files: 0, bytes: 0, linked: 0, kept: 0 };
  const done = { filesDone: 0, bytesDone: 0 };
  const filesTotal = files.length;
  const bytesTotal = files.reduce((sum, { bytes }) => sum + bytes, 0);
  // Reported before the first download, so that a caller without enough disk space can abort.
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

/** Fetches a file, retrying broken connections; throws REMOTE_STALE if it is missing, as the version is incomplete. */
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
        throw fileRefused("REMOTE_INVALID", reader, path, "does not have the size and hash in the manifest");
      });
      return;
    } catch (error) {
      if (!isRemoteFailure(error)) throw error;
      if (error.code === "REMOTE_MISSING") {
        throw remoteFailure("REMOTE_STALE", `${error.message} (yet), but the manifest lists it`, {
          path: error.path ?? file.path,
          cause: error,
        });
      }
      if (error.code !== "REMOTE_AWAY" || tried >= ATTEMPTS_MAX) throw error;
    }
  }
}

/** Opens the folder that a version is pulled into, with the files of an interrupted pull. */
export async function openPullStaging(disk: SnapshotDisk, version: string) {
  const path = `${PULL_PREFIX}${version}`;
  const isResumed = await attempt("create the staging folder", () => makeRoom(disk, version));
  const makeDirectory = (folder: string) =>
    disk.makeDirectory(folder).catch((error: unknown) => {
      if (errorCode(error) !== "EEXIST") throw error;
    });
  const folders = foldersUnder({ makeDirectory }, path);
  const writing = <Result>(work: () => Promise<Result>) => attempt("write a file of the version", work);
  let parts = 0;
  return {
    /** Relative to the root. */
    path,
    /** Whether the complete file is already here; if not, creates its folder. */
    holds: (file: ManifestFile): Promise<boolean> =>
      attempt("look for a file of the version", async () => {
        await folders.make(dirname(file.path));
        if (!isResumed) return false;
        if ((await fileProblem(join(disk.root, path), file)) === undefined) return true;
        await disk.remove(`${path}/${file.path}`);
        return false;
      }),
    /** Links a file of a local version and returns true, unless it is damaged or cannot be linked. */
    async isLinked(from: string, file: ManifestFile): Promise<boolean> {
      // Verified first, because a link to a damaged file would spread the damage.
      if ((await fileProblem(join(disk.root, from), file)) !== undefined) return false;
      try {
        await disk.link(`${from}/${file.path}`, `${path}/${file.path}`);
        return true;
      } catch {
        // The caller fetches the file instead.
        return false;
      }
    },
    /** Adds a file, which gets its name only after `fill` has written it completely and it is flushed. */
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
    /** Removes everything but these files, then flushes every folder. */
    settle: (files: readonly ManifestFile[]) =>
      attempt("flush the folders of the version", async () => {
        await folders.make(".");
        for (let round = 0; round < ROUNDS_MAX; round += 1) {
          const unlisted = unnamedProblems(join(disk.root, path), { files });
          if (unlisted.length === 0) break;
          for (const file of unlisted) await disk.remove(`${path}/${file.path}`);
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
 * Creates the staging folder of a version, and returns whether it reuses files: those of the version itself, if an
 * interrupted pull had named but not yet published it, or those staged for any version. Deletes other leftovers.
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
