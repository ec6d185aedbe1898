import type { Pointer } from "../../format/manifest.ts";
import { newerVersions } from "../read/kept-versions.ts";
import { assertVouchedFor, locateByName, type SignatureRule } from "../read/locate-version.ts";
import { readPointer, versionNames } from "../read/read-pointer.ts";
import { attempt, readable, SnapshotError } from "../read/snapshot-error.ts";
import { movePointer, pointerTo } from "../write/publish-version.ts";
import { type SnapshotDisk, STAGING_PREFIX } from "../write/snapshot-disk.ts";

/**
 * Writes a pointer that is lost, damaged or an old one anew, from the manifest of the version with the highest sequence:
 * its own sequence and time, so that no reader sees a rollback. It need not be whole, as publishing and going back work
 * from there; an older one would be refused by everybody who has seen it. Throws `SnapshotError`.
 */
export async function repairPointer(disk: SnapshotDisk, options: SignatureRule & { readonly runId: string }) {
  const versions = versionNames(await attempt("look at the versions", () => disk.names(".")));
  const found = lookAtPointer(disk.root, versions);
  if (typeof found !== "string") {
    // Left as it is: moving a good one is what `rollback` is for.
    const { version, sequence } = found;
    return { version, sequence, pointerWas: "whole" as const, unreadable: [] };
  }
  // What they were is not known, and they are passed over.
  const unreadable: string[] = [];
  let chosen: Candidate | undefined;
  for (const version of versions) {
    const candidate = readable(() => locateByName(disk.root, version));
    if (candidate === undefined) unreadable.push(version);
    else if (chosen === undefined || isLater(candidate, chosen)) chosen = candidate;
  }
  if (chosen === undefined) {
    throw new SnapshotError("SNAPSHOT_MISSING", "no version has a valid manifest");
  }
  const { version, manifest } = chosen;
  assertVouchedFor(chosen, options, {
    none: `the newest version, ${version}, has no signature (--allow signature)`,
    untrusted: `the newest version, ${version}, is signed by none of the trusted keys`,
  });
  await movePointer(disk, `${STAGING_PREFIX}${options.runId}`, pointerTo(chosen));
  return { version, sequence: manifest.sequence, pointerWas: found, unreadable };
}

type Candidate = ReturnType<typeof locateByName>;

/** The pointer where it is whole, or what is wrong with it. Throws `SnapshotError` for one of another format. */
function lookAtPointer(root: string, versions: readonly string[]): Pointer | "missing" | "damaged" | "old" {
  try {
    const pointer = readPointer(root);
    // One newer version is what a crash leaves; the next publish deletes it.
    return newerVersions(root, versions, pointer).length > 1 ? "old" : pointer;
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    if (error.code === "SNAPSHOT_MISSING") return "missing";
    if (error.code === "SNAPSHOT_INVALID") return "damaged";
    throw error;
  }
}

/** The last one published; a redacted form has the sequence of what it replaces, and goes before it. */
function isLater(a: Candidate, b: Candidate): boolean {
  if (a.manifest.sequence !== b.manifest.sequence) return a.manifest.sequence > b.manifest.sequence;
  if (a.manifest.redacted !== b.manifest.redacted) return a.manifest.redacted;
  return a.version > b.version;
}
