import { readdirSync } from "node:fs";
import type { Pointer } from "../../snapshots/format/manifest.ts";
import {
  type KeptVersion,
  keptVersions,
  methodNumberOf,
  ofLastMethod,
} from "../../snapshots/store/read/kept-versions.ts";
import { type LocatedVersion, locateVersion } from "../../snapshots/store/read/locate-version.ts";
import { readPointer, versionNames } from "../../snapshots/store/read/read-pointer.ts";
import { SnapshotError } from "../../snapshots/store/read/snapshot-error.ts";
import { PipelineError } from "../facts/errors.ts";
import type { Settings } from "./settings.ts";
import { withStore } from "./store-errors.ts";

/** Which kept version is meant: by name, or by a moment; the current one where nothing is said. */
export interface VersionOptions {
  /** A name, `current`, or `previous`: the one published before the current. */
  readonly version: string | undefined;
  readonly asOfMs?: number | undefined;
}

/** A kept version, its manifest verified. */
export type ChosenVersion = Awaited<ReturnType<typeof chooseVersion>>;

/**
 * Finds a kept version; manifests of others are read only where `previous` or a moment is asked for. Throws
 * `PipelineError` NOT_FOUND that says which there are, and SNAPSHOT_INVALID for one that is there and cannot be believed.
 */
export function chooseVersion({ snapshotsDirectory: root }: Settings, options: VersionOptions) {
  return withStore(() => {
    const pointer = readPointer(root);
    const name = nameMeant(root, pointer, options);
    const located = name === undefined ? undefined : locatePublished(root, pointer, name);
    if (located !== undefined) return { ...located, isCurrent: located.version === pointer.version };
    throw new PipelineError("NOT_FOUND", whyMissing(options), { hint: whatIsKept(keptVersions(root)) });
  });
}

/** A kept version whose evidence is to be read: one of the method of the current one. Throws `PipelineError` as `chooseVersion` does. */
export async function chooseExplained(settings: Settings, options: VersionOptions) {
  const chosen = await chooseVersion(settings, options);
  const current = chosen.isCurrent ? chosen : await chooseVersion(settings, { version: "current" });
  if (methodNumberOf(chosen.manifest) === methodNumberOf(current.manifest)) return chosen;
  const [its, ours] = [chosen, current].map(({ manifest }) => manifest.methodology_version);
  throw new PipelineError(
    "SNAPSHOT_INVALID",
    `version ${chosen.version} is of method ${its}, the current one of ${ours}: their scores cannot be compared, and their evidence is written otherwise`,
    { hint: "Use the release of govdata that made the version." },
  );
}

function nameMeant(root: string, pointer: Pointer, { version, asOfMs }: VersionOptions): string | undefined {
  if (asOfMs !== undefined) return versionAsOf(keptVersions(root), asOfMs);
  if (version === undefined || version === "current") return pointer.version;
  if (version !== "previous") return version;
  // What came before a version that is damaged is not told before the damage.
  if (locatePublished(root, pointer, pointer.version) === undefined) return undefined;
  return keptVersions(root).findLast(({ manifest }) => manifest.sequence < pointer.sequence)?.version;
}

/** The newest version of exactly that moment, or else the one that was current then. */
function versionAsOf(kept: readonly KeptVersion[], asOfMs: number): string | undefined {
  const found =
    kept.findLast(({ manifest }) => Date.parse(manifest.as_of) === asOfMs) ??
    kept.findLast(({ manifest }) => Date.parse(manifest.created_at) <= asOfMs);
  return found?.version;
}

/** `undefined` where no version of that name is there, or one that lies past the pointer and was never published. */
function locatePublished(root: string, pointer: Pointer, version: string): LocatedVersion | undefined {
  try {
    const located = locateVersion(root, { version });
    return located.manifest.sequence <= pointer.sequence ? located : undefined;
  } catch (error) {
    if (error instanceof SnapshotError && error.code === "SNAPSHOT_MISSING") return undefined;
    throw error;
  }
}

function whyMissing({ version, asOfMs }: VersionOptions): string {
  if (asOfMs !== undefined) {
    return `no version as of ${new Date(asOfMs).toISOString()} is kept, and none was published by then`;
  }
  if (version === "previous") return "no version before the current one is kept";
  return `no version ${version ?? "current"} is kept`;
}

/** So many versions are named where none fits. */
const NAMED_MAX = 8;

function whatIsKept(kept: readonly KeptVersion[]): string {
  const named = kept.slice(-NAMED_MAX).map(({ version, manifest }) => `${version} (as of ${manifest.as_of})`);
  const others = kept.length > NAMED_MAX ? ` and ${kept.length - NAMED_MAX} older ones` : "";
  return `Kept are ${named.join(", ")}${others}.`;
}

/** Every kept version of the current one's method, oldest first; throws `PipelineError` SNAPSHOT_INVALID for one that cannot be believed. */
export function everyVersion({ snapshotsDirectory: root }: Settings): Promise<readonly LocatedVersion[]> {
  return withStore(() => {
    const { sequence } = readPointer(root);
    const published = versionNames(readdirSync(root))
      .map((version) => {
        try {
          return locateVersion(root, { version });
        } catch (error) {
          if (!(error instanceof SnapshotError)) throw error;
          throw new SnapshotError(error.code, `version ${version}: ${error.message}`, { cause: error });
        }
      })
      .filter(({ manifest }) => manifest.sequence <= sequence)
      .toSorted((a, b) => a.manifest.sequence - b.manifest.sequence);
    return ofLastMethod(published);
  });
}
