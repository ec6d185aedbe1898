import { existsSync } from "node:fs";
import { join } from "node:path";
import type { HiddenEntity } from "../format/hidden-entities.ts";
import { PATHS } from "../format/paths.ts";
import { attempt } from "./attempt.ts";
import { carriedSignature } from "./carried-signature.ts";
import { type LocatedVersion, locateVersion } from "./locate-version.ts";
import type { Signer, SignManifest } from "./manifest-signature.ts";
import { publishVersion } from "./publish-version.ts";
import { readPointer } from "./read-pointer.ts";
import { draftRedaction, entitiesOf, type RedactedDraft } from "./redact-draft.ts";
import { versionNames } from "./retention.ts";
import type { SnapshotDisk } from "./snapshot-disk.ts";
import { SnapshotError } from "./snapshot-error.ts";
import { clearLeftovers, discardVersion } from "./tidy-root.ts";
import { writeRedacted } from "./write-redacted.ts";

/** Who is to be taken out of what is kept, and how. */
export interface RedactionWish {
  readonly runId: string;
  readonly isHidden: (entityId: string) => boolean;
  /** Opted-out entities with labels and wallets that no kept version may know. */
  readonly known: readonly HiddenEntity[];
  /** Only says what would change. */
  readonly isDryRun: boolean;
  /** Called once the pointer has moved, before anything is deleted: readers may still be on their way. */
  readonly whileReadersFollow: () => Promise<void>;
  /** Signs what takes the place of a version that one of its trusted keys has signed, and nothing else. */
  readonly signer?: Signer | undefined;
}

/** What became of one version, or would. */
export interface RedactedVersion {
  readonly version: string;
  /** Its new name; undefined in a dry run. */
  readonly replacedBy: string | undefined;
  readonly entitiesDropped: number;
  readonly filesChanged: number;
  readonly filesLinked: number;
  readonly isSigned: boolean;
}

/** What was redacted. Versions that name nobody who opted out are left as they are. */
export interface RedactResult {
  readonly versions: readonly RedactedVersion[];
  readonly unchanged: number;
}

function locateAll(root: string, names: readonly string[]): readonly LocatedVersion[] {
  return versionNames(names).map((version) => {
    try {
      return locateVersion(root, { version });
    } catch (error) {
      throw damaged(version, error);
    }
  });
}

/** A version that cannot be read cannot be redacted, and may not stay for that: somebody has to decide. */
function damaged(version: string, error: unknown): unknown {
  if (!(error instanceof SnapshotError) || error.code === "DOCUMENT_INVALID") return error;
  const message = `version ${version} is damaged and cannot be redacted; delete its folder, or put it right (${error.message})`;
  return new SnapshotError("SNAPSHOT_INVALID", message, { path: error.path ?? version, cause: error });
}

/** Everybody hidden, with all labels and wallets that any kept version or the registry knows of them. */
function hiddenIn(versions: readonly LocatedVersion[], wish: RedactionWish): readonly HiddenEntity[] {
  const found = versions.flatMap((located) => {
    try {
      return entitiesOf(located);
    } catch (error) {
      throw damaged(located.version, error);
    }
  });
  const knownIds = new Set(wish.known.map(({ entityId }) => entityId));
  return [
    ...wish.known,
    ...found
      .filter(({ entity_id }) => knownIds.has(entity_id) || wish.isHidden(entity_id))
      .map(({ entity_id, label, wallets }) => ({ entityId: entity_id, label, wallets })),
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

const carriesSignature = (root: string, version: string) => existsSync(join(root, version, PATHS.signature));

/** Refusing would keep somebody named who must go, so what cannot be vouched for is redacted too, and not signed. */
function signFor({ located }: RedactedDraft, signer: RedactionWish["signer"]): SignManifest | undefined {
  if (signer === undefined) return undefined;
  return carriedSignature(located, signer.trustedKeys) === "trusted" ? signer.signManifest : undefined;
}

function tellOf(draft: RedactedDraft, replacedBy: string | undefined, isSigned: boolean): RedactedVersion {
  return {
    isSigned,
    version: draft.located.version,
    replacedBy,
    entitiesDropped: draft.droppedCount,
    filesChanged: draft.files.length,
    filesLinked: draft.kept.length,
  };
}

/** The current version goes the way of every publishing. Its time stays: data do not get younger by taking some out. */
async function publishRedacted(
  draft: RedactedDraft,
  publication: { readonly runId: string; readonly signManifest: SignManifest | undefined },
  disk: SnapshotDisk,
): Promise<string> {
  const { located, files, kept } = draft;
  const { version } = await publishVersion(
    { ...publication, createdAtMs: Date.parse(located.manifest.created_at) },
    () => ({
      about: { ...located.manifest, replaces: located.version, redacted: true },
      files,
      kept: { version: located.version, entries: kept },
    }),
    disk,
  );
  return version;
}

async function redactLocked(disk: SnapshotDisk, wish: RedactionWish): Promise<RedactResult> {
  const pointer = readPointer(disk.root);
  if (!wish.isDryRun) {
    await attempt("clear what an earlier run left", () => clearLeftovers(disk, pointer));
  }
  const versions = locateAll(disk.root, await attempt("look at the versions", () => disk.names(".")));
  const hidden = hiddenIn(versions, wish);
  const doomed: string[] = [];
  const told: RedactedVersion[] = [];
  let current: RedactedDraft | undefined;
  for (const located of versions) {
    const draft = draftOf(located, hidden);
    if (draft === undefined) continue;
    if (located.version === pointer.version) {
      current = draft;
      continue;
    }
    doomed.push(located.version);
    const standIn = standInOf(located, versions);
    const signManifest = signFor(draft, wish.signer);
    const write = () => standIn ?? writeRedacted(disk, draft, signManifest);
    const isSigned =
      standIn === undefined ? signManifest !== undefined : carriesSignature(disk.root, standIn);
    told.push(tellOf(draft, wish.isDryRun ? undefined : await write(), isSigned));
  }
  if (current !== undefined) {
    const last = current;
    doomed.push(current.located.version);
    const signManifest = signFor(current, wish.signer);
    const publication = { runId: wish.runId, signManifest };
    const publish = () => publishRedacted(last, publication, disk);
    told.push(tellOf(current, wish.isDryRun ? undefined : await publish(), signManifest !== undefined));
  }
  if (!wish.isDryRun && doomed.length > 0) {
    if (current !== undefined) await wish.whileReadersFollow();
    for (const version of doomed) {
      await attempt(`delete the version ${version}`, () => discardVersion(disk, version));
    }
  }
  return { versions: told, unchanged: versions.length - doomed.length };
}

function draftOf(located: LocatedVersion, hidden: readonly HiddenEntity[]): RedactedDraft | undefined {
  try {
    return draftRedaction(located, hidden);
  } catch (error) {
    throw damaged(located.version, error);
  }
}

/**
 * Takes entities out of every kept version: each that names one is written anew under a new name, then the pointer
 * moves, then the old ones are deleted. A crash in between leaves a readable root, and the next call finishes. Throws
 * `SnapshotError`.
 */
export async function redactSnapshot(disk: SnapshotDisk, wish: RedactionWish): Promise<RedactResult> {
  const unlock = await attempt("take the publish lock", async () => disk.lock());
  try {
    // Publishing asks for the lock that is held here already.
    return await redactLocked({ ...disk, lock: () => () => {} }, wish);
  } finally {
    unlock();
  }
}
