import { join } from "node:path";
import { sha256Hex } from "../format/canonical-json.ts";
import type { ManifestFile } from "../format/manifest.ts";
import { PATHS } from "../format/paths.ts";
import { placeOf } from "../store/document-layout.ts";
import { forEachInFlight } from "../store/in-flight.ts";
import type { LocatedVersion } from "../store/locate-version.ts";
import { SIGNATURE_BYTES } from "../store/manifest-signature.ts";
import { SnapshotError } from "../store/snapshot-error.ts";
import { fileProblem, readCapped, readVerified } from "../store/verified-file.ts";
import type { TransferProgress } from "./pull-wish.ts";
import { RemoteError } from "./remote-error.ts";
import type { RemoteUpload, RemoteWriter } from "./remote-store.ts";

/** Files on their way at a time: waiting for a distant storage is what takes the time. */
const FILES_IN_FLIGHT = 16;

/** A larger file is sent from the disk and not from memory. */
const IN_MEMORY_BYTES_MAX = 8 * 1024 * 1024;

/** How an upload is told of, and what ends it. */
export interface PushWatch {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: TransferProgress) => void) | undefined;
}

/** How many files went over, and how many were there already. */
export interface PushCounts {
  readonly files: number;
  readonly bytes: number;
  readonly skipped: number;
}

/** A file of a version, found good before it leaves: what has rotted here is to rot nowhere else. */
async function uploadOf(directory: string, file: ManifestFile): Promise<RemoteUpload> {
  const { bytes, sha256, media_type: mediaType } = file;
  const about = { bytes, sha256, mediaType, isImmutable: true };
  if (bytes <= IN_MEMORY_BYTES_MAX) return { ...about, content: readVerified(directory, file) };
  const problem = await fileProblem(directory, file);
  if (problem !== undefined)
    throw new SnapshotError("SNAPSHOT_INVALID", problem.message, { path: file.path });
  return { ...about, content: { localPath: join(directory, file.path) } };
}

/**
 * The files of a version in the order in which they go: first those that tell whom it names. So whatever cuts an upload
 * off, somebody who opts out later is found in what is left of it by the names of its files alone.
 */
function inTurns({ files }: LocatedVersion["manifest"]): readonly (readonly ManifestFile[])[] {
  const isEntity = ({ path }: ManifestFile) => placeOf(path)?.kind === "entity";
  return [files.filter(isEntity), files.filter((file) => !isEntity(file))];
}

/** Sends every file that a manifest names; what is there already with its size and hash is not sent again. */
export async function pushFiles(
  { directory, version, manifest }: LocatedVersion,
  writer: RemoteWriter,
  { signal, onProgress }: PushWatch,
): Promise<PushCounts> {
  const there = new Map((await writer.list(`${version}/`, signal)).map(({ path, bytes }) => [path, bytes]));
  const bytesTotal = manifest.files.reduce((sum, { bytes }) => sum + bytes, 0);
  const filesTotal = manifest.files.length;
  const done = { files: 0, bytes: 0, skipped: 0 };
  let bytesDone = 0;
  const carry = async (file: ManifestFile): Promise<void> => {
    signal?.throwIfAborted();
    const path = `${version}/${file.path}`;
    const isSame =
      there.get(path) === file.bytes && (await writer.inspect(path, signal))?.sha256 === file.sha256;
    if (isSame) done.skipped += 1;
    else {
      await writer.write(path, await uploadOf(directory, file), signal);
      done.files += 1;
      done.bytes += file.bytes;
    }
    bytesDone += file.bytes;
    onProgress?.({ filesDone: done.files + done.skipped, filesTotal, bytesDone, bytesTotal });
  };
  for (const files of inTurns(manifest)) await forEachInFlight(files, FILES_IN_FLIGHT, carry);
  return done;
}

function sealedUpload(content: Buffer, mediaType: string): RemoteUpload {
  const sha256 = sha256Hex(content);
  return { content, bytes: content.length, sha256, mediaType, isImmutable: true };
}

function signatureIn(directory: string): Buffer | undefined {
  try {
    return readCapped(directory, PATHS.signature, SIGNATURE_BYTES, "SNAPSHOT_MISSING");
  } catch (error) {
    if (error instanceof SnapshotError && error.code === "SNAPSHOT_MISSING") return undefined;
    throw error;
  }
}

/** Sends what seals a version, after its files, and reads back what arrived. */
export async function pushSeal(
  { directory, version }: LocatedVersion,
  manifest: Buffer,
  writer: RemoteWriter,
  signal: AbortSignal | undefined,
): Promise<void> {
  const path = `${version}/${PATHS.manifest}`;
  const signature = signatureIn(directory);
  await writer.write(path, sealedUpload(manifest, "application/json"), signal);
  if (signature !== undefined) {
    const upload = sealedUpload(signature, "application/octet-stream");
    await writer.write(`${version}/${PATHS.signature}`, upload, signal);
  }
  const found = await writer.readSmall(path, manifest.length, undefined, signal);
  if (typeof found === "object" && found.bytes.equals(manifest)) return;
  throw new RemoteError("REMOTE_STALE", `${writer.name}: ${path} does not read back as it was written`, {
    path,
  });
}
