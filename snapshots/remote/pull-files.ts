import { createHash } from "node:crypto";
import { FILE_BYTES_MAX } from "../format/limits.ts";
import type { ManifestFile } from "../format/manifest.ts";
import { forEachInFlight } from "../store/in-flight.ts";
import type { PreviousVersion } from "../store/previous-version.ts";
import type { PullStaging } from "./pull-staging.ts";
import type { PullWish } from "./pull-wish.ts";
import { RemoteError } from "./remote-error.ts";

/** Files on their way at a time: waiting for a distant storage is what takes the time. */
const FILES_IN_FLIGHT = 16;

/** How often one file is asked for: a connection that breaks once must not cost the whole version. */
const ATTEMPTS_MAX = 3;

/** Where the files of a version come from. */
interface PullSource {
  readonly version: string;
  readonly previous: PreviousVersion | undefined;
  readonly staging: PullStaging;
}

/** How the files of a version came here. */
export interface PullCounts {
  readonly files: number;
  readonly bytes: number;
  readonly linked: number;
  readonly kept: number;
}

async function fetchFile(
  { reader, signal }: PullWish,
  { version, staging }: PullSource,
  file: ManifestFile,
): Promise<void> {
  const path = `${version}/${file.path}`;
  if (file.bytes > FILE_BYTES_MAX) {
    throw new RemoteError("REMOTE_INVALID", `${reader.name}: ${path} is larger than any reader would read`, {
      path,
    });
  }
  await staging.take(file.path, async (write) => {
    const hash = createHash("sha256");
    let size = 0;
    for await (const piece of reader.read(path, file.bytes, signal)) {
      size += piece.length;
      hash.update(piece);
      await write(Buffer.from(piece.buffer, piece.byteOffset, piece.length));
    }
    if (size === file.bytes && hash.digest("hex") === file.sha256) return;
    throw new RemoteError("REMOTE_INVALID", `${reader.name}: ${path} is not what the manifest says`, {
      path,
    });
  });
}

/** The same, in spite of a connection that breaks; a file that is not there (yet) means that nothing is there yet. */
async function fetchPatiently(wish: PullWish, source: PullSource, file: ManifestFile): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      await fetchFile(wish, source, file);
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

/** Brings every wanted file into the staging: kept from a pull that was cut, linked from the version before, or fetched. */
export async function pullFiles(
  wish: PullWish,
  source: PullSource,
  files: readonly ManifestFile[],
): Promise<PullCounts> {
  const { previous, staging } = source;
  const counts = { files: 0, bytes: 0, linked: 0, kept: 0 };
  const done = { filesDone: 0, bytesDone: 0 };
  const filesTotal = files.length;
  const bytesTotal = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const isBefore = ({ path, sha256, bytes }: ManifestFile): boolean => {
    const before = previous?.files.get(path);
    return before?.sha256 === sha256 && before.bytes === bytes;
  };
  // Said before anything comes, so that whoever has no room for it can end it.
  wish.onProgress?.({ ...done, filesTotal, bytesTotal });
  await forEachInFlight(files, FILES_IN_FLIGHT, async (file) => {
    wish.signal?.throwIfAborted();
    const from = isBefore(file) ? previous?.pointer.version : undefined;
    if (await staging.holds(file)) counts.kept += 1;
    else if (from !== undefined && (await staging.isLinked(from, file))) counts.linked += 1;
    else {
      await fetchPatiently(wish, source, file);
      counts.files += 1;
      counts.bytes += file.bytes;
    }
    done.filesDone += 1;
    done.bytesDone += file.bytes;
    wish.onProgress?.({ ...done, filesTotal, bytesTotal });
  });
  return counts;
}
