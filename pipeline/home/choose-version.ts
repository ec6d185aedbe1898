import { VersionName } from "../../snapshots/format/ids.ts";
import type { Pointer } from "../../snapshots/format/manifest.ts";
import {
  keptVersions,
  methodNumberOf,
  ofLastMethod,
  redactedVersionOf,
} from "../../snapshots/store/read/kept-versions.ts";
import { type LocatedVersion, locateVersion } from "../../snapshots/store/read/locate-version.ts";
import { readPointer } from "../../snapshots/store/read/read-pointer.ts";
import { isSnapshotFailure, snapshotFailure } from "../../snapshots/store/read/snapshot-error.ts";
import { pipelineFailure } from "../facts/errors.ts";
import type { Settings } from "./settings.ts";
import { withStore } from "./store-errors.ts";

/** Selects a kept version by name or by moment; by default the current one. */
export interface VersionOptions {
  /** A name, `current`, or `previous` (the one published before the current). */
  readonly version: string | undefined;
  readonly asOfMs?: number | undefined;
}

/**
 * Finds a kept version; reads other manifests only for `previous`, a moment or a name that is gone. Throws `NOT_FOUND`, listing
 * the kept versions, and SNAPSHOT_INVALID for a version that exists but is damaged.
 */
export function chooseVersion({ snapshotsDirectory: root }: Settings, options: VersionOptions) {
  return withStore(() => {
    const pointer = readPointer(root);
    const name = selectedName(root, pointer, options);
    const located =
      name === undefined
        ? undefined
        : (locatePublished(root, pointer, name) ?? locateRedacted(root, pointer, name));
    if (located !== undefined) return { ...located, isCurrent: located.version === pointer.version };
    throw pipelineFailure("NOT_FOUND", missingMessage(options), {
      hint: keptVersionsHint(keptVersions(root)),
    });
  });
}

/** As `chooseVersion`, for reading evidence: throws `SNAPSHOT_INVALID` for a version of another method. */
export async function chooseExplained(settings: Settings, options: VersionOptions) {
  const chosen = await chooseVersion(settings, options);
  const current = chosen.isCurrent ? chosen : await chooseVersion(settings, { version: "current" });
  if (methodNumberOf(chosen.manifest) === methodNumberOf(current.manifest)) return chosen;
  const [chosenMethod, currentMethod] = [chosen, current].map(({ manifest }) => manifest.methodology_version);
  throw pipelineFailure(
    "SNAPSHOT_INVALID",
    `version ${chosen.version} uses method ${chosenMethod}, the current one ${currentMethod}: their scores cannot be compared, and their evidence has another form`,
    { hint: "Use the release of govdata that made the version." },
  );
}

function selectedName(
  root: string,
  pointer: Pointer,
  { version, asOfMs }: VersionOptions,
): string | undefined {
  if (asOfMs !== undefined) return versionAsOf(keptVersions(root), asOfMs);
  if (version === undefined || version === "current") return pointer.version;
  if (version !== "previous") return version;
  // If the current version is damaged, this throws before another one is chosen.
  if (locatePublished(root, pointer, pointer.version) === undefined) return undefined;
  return keptVersions(root).findLast(({ manifest }) => manifest.sequence < pointer.sequence)?.version;
}

/** The newest version as of exactly that moment, or else the version that was current then. */
function versionAsOf(kept: readonly LocatedVersion[], asOfMs: number): string | undefined {
  const chosen =
    kept.findLast(({ manifest }) => Date.parse(manifest.as_of) === asOfMs) ??
    kept.findLast(({ manifest }) => Date.parse(manifest.created_at) <= asOfMs);
  return chosen?.version;
}

/** `undefined` if there is no version of that name, or if it is newer than the pointer and so was never published. */
function locatePublished(root: string, pointer: Pointer, version: string): LocatedVersion | undefined {
  try {
    const located = locateVersion(root, { version });
    return located.manifest.sequence <= pointer.sequence ? located : undefined;
  } catch (error) {
    if (isSnapshotFailure(error) && error.code === "SNAPSHOT_MISSING") return undefined;
    throw error;
  }
}

/** The version that stands for one that was redacted: whoever has cited the old name finds the same numbers. */
function locateRedacted(root: string, pointer: Pointer, cited: string): LocatedVersion | undefined {
  if (!VersionName.safeParse(cited).success) return undefined;
  const version = redactedVersionOf(root, cited);
  return version === undefined ? undefined : locatePublished(root, pointer, version);
}

function missingMessage({ version, asOfMs }: VersionOptions): string {
  if (asOfMs !== undefined) {
    return `no version as of ${new Date(asOfMs).toISOString()} is kept, and none was published by then`;
  }
  if (version === "previous") return "no version before the current one is kept";
  return `no version ${version ?? "current"} is kept`;
}

/** How many versions are listed if none matches. */
const NAMED_MAX = 8;

function keptVersionsHint(kept: readonly LocatedVersion[]): string {
  const named = kept.slice(-NAMED_MAX).map(({ version, manifest }) => `${version} (as of ${manifest.as_of})`);
  const others = kept.length > NAMED_MAX ? ` and ${kept.length - NAMED_MAX} older ones` : "";
  return `Kept versions: ${named.join(", ")}${others}.`;
}

/** All kept versions with the current method, oldest first; throws `SNAPSHOT_INVALID` if one is damaged. */
export function everyVersion({ snapshotsDirectory: root }: Settings): Promise<readonly LocatedVersion[]> {
  return withStore(() => {
    const published = keptVersions(root, (version) => {
      try {
        return locateVersion(root, { version });
      } catch (error) {
        if (!isSnapshotFailure(error)) throw error;
        throw snapshotFailure(error.code, `version ${version}: ${error.message}`, { cause: error });
      }
    });
    return ofLastMethod(published);
  });
}
