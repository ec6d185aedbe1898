import { randomUUID } from "node:crypto";
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { forEachInFlight } from "../base/concurrency.ts";
import { encodeCanonical, sha256Hex } from "../format/canonical-json.ts";
import { identifyFile } from "../format/documents.ts";
import { type ManifestFile, Pointer } from "../format/manifest.ts";
import { PATHS, SIGNATURE_BYTES } from "../format/paths.ts";
import {
  assertSameMoment,
  assertSealed,
  type LocatedVersion,
  locateByName,
} from "../store/read/locate-version.ts";
import { readPointer, versionNames } from "../store/read/read-pointer.ts";
import { refusalOf } from "../store/read/snapshot-error.ts";
import { fileProblem, readCapped, readVerified } from "../store/read/verified-file.ts";
import { assertSuccessor, moveRemotePointer, readRemotePointer } from "./remote-pointer.ts";
import { fileRefused, type RemoteUpload, type RemoteWriter, type TransferProgress } from "./remote-store.ts";

/** Concurrent uploads: most of the time is spent waiting for the storage. */
const FILES_IN_FLIGHT = 16;

const IN_MEMORY_BYTES_MAX = 8 * 1024 * 1024;

interface PushOptions {
  readonly root: string;
  readonly writer: RemoteWriter;
  readonly onProgress?: ((progress: TransferProgress) => void) | undefined;
  /** Called if the storage ignores the conditions of conditional writes. */
  readonly warn: (message: string) => void;
}

/**
 * Pushes the current version of a root to remote storage. Moves the pointer last, and only if nobody else has moved it.
 * Throws `RemoteFailure` (REMOTE_MOVED if this version does not follow the remote one) or `SnapshotFailure`.
 */
export async function pushVersion(options: PushOptions) {
  const { root, writer } = options;
  const pointer = readPointer(root);
  const { bytes: manifest, sha256, ...local } = locateByName(root, pointer.version);
  assertSealed(pointer, { sha256, bytes: manifest });
  assertSameMoment(pointer, local.manifest);
  const { version, sequence } = pointer;
  const before = await readRemotePointer(writer);
  if (before?.pointer.version === version && before.pointer.manifest.sha256 === sha256) {
    return { kind: "unchanged" as const, version, sequence, files: 0, bytes: 0, skipped: 0 };
  }
  if (before !== undefined) assertSuccessor(root, local, before.pointer, writer.name);
  const isGuarded = await refusesConflicts(writer);
  if (!isGuarded) {
    options.warn(`${writer.name}: this storage ignores the conditions of writes; use only one publisher`);
  }
  const counts = await pushFiles(local, options);
  await pushSeal(local, manifest, writer);
  await moveRemotePointer(writer, before, encodeCanonical(Pointer, pointer), isGuarded);
  return { kind: "pushed" as const, version, sequence, ...counts };
}

/** Uploads every file of a manifest, except those that already exist with the same size and hash. */
async function pushFiles(
  { directory, version, manifest }: LocatedVersion,
  { writer, onProgress }: PushOptions,
) {
  const remoteSizes = new Map((await writer.list(`${version}/`)).map(({ path, bytes }) => [path, bytes]));
  const bytesTotal = manifest.files.reduce((sum, { bytes }) => sum + bytes, 0);
  const filesTotal = manifest.files.length;
  /** Uploaded files and bytes, and files that an interrupted push had uploaded. */
  const done = { files: 0, bytes: 0, skipped: 0 };
  let bytesDone = 0;
  const carry = async (file: ManifestFile): Promise<void> => {
    const path = `${version}/${file.path}`;
    const isSame = remoteSizes.get(path) === file.bytes && (await writer.sha256Of(path)) === file.sha256;
    if (isSame) done.skipped += 1;
    else {
      await writer.write(path, await uploadOf(directory, file));
      done.files += 1;
      done.bytes += file.bytes;
    }
    bytesDone += file.bytes;
    onProgress?.({ filesDone: done.files + done.skipped, filesTotal, bytesDone, bytesTotal });
  };
  // Entities first: even if the upload is interrupted, the file names then show whom it names, so that an entity which
  // opts out later is found.
  const isEntity = ({ path }: ManifestFile) => identifyFile(path)?.kind === "entity";
  await forEachInFlight(manifest.files.filter(isEntity), FILES_IN_FLIGHT, carry);
  await forEachInFlight(
    manifest.files.filter((file) => !isEntity(file)),
    FILES_IN_FLIGHT,
    carry,
  );
  return done;
}

/** A file of a version, verified before the upload so that damage does not spread. */
async function uploadOf(directory: string, file: ManifestFile): Promise<RemoteUpload> {
  const { bytes, sha256, media_type: mediaType } = file;
  const about = { bytes, sha256, mediaType };
  if (bytes <= IN_MEMORY_BYTES_MAX) return { ...about, content: readVerified(directory, file) };
  const problem = await fileProblem(directory, file);
  if (problem !== undefined) throw refusalOf(problem);
  return { ...about, content: { localPath: join(directory, file.path) } };
}

/** Uploads manifest and signature, after the files, and reads the manifest back. */
async function pushSeal(
  { directory, version }: LocatedVersion,
  manifest: Buffer,
  writer: RemoteWriter,
): Promise<void> {
  const path = `${version}/${PATHS.manifest}`;
  await writer.write(path, sealedUpload(manifest, "application/json"));
  if (lstatSync(join(directory, PATHS.signature), { throwIfNoEntry: false }) !== undefined) {
    const signature = readCapped(directory, PATHS.signature, SIGNATURE_BYTES);
    const upload = sealedUpload(signature, "application/octet-stream");
    await writer.write(`${version}/${PATHS.signature}`, upload);
  }
  const remoteManifest = await writer.readSmall(path, manifest.length);
  if (typeof remoteManifest === "object" && remoteManifest.bytes.equals(manifest)) return;
  throw fileRefused("REMOTE_STALE", writer, path, "reads back differently than it was written");
}

function sealedUpload(content: Buffer, mediaType: string): RemoteUpload {
  const sha256 = sha256Hex(content);
  return { content, bytes: content.length, sha256, mediaType };
}

const NO_ETAG = '"00000000000000000000000000000000"';

/**
 * Whether the storage refuses a write whose condition does not hold, tested with a throw-away file. Some storages ignore
 * the header; then two publishers could both believe that they won.
 */
async function refusesConflicts({ write, swap, remove }: RemoteWriter): Promise<boolean> {
  const path = `.govdata-probe-${randomUUID()}`;
  const content = Buffer.from("Whether this storage refuses conditional writes; to be deleted.\n");
  await write(path, sealedUpload(content, "text/plain"));
  try {
    return !(await swap(path, content, undefined)) && !(await swap(path, content, NO_ETAG));
  } finally {
    await remove([path]).catch(() => {
      // A small file stays if the credentials do not allow deletion.
    });
  }
}

/**
 * Deletes every version in remote storage, complete or not, that contains a hidden entity; returns the names of the
 * deleted versions. Keeps the current version, which must be replaced first. After an error, call it again.
 */
export async function removeNaming(
  writer: RemoteWriter,
  isHidden: (entityId: string) => boolean,
): Promise<readonly string[]> {
  const current = (await readRemotePointer(writer))?.pointer.version;
  const removed: string[] = [];
  for (const version of versionNames(await writer.listFolders())) {
    if (version === current) continue;
    const folder = `${version}/`;
    const isEntity = (path: string) => path.startsWith(`${folder}entities/`);
    const namesHidden = ({ path }: { readonly path: string }) => {
      const identity = identifyFile(path.slice(folder.length));
      return identity?.kind === "entity" && isHidden(identity.id);
    };
    if (!(await writer.list(`${folder}entities/`)).some(namesHidden)) continue;
    // The manifest first, so that nobody starts to read the version; entities last, so that an interrupted deletion is
    // found again.
    await writer.remove([`${folder}${PATHS.manifest}`]);
    const paths = (await writer.list(folder)).map(({ path }) => path);
    await writer.remove(paths.filter((path) => !isEntity(path)));
    await writer.remove(paths.filter(isEntity));
    removed.push(version);
  }
  return removed;
}
