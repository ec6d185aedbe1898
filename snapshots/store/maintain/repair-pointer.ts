import type { Pointer } from "../../format/manifest.ts";
import { newerVersions } from "../read/kept-versions.ts";
import { assertVouchedFor, locateByName, type SignatureRule } from "../read/locate-version.ts";
import { readPointer, versionNames } from "../read/read-pointer.ts";
import { attempt, isSnapshotFailure, readable, snapshotFailure } from "../read/snapshot-error.ts";
import { movePointer, pointerTo } from "../write/publish-version.ts";
import { type SnapshotDisk, STAGING_PREFIX } from "../write/snapshot-disk.ts";

/**
 * Replaces a lost, damaged or old pointer by one to the version with the highest sequence, so that no reader sees a
 * rollback. That version may be damaged: publish and rollback can repair that, whereas readers would refuse a lower
 * sequence. Throws `SnapshotFailure`.
 */
export async function repairPointer(disk: SnapshotDisk, options: SignatureRule & { readonly runId: string }) {
  const versions = versionNames(await attempt("list the versions", () => disk.names(".")));
  const repair = lookAtPointer(disk.root, versions);
  if (typeof repair !== "string") {
    // A good pointer stays; `rollback` is for moving it.
    const { version, sequence } = repair;
    return { version, sequence, pointerWas: "whole" as const, unreadable: [] };
  }
  // Versions without a readable manifest are skipped.
  const unreadable: string[] = [];
  let chosen: Candidate | undefined;
  for (const version of versions) {
    const candidate = readable(() => locateByName(disk.root, version));
    if (candidate === undefined) unreadable.push(version);
    else if (chosen === undefined || isLater(candidate, chosen)) chosen = candidate;
  }
  if (chosen === undefined) {
    throw snapshotFailure("SNAPSHOT_MISSING", "no version has a valid manifest");
  }
  const { version, manifest } = chosen;
  assertVouchedFor(chosen, options, {
    none: `the newest version, ${version}, has no signature (--allow signature)`,
    untrusted: `the newest version, ${version}, is signed by none of the trusted keys`,
  });
  await movePointer(disk, `${STAGING_PREFIX}${options.runId}`, pointerTo(chosen));
  return { version, sequence: manifest.sequence, pointerWas: repair, unreadable };
}

type Candidate = ReturnType<typeof locateByName>;

/** The pointer if it is good, else what is wrong with it. Throws `SnapshotFailure` for an unknown format. */
function lookAtPointer(root: string, versions: readonly string[]): Pointer | "missing" | "damaged" | "old" {
  try {
    const pointer = readPointer(root);
    // One newer version may be left by a crash; the next publish deletes it.
    return newerVersions(root, versions, pointer).length > 1 ? "old" : pointer;
  } catch (error) {
    if (!isSnapshotFailure(error)) throw error;
    if (error.code === "SNAPSHOT_MISSING") return "missing";
    if (error.code === "SNAPSHOT_INVALID") return "damaged";
    throw error;
  }
}

/** Whether `a` was published later. A redacted version has the sequence of the one it replaces, and counts as later. */
function isLater(a: Candidate, b: Candidate): boolean {
  if (a.manifest.sequence !== b.manifest.sequence) return a.manifest.sequence > b.manifest.sequence;
  if (a.manifest.redacted !== b.manifest.redacted) return a.manifest.redacted;
  return a.version > b.version;
}
