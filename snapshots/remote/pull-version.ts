import { createHash } from "node:crypto";
import { FIRST_SEQUENCE_MAX, MANIFEST_BYTES_MAX, SEQUENCE_LEAD_MAX } from "../format/limits.ts";
import type { Pointer } from "../format/manifest.ts";
import { PATHS, SIGNATURE_BYTES } from "../format/paths.ts";
import { readPreviousVersion } from "../store/read/kept-versions.ts";
import {
  assertNamed,
  assertSameMoment,
  assertSealed,
  manifestFile,
  parseManifest,
  refuseRollback,
} from "../store/read/locate-version.ts";
import { POINTER_FILE } from "../store/read/read-pointer.ts";
import {
  attempt,
  isSnapshotFailure,
  readable,
  type SnapshotFailure,
  snapshotFailure,
} from "../store/read/snapshot-error.ts";
import { movePointer } from "../store/write/publish-version.ts";
import { whileLocked } from "../store/write/snapshot-disk.ts";
import { nameVersion } from "../store/write/write-version.ts";
import { openPullStaging, pullFiles } from "./pull-files.ts";
import { orInvalid, readRemotePointer } from "./remote-pointer.ts";
import { fileRefused, isRemoteFailure, type PullVersionOptions, remoteFailure } from "./remote-store.ts";

export type PullResult = Awaited<ReturnType<typeof pullVersion>>;

/**
 * Pulls the version that the remote pointer names into a local root, completely or not at all, and moves the local
 * pointer last. Reuses files of an interrupted pull, and links those of the previous version. Throws `RemoteFailure`
 * (REMOTE_STALE: not complete yet, so try again later) or `SnapshotFailure`.
 */
export async function pullVersion(options: PullVersionOptions) {
  const { disk, reader } = options;
  const remote = await readRemotePointer(reader, options.signal);
  if (remote === undefined)
    throw remoteFailure("REMOTE_MISSING", `${reader.name}: nothing is published here`);
  await attempt("make the snapshot root", () => disk.makeRoot());
  return whileLocked(disk, () => pullLocked(options, remote.pointer));
}

async function pullLocked(options: PullVersionOptions, pointer: Pointer) {
  const { disk, signal } = options;
  // An unreadable local pointer is replaced.
  const previous = readable(() => readPreviousVersion(disk.root));
  const before = previous?.pointer;
  const { version, sequence } = pointer;
  if (before?.version === version && before.manifest.sha256 === pointer.manifest.sha256) {
    return { kind: "unchanged" as const, version, sequence, files: 0, bytes: 0, linked: 0, kept: 0 };
  }
  refuseRollback(pointer, options.sequenceMin);
  if (options.allowsRollback !== true) refuseRollback(pointer, before?.sequence);
  refuseLeap(options, pointer, before?.sequence);
  const seal = await pullSeal(options, pointer);
  const staging = await openPullStaging(disk, version);
  try {
    const counts = await pullFiles(options, { version, previous, staging }, seal.files);
    signal?.throwIfAborted();
    for (const [path, bytes] of [
      [PATHS.manifest, seal.manifest],
      [PATHS.signature, seal.signature],
    ] as const) {
      // It may belong to another version whose pull was interrupted.
      await staging.drop(path);
      if (bytes !== undefined) await staging.take(path, (write) => write(bytes));
    }
    await staging.settle(seal.files);
    await nameVersion(disk, staging.path, version);
    await movePointer(disk, staging.path, pointer);
    return { kind: "pulled" as const, version, sequence, ...counts };
  } catch (error) {
    // Clears a full disk. After a network error the files are kept for the next pull.
    if (isSnapshotFailure(error) && error.code === "PUBLISH_FAILED") await staging.remove();
    throw error;
  }
}

/**
 * Refuses an unsigned pointer that is too far ahead for any honest one to follow it. This also holds if rollbacks are
 * allowed, because the pointer may have changed since the operator decided that.
 */
function refuseLeap(
  { reader, trustedKeys, sequenceMin = 0 }: PullVersionOptions,
  { sequence }: Pointer,
  sequenceHere = 0,
): void {
  // A signature vouches for the sequence.
  if (trustedKeys !== undefined) return;
  const seen = Math.max(sequenceHere, sequenceMin);
  const most = seen === 0 ? FIRST_SEQUENCE_MAX : seen + SEQUENCE_LEAD_MAX;
  if (sequence <= most) return;
  const why = `names sequence ${sequence}, and without a signature none above ${most} is accepted after ${seen}`;
  throw fileRefused("REMOTE_INVALID", reader, POINTER_FILE, why);
}

/**
 * Fetches the manifest that a remote pointer names, its signature (undefined if it has none and none is required), and
 * the list of wanted files. Verifies size, hash and signature before parsing. Throws `RemoteFailure` (REMOTE_STALE if
 * the manifest does not exist yet) or `SNAPSHOT_UNSIGNED`.
 */
async function pullSeal(options: PullVersionOptions, pointer: Pointer) {
  const { reader, trustedKeys, wanted = () => true } = options;
  const path = `${pointer.version}/${PATHS.manifest}`;
  if (pointer.manifest.bytes > MANIFEST_BYTES_MAX) {
    const why = `has ${pointer.manifest.bytes} bytes by the pointer, more than the ${MANIFEST_BYTES_MAX} allowed`;
    throw fileRefused("REMOTE_INVALID", reader, path, why);
  }
  // Before the manifest, which is large: without a signature no more than its first piece is fetched.
  const signature = await readSignature(options, pointer.version);
  if (trustedKeys !== undefined && signature === undefined) {
    // A version that is not complete yet has no signature either.
    for await (const _ of readManifest(options, pointer, path)) break;
    throw unsigned(reader, "is missing");
  }
  const seal = await fetchManifest(options, pointer, path);
  await orInvalid(reader.name, () => {
    assertSealed(pointer, seal);
    assertNamed(pointer.version, seal);
  });
  if (signature !== undefined && trustedKeys?.some((key) => key.isSignerOf(seal.bytes, signature)) === false)
    throw unsigned(reader, "is not by any of the trusted keys");
  const files = await orInvalid(reader.name, () => {
    const manifest = parseManifest(seal.bytes);
    assertSameMoment(pointer, manifest);
    // No reader opens a version without an index.
    manifestFile(manifest, PATHS.index);
    return manifest.files.filter((file) => wanted(file.path));
  });
  return { manifest: seal.bytes, signature, files };
}

/** The bytes of the manifest, and their hash. Holds each of them once, in memory reserved for the size in the pointer. */
async function fetchManifest(options: PullVersionOptions, pointer: Pointer, path: string) {
  const bytes = Buffer.alloc(pointer.manifest.bytes);
  const hash = createHash("sha256");
  let size = 0;
  for await (const piece of readManifest(options, pointer, path)) {
    if (size + piece.length > bytes.length) {
      throw fileRefused("REMOTE_INVALID", options.reader, path, "is larger than the pointer says");
    }
    bytes.set(piece, size);
    hash.update(piece);
    size += piece.length;
  }
  return { sha256: hash.digest("hex"), bytes: bytes.subarray(0, size) };
}

async function* readManifest(
  { reader, signal }: PullVersionOptions,
  pointer: Pointer,
  path: string,
): AsyncGenerator<Uint8Array> {
  try {
    yield* reader.read(path, pointer.manifest.bytes, signal);
  } catch (error) {
    if (!isRemoteFailure(error) || error.code !== "REMOTE_MISSING") throw error;
    throw fileRefused("REMOTE_STALE", reader, path, "is not there (yet), but the pointer names it");
  }
}

/** Fetches the signature of a manifest, if there is one; refuses what cannot be one. */
async function readSignature(
  { reader, signal, trustedKeys }: PullVersionOptions,
  version: string,
): Promise<Buffer | undefined> {
  const path = `${version}/${PATHS.signature}`;
  const read = await reader
    .readSmall(path, SIGNATURE_BYTES, undefined, signal)
    .catch((error: unknown): undefined => {
      // Many storages return 403 for a missing file, which is fine if no signature is required.
      const isRefused = isRemoteFailure(error) && error.code === "REMOTE_REFUSED";
      if (!isRefused || trustedKeys !== undefined) throw error;
    });
  const signature = typeof read === "object" ? read.bytes : undefined;
  if (signature === undefined || signature.length === SIGNATURE_BYTES) return signature;
  if (trustedKeys !== undefined) throw unsigned(reader, "is no signature");
  throw fileRefused("REMOTE_INVALID", reader, path, "is no signature");
}

function unsigned({ name }: PullVersionOptions["reader"], why: string): SnapshotFailure {
  return snapshotFailure("SNAPSHOT_UNSIGNED", `${name}: ${PATHS.signature} ${why}`, {
    path: PATHS.signature,
  });
}
