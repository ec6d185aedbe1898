import { timestampOf } from "../../snapshots/format/ids.ts";
import { verifySnapshot } from "../../snapshots/store/maintain/verify-snapshot.ts";
import { abandonedVersions } from "../../snapshots/store/read/kept-versions.ts";
import { locateVersion } from "../../snapshots/store/read/locate-version.ts";
import { readPublishedDocuments } from "../../snapshots/store/read/read-documents.ts";
import { readPointer, versionNames } from "../../snapshots/store/read/read-pointer.ts";
import { SnapshotError } from "../../snapshots/store/read/snapshot-error.ts";
import { STAGING_PREFIX } from "../../snapshots/store/write/snapshot-disk.ts";
import { readHolder } from "../home/lock.ts";
import type { Settings } from "../home/settings.ts";
import { readSigningKey, trustedKeysOf } from "../home/signing-key.ts";
import { withStore } from "../home/store-errors.ts";
import { type Found, fail, fine, type MachineSight, warn } from "./doctor-home.ts";

/** Below the last digit that is told, an age is 0. */
const TOLD_HOURS = 0.05;

/** How long ago something was made; a clock that went back, or was ahead then, is said and not an age below 0. */
export function ageWords(hours: number, unit: "h" | "hours"): string {
  const isAhead = hours <= -TOLD_HOURS;
  return isAhead
    ? `${(-hours).toFixed(1)} ${unit} ahead of this clock`
    : `${Math.max(0, hours).toFixed(1)} ${unit} ago`;
}

/** Clocks of two machines may differ by so much before a gate refuses. */
const SKEW_MS = 5 * 60_000;
const HOUR_MS = 3_600_000;

/** What is published now. */
type PublishedLook = NonNullable<Awaited<ReturnType<typeof lookAtPublished>>>;

/** The pointer and every file of its version against its hash; `undefined` where nothing was published. Throws `PipelineError`. */
export async function lookAtPublished({ snapshotsDirectory }: Settings, sight: MachineSight) {
  return withStore(async () => {
    try {
      const pointer = readPointer(snapshotsDirectory);
      return { pointer, verification: await verifySnapshot(snapshotsDirectory) };
    } catch (error) {
      const isMissing = error instanceof SnapshotError && error.code === "SNAPSHOT_MISSING";
      if (isMissing && versionNames(sight.names(snapshotsDirectory)).length === 0) return undefined;
      throw error;
    }
  });
}

/** The DAOs of what is published, scored or not; `undefined` where nothing is, or its files are not what they should be. */
export async function publishedDaosOf(
  { snapshotsDirectory }: Settings,
  published: PublishedLook | undefined,
): Promise<readonly string[] | undefined> {
  if (published === undefined || published.verification.problems.length > 0) return undefined;
  return withStore(() => readPublishedDocuments(snapshotsDirectory).spaceIds);
}

/** That the current version is whole. */
export function judgeVersion(published: PublishedLook | undefined): Found {
  if (published === undefined) return warn("nothing is published yet", "`govdata run` publishes.");
  const { verification, pointer } = published;
  const [first] = verification.problems;
  if (first === undefined) {
    return fine(`${pointer.version} is whole: ${verification.files} files`);
  }
  const count = verification.problems.length;
  const next =
    "`govdata verify` lists all; `govdata publish` makes a whole one; `govdata rollback` goes back to one that `govdata verify VERSION` calls whole.";
  return fail(`${count} of its files wrong, first ${first.path} (${first.code})`, next);
}

/** The age of what is published, against a limit where one is given. */
export function judgeAge(
  published: PublishedLook | undefined,
  { nowMs, maxAgeHours }: { readonly nowMs: number; readonly maxAgeHours: number | undefined },
): Found {
  const next = "Look at the last run's output; `govdata run` publishes again.";
  if (published === undefined) {
    return maxAgeHours === undefined
      ? fine("nothing is published that could be old")
      : fail(`nothing is published; at most ${maxAgeHours} h are allowed`, next);
  }
  const hours = (nowMs - Date.parse(published.pointer.published_at)) / HOUR_MS;
  const said = `published ${ageWords(hours, "h")}`;
  if (maxAgeHours === undefined) return fine(said);
  if (hours > maxAgeHours) return fail(`${said}; at most ${maxAgeHours} h are allowed`, next);
  return fine(`${said}, within ${maxAgeHours} h`);
}

/** The home's key, and whether it signed what is published. Throws `PipelineError` HOME_INVALID for one that cannot be used. */
export async function checkSigning(settings: Settings, published: PublishedLook | undefined): Promise<Found> {
  const key = readSigningKey(settings);
  if (key === undefined) return fine("no key: versions are published unsigned");
  if (published === undefined) return fine("there is a key; what is published will be signed");
  try {
    locateVersion(settings.snapshotsDirectory, { trustedKeys: trustedKeysOf(key.plainKey) });
    return fine("the home's key has signed the current version");
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    if (error.code !== "SNAPSHOT_UNSIGNED") return fine("there is a key; see the version above");
    const next = "`govdata publish` signs anew; readers who ask for the new key take no other.";
    return warn("the home's key has not signed the current version", next);
  }
}

/** The clock against what was written by it: neither the last publish nor the newest fetch lies ahead of it. */
export function judgeClock(
  nowMs: number,
  published: PublishedLook | undefined,
  fetches: readonly { readonly fetchedAtMs: number }[],
): Found {
  const publishes = published === undefined ? [] : [Date.parse(published.pointer.published_at)];
  const [ahead] = [
    ...publishes.map((atMs) => ({ what: "the last publish", atMs })),
    ...fetches.map(({ fetchedAtMs: atMs }) => ({ what: "the newest fetch", atMs })),
  ].toSorted((a, b) => b.atMs - a.atMs);
  const clock = timestampOf(nowMs);
  if (ahead === undefined) return fine(`${clock}; there is nothing yet to hold it against`);
  if (ahead.atMs <= nowMs) return fine(`${clock}, after ${ahead.what}`);
  const message = `the clock says ${clock}, but ${ahead.what} was at ${timestampOf(ahead.atMs)}`;
  const next =
    "Set the clock (timedatectl). If it is right now and was ahead then: --allow clock, or fetch again.";
  return ahead.atMs - nowMs > SKEW_MS ? fail(message, next) : warn(message, next);
}

/** What a crash left under the snapshot root, or in the home. Throws `PipelineError` where the pointer was lost or put back. */
export async function checkLeftovers(
  settings: Settings,
  sight: MachineSight,
  published: PublishedLook | undefined,
): Promise<Found> {
  const { snapshotsDirectory, homeDirectory } = settings;
  const names = sight.names(snapshotsDirectory);
  const abandoned = await withStore(() =>
    abandonedVersions(snapshotsDirectory, versionNames(names), published?.pointer),
  );
  const left = [
    ...names.filter((name) => name.startsWith(STAGING_PREFIX)),
    ...abandoned,
    ...sight.names(homeDirectory).filter((name) => name.endsWith(".new")),
  ];
  const holder = readHolder(settings);
  if (holder?.isAlive === true && left.length === 0) {
    const since = timestampOf(Math.floor(holder.sinceMs));
    return fine(`none; a run is at work since ${since}: process ${holder.pid}`);
  }
  if (left.length === 0) return fine("none");
  const shown = `${left.slice(0, 2).join(", ")}${left.length > 2 ? ` and ${left.length - 2} more` : ""}`;
  return warn(shown, "The next publish deletes them, unless one is under way just now.");
}
