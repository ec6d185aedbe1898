import { encodeCanonical } from "../format/canonical-json.ts";
import { Pointer } from "../format/manifest.ts";
import { assertPointed, locateByName } from "../store/locate-version.ts";
import { readPointer } from "../store/read-pointer.ts";
import { assertSuccessor } from "./assert-successor.ts";
import { moveRemotePointer } from "./move-remote-pointer.ts";
import { type PushWatch, pushFiles, pushSeal } from "./push-files.ts";
import { readRemotePointer } from "./remote-pointer.ts";
import type { RemoteWriter } from "./remote-store.ts";

/** What to push and where; the current version of a root. */
export interface PushWish extends PushWatch {
  readonly root: string;
  readonly writer: RemoteWriter;
  /** Told once where the place takes conditional writes whose condition does not hold. */
  readonly warn: (message: string) => void;
}

/** What a push came to. */
export interface PushResult {
  /** `unchanged` where that very version was there already. */
  readonly kind: "pushed" | "unchanged";
  readonly version: string;
  readonly sequence: number;
  /** Files and bytes that went over the network, and files that were there from a push that was cut. */
  readonly files: number;
  readonly bytes: number;
  readonly skipped: number;
}

/**
 * Carries the current version of a root to a remote place: its files, what seals them, the pointer last and only where it
 * still is what it was. Whatever ends it before that leaves readers where they were. Throws `RemoteError` (REMOTE_MOVED
 * where the version there is not one that this follows) or `SnapshotError`.
 */
export async function pushVersion(wish: PushWish): Promise<PushResult> {
  const { root, writer, signal } = wish;
  const pointer = readPointer(root);
  const { bytes: manifest, sha256, ...local } = locateByName(root, pointer.version);
  assertPointed(pointer, local.manifest, { sha256, bytes: manifest });
  const { version, sequence } = pointer;
  const before = await readRemotePointer(writer, signal);
  if (before?.pointer.version === version && before.pointer.manifest.sha256 === sha256) {
    return { kind: "unchanged", version, sequence, files: 0, bytes: 0, skipped: 0 };
  }
  if (before !== undefined) assertSuccessor(root, local, before.pointer, writer.name);
  const isGuarded = await writer.refusesConflicts();
  if (!isGuarded) {
    wish.warn(`${writer.name}: this storage does not refuse conditional writes: keep one publisher`);
  }
  const counts = await pushFiles(local, writer, wish);
  await pushSeal(local, manifest, writer, signal);
  signal?.throwIfAborted();
  const bytes = encodeCanonical(Pointer, pointer);
  await moveRemotePointer(writer, { before, bytes, isGuarded });
  return { kind: "pushed", version, sequence, ...counts };
}
