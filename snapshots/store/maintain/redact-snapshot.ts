import { existsSync } from "node:fs";
import { join } from "node:path";
import { type HiddenEntity, hiddenEntity } from "../../format/hidden-entities.ts";
import { FORMAT_VERSION } from "../../format/limits.ts";
import { Manifest } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import { carriedSignature, type LocatedVersion, locateVersion } from "../read/locate-version.ts";
import type { Signer, SignManifest } from "../read/manifest-signature.ts";
import { readPointer, versionNames } from "../read/read-pointer.ts";
import { attempt, SnapshotError } from "../read/snapshot-error.ts";
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

/** Who is to be taken out of what is kept, and how. */
export interface RedactionOptions {
  readonly runId: string;
  readonly isHidden: (entityId: string) => boolean;
  /** Opted-out entities with labels and wallets that no kept version may know. */
  readonly known: readonly HiddenEntity[];
  /** Only says what would change. */
  readonly isDryRun: boolean;
  /** Called once the pointer has moved, before what it named is deleted: readers may still be on their way. */
  readonly whileReadersFollow: () => Promise<void>;
  /** Signs what takes the place of a version that one of its trusted keys has signed, and nothing else. */
  readonly signer?: Signer | undefined;
}

/**
 * Takes entities out of every kept version that can be read, the current one first: each that names one is written anew
 * under a new name, then deleted. A crash in between leaves a readable root, and the next call finishes.
 */
export async function redactSnapshot(disk: SnapshotDisk, options: RedactionOptions) {
  // Publishing asks for the lock that is held here already.
  return whileLocked(disk, (held) => redactLocked(held, options));
}

async function redactLocked(disk: SnapshotDisk, options: RedactionOptions) {
  const pointer = readPointer(disk.root);
  if (!options.isDryRun) {
    await attempt("clear what an earlier run left", () => clearLeftovers(disk, pointer));
  }
  const isCurrent = (version: string) => version === pointer.version;
  const names = versionNames(await attempt("look at the versions", () => disk.names(".")));
  const unredacted: { readonly version: string; readonly isCurrent: boolean; readonly message: string }[] =
    [];
  const leave = (version: string, message: string) =>
    unredacted.push({ version, isCurrent: isCurrent(version), message });
  const versions = names.flatMap((version) => {
    const located = orDamage(() => locateVersion(disk.root, { version }));
    if ("value" in located) return [located.value];
    leave(version, located.damage);
    return [];
  });
  const hidden = hiddenIn(versions, options);
  const results: Awaited<ReturnType<typeof replaceVersion>>["result"][] = [];
  const expired = new Set<string>();
  // What everybody reads comes first.
  for (const located of versions.toSorted(
    (a, b) => Number(isCurrent(b.version)) - Number(isCurrent(a.version)),
  )) {
    const { version } = located;
    if (expired.has(version)) continue;
    const draft = orDamage(() => draftRedaction(located, hidden));
    if ("damage" in draft) leave(version, draft.damage);
    else if (draft.value !== undefined) {
      const replaced = await replaceVersion(disk, draft.value, options, {
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
    /** Versions that name nobody who opted out. */
    unchanged: names.length - results.length - left.length - expired.size,
    /** What could not be read as a whole, and so may still name somebody: oldest first, with what is wrong, by file. */
    unredacted: left.toSorted((a, b) => (a.version < b.version ? -1 : 1)),
  };
}

/** Puts one version's redacted form in its place and deletes it; in a dry run only says so. */
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
  // The current version goes the way of every publishing. Its time stays: data do not get younger by taking some out.
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
  // At once, and not at the end: what fails later must not keep this one.
  await attempt(`delete the version ${replaced}`, () => discardVersion(disk, replaced));
  return { result: { ...result, replacedBy: version }, removed };
}

/** Reads something of a version; its damage is an answer like any other, as it says nothing of the versions beside it. */
function orDamage<Result>(read: () => Result): { readonly value: Result } | { readonly damage: string } {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof SnapshotError) return { damage: error.message };
    throw error;
  }
}

/** Everybody hidden, with all labels and wallets that any kept version or the registry knows of them. */
function hiddenIn(versions: readonly LocatedVersion[], options: RedactionOptions): readonly HiddenEntity[] {
  const found = versions.flatMap(readableEntitiesOf);
  const knownIds = new Set(options.known.map(({ entityId }) => entityId));
  return [
    ...options.known,
    ...found.filter(({ entity_id: id }) => knownIds.has(id) || options.isHidden(id)).map(hiddenEntity),
  ];
}

/** What a run that did not come to its end has written in the place of a version. A rollback replaces too, but is of another time. */
function standInOf(
  { version, manifest }: LocatedVersion,
  versions: readonly LocatedVersion[],
): string | undefined {
  return versions.find(
    ({ manifest: other }) =>
      other.redacted && other.replaces === version && other.created_at === manifest.created_at,
  )?.version;
}

/** Refusing would keep somebody named who must go, so what cannot be vouched for is redacted too, and not signed. */
function signFor({ located }: RedactedDraft, signer: RedactionOptions["signer"]): SignManifest | undefined {
  if (signer === undefined) return undefined;
  return carriedSignature(located, signer.trustedKeys) === "trusted" ? signer.signManifest : undefined;
}

/**
 * Writes the redacted form of a version that the pointer does not name, whole and verified before it has its name. It
 * keeps time and sequence of the one it replaces: it is the same moment of the past. Answers its name.
 */
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
          format: FORMAT_VERSION,
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
