import type { Pointer } from "../format/manifest.ts";
import { PATHS } from "../format/paths.ts";
import { attempt } from "../store/attempt.ts";
import { refuseRollback } from "../store/locate-version.ts";
import { type PreviousVersion, readPreviousVersion } from "../store/previous-version.ts";
import { movePointer } from "../store/publish-version.ts";
import { SnapshotError } from "../store/snapshot-error.ts";
import { type PullCounts, pullFiles } from "./pull-files.ts";
import { type PulledSeal, pullSeal } from "./pull-manifest.ts";
import { openPullStaging, type PullStaging } from "./pull-staging.ts";
import type { PullResult, PullWish } from "./pull-wish.ts";
import { RemoteError } from "./remote-error.ts";
import { type RemotePointer, readNewPointer } from "./remote-pointer.ts";

/** What stands here; a pointer that cannot be read names nothing, and is replaced by one that can. */
function previousOf(root: string): PreviousVersion | undefined {
  try {
    return readPreviousVersion(root);
  } catch (error) {
    if (error instanceof SnapshotError) return undefined;
    throw error;
  }
}

function assertNewer(wish: PullWish, pointer: Pointer, previous: PreviousVersion | undefined): void {
  refuseRollback(pointer, wish.sequenceMin);
  if (wish.allowsRollback !== true) refuseRollback(pointer, previous?.pointer.sequence);
}

async function sealStaged(staging: PullStaging, { manifest, signature }: PulledSeal): Promise<void> {
  const seals = [
    [PATHS.manifest, manifest],
    [PATHS.signature, signature],
  ] as const;
  for (const [path, bytes] of seals) {
    // Of another version that was begun here, perhaps.
    await staging.drop(path);
    if (bytes !== undefined) await staging.take(path, (write) => write(bytes));
  }
}

/** Puts a version under its name, and points readers at it. */
async function place({ disk }: PullWish, staging: PullStaging, pointer: Pointer): Promise<void> {
  await attempt("name the version", () => disk.rename(staging.path, pointer.version));
  await attempt("make the name of the version durable", () => disk.syncDirectory("."));
  await movePointer(disk, staging.path, pointer);
}

async function pullInto(
  wish: PullWish,
  pointer: Pointer,
  previous: PreviousVersion | undefined,
): Promise<PullCounts> {
  const { disk } = wish;
  const seal = await pullSeal(wish, pointer);
  const { version } = pointer;
  const staging = await openPullStaging(disk, version);
  try {
    const counts = await pullFiles(wish, { version, previous, staging }, seal.files);
    wish.signal?.throwIfAborted();
    await sealStaged(staging, seal);
    await staging.settle(seal.files);
    await place(wish, staging, pointer);
    return counts;
  } catch (error) {
    // A full disk must not stay full; what came over a network that broke is kept for the next pull.
    if (error instanceof SnapshotError && error.code === "PUBLISH_FAILED") await staging.remove();
    throw error;
  }
}

async function pullLocked(wish: PullWish, { pointer, etag }: RemotePointer): Promise<PullResult> {
  const previous = previousOf(wish.disk.root);
  const before = previous?.pointer;
  if (before?.version === pointer.version && before.manifest.sha256 === pointer.manifest.sha256) {
    return { kind: "unchanged", etag };
  }
  assertNewer(wish, pointer, previous);
  const counts = await pullInto(wish, pointer, previous);
  return { kind: "pulled", version: pointer.version, sequence: pointer.sequence, etag, ...counts };
}

/**
 * Brings the version that a remote pointer names under a local root, whole or not at all: every file by size and hash
 * while it comes, the local pointer last. What a pull that was cut has left is taken up, what the version before holds is
 * linked. Throws `RemoteError` (REMOTE_STALE: not there yet, the next poll tries again) or `SnapshotError`
 * (SNAPSHOT_ROLLED_BACK, SNAPSHOT_UNSIGNED, PUBLISH_LOCKED, PUBLISH_FAILED); the local pointer then names what it named
 * before.
 */
export async function pullVersion(wish: PullWish): Promise<PullResult> {
  const { disk, reader } = wish;
  const remote = await readNewPointer(reader, wish.knownEtag, wish.signal);
  if (remote === "unchanged") return { kind: "unchanged", etag: wish.knownEtag };
  if (remote === undefined)
    throw new RemoteError("REMOTE_MISSING", `${reader.name}: nothing is published there`);
  await attempt("make the snapshot root", () => disk.makeRoot());
  const unlock = await attempt("take the publish lock", async () => disk.lock());
  try {
    return await pullLocked(wish, remote);
  } finally {
    unlock();
  }
}
