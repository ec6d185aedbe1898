import { existsSync } from "node:fs";
import { join } from "node:path";
import { type HiddenEntity, hiddenEntity } from "../../format/hidden-entities.ts";
import { Manifest } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import { type LocatedVersion, locateVersion, signatureStatus } from "../read/locate-version.ts";
import type { Signer, SignManifest } from "../read/manifest-signature.ts";
import { readPointer, versionNames } from "../read/read-pointer.ts";
import { attempt, isSnapshotFailure, orRefusal } from "../read/snapshot-error.ts";
import { deploymentOf, publishVersion } from "../write/publish-version.ts";
import { encodeDocument } from "../write/render-documents.ts";
import {
  clearLeftovers,
  discardVersion,
  type SnapshotDisk,
  STAGING_PREFIX,
  whileLocked,
} from "../write/snapshot-disk.ts";
import { writeVersion } from "../write/write-version.ts";
import { draftRedaction, type RedactedDraft, readableEntitiesOf } from "./redact-draft.ts";

interface RedactionOptions {
  readonly runId: string;
  readonly isHidden: (entityId: string) => boolean;
  /** Opted-out entities, with labels and wallets that the kept versions may not contain. */
  readonly known: readonly HiddenEntity[];
  readonly isDryRun: boolean;
  /** Called after the pointer was moved and before the old version is deleted, because readers may still use it. */
  readonly whileReadersFollow: () => Promise<void>;
  /** Signs only replacements of versions that one of its trusted keys has signed. */
  readonly signer?: Signer | undefined;
}

/**
 * Removes entities from every readable kept version, the current one first: writes a redacted version under a new name,
 * then deletes the old one. A crash in between leaves a readable root, and the next call finishes.
 */
export async function redactSnapshot(disk: SnapshotDisk, options: RedactionOptions) {
  // Publishing enters the same lock again.
  return whileLocked(disk, (held) => redactLocked(held, options));
}

async function redactLocked(disk: SnapshotDisk, options: RedactionOptions) {
  const pointer = readPointer(disk.root);
  if (!options.isDryRun) {
    await attempt("clear what an earlier run left", () => clearLeftovers(disk, pointer));
  }
  const isCurrent = (version: string) => version === pointer.version;
  const names = versionNames(await attempt("list the versions", () => disk.names(".")));
  const unredacted: { readonly version: string; readonly isCurrent: boolean; readonly message: string }[] =
    [];
  const leave = (version: string, message: string) =>
    unredacted.push({ version, isCurrent: isCurrent(version), message });
  const versions = names.flatMap((version) => {
    const located = orRefusal(() => locateVersion(disk.root, { version }));
    if (!isSnapshotFailure(located)) return [located];
    leave(version, located.message);
    return [];
  });
  const hidden = hiddenIn(versions, options);
  const results: Awaited<ReturnType<typeof replaceVersion>>["result"][] = [];
  const expired = new Set<string>();
  // The current version first, because everybody reads it.
  for (const located of versions.toSorted(
    (a, b) => Number(isCurrent(b.version)) - Number(isCurrent(a.version)),
  )) {
    const { version } = located;
    if (expired.has(version)) continue;
    const draft = orRefusal(() => draftRedaction(located, hidden));
    if (isSnapshotFailure(draft)) leave(version, draft.message);
    else if (draft !== undefined) {
      const replaced = await replaceVersion(disk, draft, options, {
        isCurrent: isCurrent(version),
        standIn: isCurrent(version) ? undefined : standInOf(located, versions),
      });
      results.push(replaced.result);
      for (const removed of replaced.removed) expired.add(removed);
    }
  }
  const left = unredacted.filter(({ version }) => !expired.has(version));
  return {
    /** The current one first. */
    versions: results,
    /** Number of versions that name no opted-out entity. */
    unchanged: names.length - results.length - left.length - expired.size,
    /** Damaged versions, which may still name somebody, with the problem; oldest first. */
    unredacted: left.toSorted((a, b) => (a.version < b.version ? -1 : 1)),
  };
}

/** Writes the redacted form of a version and deletes the version; in a dry run only returns the result. */
async function replaceVersion(
  disk: SnapshotDisk,
  draft: RedactedDraft,
  options: RedactionOptions,
  { isCurrent, standIn }: { readonly isCurrent: boolean; readonly standIn: string | undefined },
) {
  const replaced = draft.located.version;
  const signManifest = signFor(draft, options.signer);
  const isSigned =
    standIn === undefined
      ? signManifest !== undefined
      : existsSync(join(disk.root, standIn, PATHS.signature));
  const result = {
    isSigned,
    version: replaced,
    /** Its new name; undefined in a dry run. */
    replacedBy: undefined as string | undefined,
    entitiesDropped: draft.droppedCount,
    filesChanged: draft.files.length,
    filesLinked: draft.kept.length,
  };
  if (options.isDryRun) return { result, removed: [] };
  const { located, files, kept } = draft;
  // The current version is published again, with its old time, because redaction does not make data newer.
  const { version, removed } = isCurrent
    ? await publishVersion(
        { runId: options.runId, signManifest, createdAtMs: Date.parse(located.manifest.created_at) },
        () => ({
          about: { ...located.manifest, replaces: located.version, redacted: true },
          files,
          kept: { version: located.version, entries: kept },
        }),
        disk,
      )
    : { version: standIn ?? (await writeRedacted(disk, draft, signManifest)), removed: [] };
  if (isCurrent) await options.whileReadersFollow();
  // Deleted now, so that a later failure does not keep it.
  await attempt(`delete the version ${replaced}`, () => discardVersion(disk, replaced));
  return { result: { ...result, replacedBy: version }, removed };
}

/** All hidden entities, with every label and wallet in any kept version or in the registry. */
function hiddenIn(versions: readonly LocatedVersion[], options: RedactionOptions): readonly HiddenEntity[] {
  const entities = versions.flatMap(readableEntitiesOf);
  const knownIds = new Set(options.known.map(({ entityId }) => entityId));
  return [
    ...options.known,
    ...entities.filter(({ entity_id: id }) => knownIds.has(id) || options.isHidden(id)).map(hiddenEntity),
  ];
}

/** The replacement that an interrupted run has written. A rollback also has `replaces`, but another time. */
function standInOf(
  { version, manifest }: LocatedVersion,
  versions: readonly LocatedVersion[],
): string | undefined {
  return versions.find(
    ({ manifest: other }) =>
      other.redacted && other.replaces === version && other.created_at === manifest.created_at,
  )?.version;
}

/** The signer of a replacement. Versions without a trusted signature are redacted too, but not signed. */
function signFor({ located }: RedactedDraft, signer: RedactionOptions["signer"]): SignManifest | undefined {
  if (signer === undefined) return undefined;
  return signatureStatus(located, signer.trustedKeys) === "trusted" ? signer.signManifest : undefined;
}

/** Writes and verifies the redacted form of a non-current version, of the same time and sequence. Returns its name. */
async function writeRedacted(
  disk: SnapshotDisk,
  { located, files, kept }: RedactedDraft,
  signManifest: SignManifest | undefined,
): Promise<string> {
  const { version: replaces, manifest } = located;
  const staging = `${STAGING_PREFIX}redacted-${replaces}`;
  try {
    const written = await writeVersion(disk, staging, {
      files,
      kept: { version: replaces, entries: kept },
      previous: undefined,
      createdAtMs: Date.parse(manifest.created_at),
      signManifest,
      manifestBytes: (entries) =>
        encodeDocument(PATHS.manifest, Manifest, {
          ...manifest,
          ...deploymentOf(signManifest),
          replaces,
          redacted: true,
          files: entries,
        }),
    });
    return written.version;
  } catch (error) {
    await Promise.allSettled([disk.remove(staging)]);
    throw error;
  }
}
