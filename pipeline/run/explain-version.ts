import { type KeptVersion, keptVersions } from "../../snapshots/store/kept-versions.ts";
import { locateVersion } from "../../snapshots/store/locate-version.ts";
import { SnapshotError } from "../../snapshots/store/snapshot-error.ts";
import { PipelineError } from "../base/pipeline-error.ts";
import type { Settings } from "./settings.ts";
import { withStore } from "./store-errors.ts";

/** Which kept version is meant: by name, or by a moment; the current one where nothing is said. */
export interface VersionWish {
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
  { version, asOfMs }: VersionWish,
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
