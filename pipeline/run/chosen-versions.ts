import { readdirSync } from "node:fs";
import { keptVersions } from "../../snapshots/store/kept-versions.ts";
import { type LocatedVersion, locateVersion } from "../../snapshots/store/locate-version.ts";
import { versionNames } from "../../snapshots/store/retention.ts";
import { SnapshotError } from "../../snapshots/store/snapshot-error.ts";
import { chooseVersion } from "./explain-version.ts";
import type { Settings } from "./settings.ts";
import { withStore } from "./store-errors.ts";

/** One version, or every kept one. */
export interface VersionsWish {
  /** A name, `current` or `previous`; the current one where absent. */
  readonly version: string | undefined;
  readonly isOfAllVersions: boolean;
}

function locate(root: string, version: string): LocatedVersion {
  try {
    return locateVersion(root, { version });
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    throw new SnapshotError(error.code, `version ${version}: ${error.message}`, { cause: error });
  }
}

/** Every kept version by sequence. One that cannot be believed is refused rather than left out without a word. */
function locateAll(root: string): readonly LocatedVersion[] {
  const kept = keptVersions(root);
  const located = versionNames(readdirSync(root)).map((version) => locate(root, version));
  // What lies past the pointer was never published.
  const published = new Set(kept.map(({ version }) => version));
  return located
    .filter(({ version }) => published.has(version))
    .toSorted((a, b) => a.manifest.sequence - b.manifest.sequence);
}

/** The versions that are meant, oldest first, each with its manifest verified; throws `PipelineError`. */
export async function chosenVersions(
  settings: Settings,
  { version, isOfAllVersions }: VersionsWish,
): Promise<readonly LocatedVersion[]> {
  const root = settings.snapshotsDirectory;
  if (isOfAllVersions) return withStore(() => locateAll(root));
  const chosen = await chooseVersion(settings, { version, asOfMs: undefined });
  return withStore(() => [locate(root, chosen.version)]);
}
