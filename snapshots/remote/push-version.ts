import { lstatSync } from "node:fs";
import { join } from "node:path";
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
import { fileProblem, forEachInFlight, readCapped, readVerified } from "../store/read/verified-file.ts";
import { assertSuccessor, moveRemotePointer, readRemotePointer } from "./remote-pointer.ts";
import { fileRefused, type RemoteUpload, type RemoteWriter, type TransferProgress } from "./remote-store.ts";

/** Files on their way at a time: waiting for a distant storage is what takes the time. */
const FILES_IN_FLIGHT = 16;

/** A larger file is sent from the disk and not from memory. */
const IN_MEMORY_BYTES_MAX = 8 * 1024 * 1024;

/** What to push and where; the current version of a root. */
export interface PushOptions {
  readonly root: string;
  readonly writer: RemoteWriter;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: TransferProgress) => void) | undefined;
  /** Told once where the place takes conditional writes whose condition does not hold. */
  readonly warn: (message: string) => void;
}

/** What a push came to. */
export type PushResult = Awaited<ReturnType<typeof pushVersion>>;

/**
 * Carries the current version of a root to a remote place, the pointer last and only where it still is what it was. Throws
 * `RemoteError` (REMOTE_MOVED where the version there is not one that this follows) or `SnapshotError`.
 */
export async function pushVersion(options: PushOptions) {
  const { root, writer, signal } = options;
  const pointer = readPointer(root);
  const { bytes: manifest, sha256, ...local } = locateByName(root, pointer.version);
  assertSealed(pointer, { sha256, bytes: manifest });
  assertSameMoment(pointer, local.manifest);
  const { version, sequence } = pointer;
  const before = await readRemotePointer(writer, signal);
  if (before?.pointer.version === version && before.pointer.manifest.sha256 === sha256) {
    return { kind: "unchanged" as const, version, sequence, files: 0, bytes: 0, skipped: 0 };
  }
  if (before !== undefined) assertSuccessor(root, local, before.pointer, writer.name);
  const isGuarded = await writer.refusesConflicts();
  if (!isGuarded) {
    options.warn(`${writer.name}: this storage does not refuse conditional writes: keep one publisher`);
  }
  const counts = await pushFiles(local, options);
  await pushSeal(local, manifest, writer, signal);
  signal?.throwIfAborted();
  await moveRemotePointer(writer, before, encodeCanonical(Pointer, pointer), isGuarded);
  return { kind: "pushed" as const, version, sequence, ...counts };
}

/** Sends every file that a manifest names; what is there already with its size and hash is not sent again. */
async function pushFiles(
  { directory, version, manifest }: LocatedVersion,
  { writer, signal, onProgress }: PushOptions,
) {
  const there = new Map((await writer.list(`${version}/`, signal)).map(({ path, bytes }) => [path, bytes]));
  const bytesTotal = manifest.files.reduce((sum, { bytes }) => sum + bytes, 0);
  const filesTotal = manifest.files.length;
  /** Files and bytes that went over the network, and files that were there from a push that was cut. */
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
  // First those that tell whom the version names: so whatever cuts an upload off, somebody who opts out later is found in
  // what is left of it by the names of its files alone.
  const isEntity = ({ path }: ManifestFile) => identifyFile(path)?.kind === "entity";
  await forEachInFlight(manifest.files.filter(isEntity), FILES_IN_FLIGHT, carry);
  await forEachInFlight(
    manifest.files.filter((file) => !isEntity(file)),
    FILES_IN_FLIGHT,
    carry,
  );
  return done;
}

/** A file of a version, found good before it leaves: what has rotted here is to rot nowhere else. */
async function uploadOf(directory: string, file: ManifestFile): Promise<RemoteUpload> {
  const { bytes, sha256, media_type: mediaType } = file;
  const about = { bytes, sha256, mediaType, isImmutable: true };
  if (bytes <= IN_MEMORY_BYTES_MAX) return { ...about, content: readVerified(directory, file) };
  const problem = await fileProblem(directory, file);
  if (problem !== undefined) throw refusalOf(problem);
  return { ...about, content: { localPath: join(directory, file.path) } };
}

/** Sends what seals a version, after its files, and reads back what arrived. */
async function pushSeal(
  { directory, version }: LocatedVersion,
  manifest: Buffer,
  writer: RemoteWriter,
  signal: AbortSignal | undefined,
): Promise<void> {
  const path = `${version}/${PATHS.manifest}`;
  await writer.write(path, sealedUpload(manifest, "application/json"), signal);
  if (lstatSync(join(directory, PATHS.signature), { throwIfNoEntry: false }) !== undefined) {
    const signature = readCapped(directory, PATHS.signature, SIGNATURE_BYTES);
    const upload = sealedUpload(signature, "application/octet-stream");
    await writer.write(`${version}/${PATHS.signature}`, upload, signal);
  }
  const found = await writer.readSmall(path, manifest.length, undefined, signal);
  if (typeof found === "object" && found.bytes.equals(manifest)) return;
  throw fileRefused("REMOTE_STALE", writer, path, "does not read back as it was written");
}

function sealedUpload(content: Buffer, mediaType: string): RemoteUpload {
  const sha256 = sha256Hex(content);
  return { content, bytes: content.length, sha256, mediaType, isImmutable: true };
}

/**
 * Deletes every version at a remote place, also one never finished, that publishes one of these entities; answers their
 * names. What the pointer there names stays: it must be replaced first. What is left is found again by the next call.
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
    // First what makes it a version, so that nobody begins to read what is about to go; the names of entities last, so
    // that whatever cuts this off is found again.
    await writer.remove([`${folder}${PATHS.manifest}`]);
    const paths = (await writer.list(folder)).map(({ path }) => path);
    await writer.remove(paths.filter((path) => !isEntity(path)));
    await writer.remove(paths.filter(isEntity));
    removed.push(version);
  }
  return removed;
}
