import { sha256Hex } from "../format/canonical-json.ts";
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
import { attempt, readable, SnapshotError } from "../store/read/snapshot-error.ts";
import { movePointer } from "../store/write/publish-version.ts";
import { whileLocked } from "../store/write/snapshot-disk.ts";
import { nameVersion } from "../store/write/write-version.ts";
import { openPullStaging, pullFiles } from "./pull-files.ts";
import { orInvalid, type RemotePointer, readNewPointer } from "./remote-pointer.ts";
import { fileRefused, type PullVersionOptions, RemoteError } from "./remote-store.ts";

/** What a pull came to; `etag` is that of the remote pointer, for the next call. */
export type PullResult = Awaited<ReturnType<typeof pullVersion>>;

/**
 * Brings the version that a remote pointer names under a local root, whole or not at all, the local pointer last. What a
 * pull that was cut has left is taken up, what the version before holds is linked. Throws `RemoteError` (REMOTE_STALE: not
 * there yet, the next poll tries again) or `SnapshotError`.
 */
export async function pullVersion(options: PullVersionOptions) {
  const { disk, reader } = options;
  const remote = await readNewPointer(reader, options.knownEtag, options.signal);
  if (remote === "unchanged") return { kind: "unchanged" as const, etag: options.knownEtag };
  if (remote === undefined)
    throw new RemoteError("REMOTE_MISSING", `${reader.name}: nothing is published there`);
  await attempt("make the snapshot root", () => disk.makeRoot());
  return whileLocked(disk, () => pullLocked(options, remote));
}

async function pullLocked(options: PullVersionOptions, { pointer, etag }: RemotePointer) {
  const { disk, signal } = options;
  // A pointer that cannot be read names nothing, and is replaced by one that can.
  const previous = readable(() => readPreviousVersion(disk.root));
  const before = previous?.pointer;
  const { version, sequence } = pointer;
  if (before?.version === version && before.manifest.sha256 === pointer.manifest.sha256) {
    return { kind: "unchanged" as const, etag };
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
      // Of another version that was begun here, perhaps.
      await staging.drop(path);
      if (bytes !== undefined) await staging.take(path, (write) => write(bytes));
    }
    await staging.settle(seal.files);
    await nameVersion(disk, staging.path, version);
    await movePointer(disk, staging.path, pointer);
    return { kind: "pulled" as const, version, sequence, etag, ...counts };
  } catch (error) {
    // A full disk must not stay full; what came over a network that broke is kept for the next pull.
    if (error instanceof SnapshotError && error.code === "PUBLISH_FAILED") await staging.remove();
    throw error;
  }
}

/**
 * Refuses an unsigned pointer that is so far ahead that no honest one would ever follow it, also where an older one is
 * allowed: the pointer may have changed since that was decided.
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
  const why = `names sequence ${sequence}, and without a signature none above ${most} is taken after ${seen}`;
  throw fileRefused("REMOTE_INVALID", reader, POINTER_FILE, why);
}

/**
 * The manifest that a remote pointer speaks of, its signature (undefined where it has none, and nobody asked for one),
 * and the files that are wanted of it: by size, hash and key before it is taken apart.
 * Throws `RemoteError` (REMOTE_STALE where it is not there yet) or `SnapshotError` SNAPSHOT_UNSIGNED.
 */
async function pullSeal(options: PullVersionOptions, pointer: Pointer) {
  const { reader, signal, wanted = () => true } = options;
  const path = `${pointer.version}/${PATHS.manifest}`;
  const bytesMax = Math.min(pointer.manifest.bytes, MANIFEST_BYTES_MAX);
  const read = await reader.readSmall(path, bytesMax, undefined, signal);
  if (read === undefined || read === "unchanged") {
    throw fileRefused("REMOTE_STALE", reader, path, "is not there (yet), and the pointer names it");
  }
  const { bytes } = read;
  const seal = { sha256: sha256Hex(bytes), bytes };
  await orInvalid(reader.name, () => {
    assertSealed(pointer, seal);
    assertNamed(pointer.version, seal);
  });
  const signature = await readSignature(options, `${pointer.version}/${PATHS.signature}`, bytes);
  const files = await orInvalid(reader.name, () => {
    const manifest = parseManifest(bytes);
    assertSameMoment(pointer, manifest);
    // No reader opens a version without an index.
    manifestFile(manifest, PATHS.index);
    return manifest.files.filter((file) => wanted(file.path));
  });
  return { manifest: bytes, signature, files };
}

/** The signature of a manifest, where there is one, believed where keys are asked for. */
async function readSignature(
  { reader, signal, trustedKeys }: PullVersionOptions,
  path: string,
  manifest: Buffer,
): Promise<Buffer | undefined> {
  const read = await reader
    .readSmall(path, SIGNATURE_BYTES, undefined, signal)
    .catch((error: unknown): undefined => {
      // Many places answer 403 for what is not there: where nobody asked, that is none.
      const isRefused = error instanceof RemoteError && error.code === "REMOTE_REFUSED";
      if (!isRefused || trustedKeys !== undefined) throw error;
    });
  const signature = typeof read === "object" ? read.bytes : undefined;
  const isSigned = signature !== undefined && trustedKeys?.some((key) => key.isSignerOf(manifest, signature));
  if (trustedKeys !== undefined && !isSigned) {
    const why =
      signature === undefined
        ? "is missing"
        : "is of none of the trusted keys, which have not signed this manifest";
    throw new SnapshotError("SNAPSHOT_UNSIGNED", `${reader.name}: ${PATHS.signature} ${why}`, {
      path: PATHS.signature,
    });
  }
  if (signature !== undefined && signature.length !== SIGNATURE_BYTES) {
    throw fileRefused("REMOTE_INVALID", reader, path, "is no signature");
  }
  return signature;
}
