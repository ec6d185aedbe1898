import { readdirSync } from "node:fs";
import { type KeptVersion, keptVersions } from "../../snapshots/store/read/kept-versions.ts";
import { type LocatedVersion, locateVersion } from "../../snapshots/store/read/locate-version.ts";
import { versionNames } from "../../snapshots/store/read/read-pointer.ts";
import { SnapshotError } from "../../snapshots/store/read/snapshot-error.ts";
import { PipelineError } from "../facts/errors.ts";
import type { Settings } from "./settings.ts";
import { withStore } from "./store-errors.ts";

/** Which kept version is meant: by name, or by a moment; the current one where nothing is said. */
export interface ChosenVersion {
  /** A name, `current`, or `previous`: the one published before the current. */
  readonly version: string | undefined;
  readonly asOfMs: number | undefined;
}

/** So many versions are named where none fits. */
const NAMED_MAX = 8;

function kinds(kept: readonly KeptVersion[]): string {
  const named = kept.slice(-NAMED_MAX).map(({ version, manifest }) => `${version} (as of ${manifest.as_of})`);
  const others = kept.length > NAMED_MAX ? ` and ${kept.length - NAMED_MAX} older ones` : "";
  return `Kept are ${named.join(", ")}${others}.`;
}

function byName(kept: readonly KeptVersion[], name: string): KeptVersion | undefined {
  const currentPlace = kept.findIndex(({ isCurrent }) => isCurrent);
  if (name === "current") return kept[currentPlace];
  if (name === "previous") return kept[currentPlace - 1];
  return kept.find(({ version }) => version === name);
}

/** The newest version of exactly that moment, or else the one that was current then. */
function byMoment(kept: readonly KeptVersion[], asOfMs: number): KeptVersion | undefined {
  return (
    kept.findLast(({ manifest }) => Date.parse(manifest.as_of) === asOfMs) ??
    kept.findLast(({ manifest }) => Date.parse(manifest.created_at) <= asOfMs)
  );
}

/** Names that stand for a version. */
const ALIASES: readonly string[] = ["current", "previous"];

/** A version that is there and cannot be believed says so itself; only one that is not there is missing. */
function assertBelieved(root: string, name = "current"): void {
  try {
    locateVersion(root, ALIASES.includes(name) ? {} : { version: name });
  } catch (error) {
    if (!(error instanceof SnapshotError) || error.code !== "SNAPSHOT_MISSING") throw error;
  }
}

/** Finds a kept version; throws `PipelineError` NOT_FOUND that says which there are. */
export async function chooseVersion(
  { snapshotsDirectory }: Settings,
  { version, asOfMs }: ChosenVersion,
): Promise<KeptVersion> {
  const kept = await withStore(() => keptVersions(snapshotsDirectory));
  const found = asOfMs === undefined ? byName(kept, version ?? "current") : byMoment(kept, asOfMs);
  if (found !== undefined) return found;
  if (asOfMs === undefined) await withStore(() => assertBelieved(snapshotsDirectory, version));
  const wished =
    asOfMs === undefined
      ? version === "previous"
        ? "no version before the current one is kept"
        : `no version ${version ?? "current"} is kept`
      : `no version as of ${new Date(asOfMs).toISOString()} is kept, and none was published by then`;
  throw new PipelineError("NOT_FOUND", wished, { hint: kinds(kept) });
}

/** One version, or every kept one. */
export interface VersionsOptions {
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
  { version, isOfAllVersions }: VersionsOptions,
): Promise<readonly LocatedVersion[]> {
  const root = settings.snapshotsDirectory;
  if (isOfAllVersions) return withStore(() => locateAll(root));
  const chosen = await chooseVersion(settings, { version, asOfMs: undefined });
  return withStore(() => [locate(root, chosen.version)]);
}
