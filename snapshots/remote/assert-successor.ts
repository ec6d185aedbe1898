import type { Manifest, Pointer } from "../format/manifest.ts";
import { type LocatedVersion, locateVersion } from "../store/locate-version.ts";
import { POINTER_FILE } from "../store/read-pointer.ts";
import { SnapshotError } from "../store/snapshot-error.ts";
import { RemoteError } from "./remote-error.ts";

/** Somebody else's version stands where ours was to be. */
export function movedError(name: string, there: Pointer): RemoteError {
  const { version, sequence, published_at: at } = there;
  return new RemoteError(
    "REMOTE_MOVED",
    `${name}: holds ${version} (sequence ${sequence}, published at ${at}), and the version here does not follow it`,
    { path: POINTER_FILE },
  );
}

function manifestOf(root: string, version: string): Manifest | undefined {
  try {
    return locateVersion(root, { version }).manifest;
  } catch (error) {
    // Expired, redacted or damaged: it says nothing of what came before it.
    if (error instanceof SnapshotError) return undefined;
    throw error;
  }
}

/**
 * Refuses to replace a remote version that the one here does not follow: one of the same or a higher sequence, or one
 * that this root's own line of versions passes by. Where the line has a gap (a version expired), the sequence alone
 * decides. Throws `RemoteError` REMOTE_MOVED.
 */
export function assertSuccessor(root: string, local: LocatedVersion, there: Pointer, name: string): void {
  let at: Manifest | undefined = local.manifest;
  if (there.sequence >= at.sequence) throw movedError(name, there);
  while (at !== undefined && at.previous !== null) {
    const { version, sha256 } = at.previous;
    if (version === there.version && sha256 === there.manifest.sha256) return;
    // Each version has the sequence after the one before it, so here ours stood where theirs stands now.
    if (at.sequence - 1 <= there.sequence) throw movedError(name, there);
    at = manifestOf(root, version);
  }
  // A line that begins here, at a root of its own, follows nothing.
  if (at !== undefined) throw movedError(name, there);
}
