import { timestampOf } from "../../snapshots/format/ids.ts";
import { verifySnapshot } from "../../snapshots/store/maintain/verify-snapshot.ts";
import { abandonedVersions } from "../../snapshots/store/read/kept-versions.ts";
import { locateVersion } from "../../snapshots/store/read/locate-version.ts";
import { readPublishedDocuments } from "../../snapshots/store/read/read-documents.ts";
import { readPointer, versionNames, versionsIn } from "../../snapshots/store/read/read-pointer.ts";
import { isSnapshotFailure } from "../../snapshots/store/read/snapshot-error.ts";
import { STAGING_PREFIX } from "../../snapshots/store/write/snapshot-disk.ts";
import { isPipelineFailure } from "../facts/errors.ts";
import { readHolder } from "../home/lock.ts";
import type { Settings } from "../home/settings.ts";
import { readSigningKey, trustedKeysOf } from "../home/signing-key.ts";
import { withStore } from "../home/store-errors.ts";
import { type Fact, fail, fine, listed, namesIn, warn } from "./check-home.ts";

/** Reads what is published; `undefined` before the first publish. A lost pointer or version is damage: it throws. */
export async function ifPublished<Result>(
  { snapshotsDirectory: root }: Settings,
  read: (root: string) => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await withStore(() => read(root));
  } catch (error) {
    const isMissing = isPipelineFailure(error) && error.code === "SNAPSHOT_MISSING";
    if (isMissing && versionsIn(root).length === 0) return undefined;
    throw error;
  }
}

/** The pointer, the problems of its version, and the DAOs of an intact one, scored or not. */
type Published = Awaited<ReturnType<typeof readPublished>>;

export function readPublished(settings: Settings) {
  return ifPublished(settings, async (root) => {
    const pointer = readPointer(root);
    const verification = await verifySnapshot(root);
    const isIntact = verification.problems.length === 0;
    return { ...verification, pointer, spaceIds: isIntact ? readPublishedDocuments(root).spaceIds : [] };
  });
}

export function judgeVersion(published: Published): Fact {
  if (published === undefined) return warn("nothing is published yet", "Run `govdata run`.");
  const { problems, files, pointer } = published;
  const [first] = problems;
  if (first === undefined) return fine(`${pointer.version} is intact: ${files} files`);
  const next =
    "`govdata verify` lists all. `govdata rollback VERSION` returns to one that `govdata verify VERSION` accepts; `govdata publish --allow previous` makes an intact one without comparing.";
  return fail(`damaged files: ${problems.length}, first ${first.path} (${first.code})`, next);
}

/** The greatest age of a version whose time is not in the future of this clock, as far as its age is shown. */
const AHEAD_HOURS = -0.05;

/** Formats how long ago something was made; a time in the future is shown as such, not as a negative age. */
export function ageText(hours: number, unit: "h" | "hours"): string {
  return hours <= AHEAD_HOURS
    ? `${(-hours).toFixed(1)} ${unit} ahead of this clock`
    : `${Math.max(0, hours).toFixed(1)} ${unit} ago`;
}

export function judgeAge(ageHours: number | undefined, maxAgeHours: number | undefined): Fact {
  const text = ageHours === undefined ? "nothing is published" : `published ${ageText(ageHours, "h")}`;
  if (maxAgeHours === undefined) return fine(ageHours === undefined ? `${text} yet` : text);
  if (ageHours !== undefined && ageHours <= maxAgeHours) return fine(`${text}, within ${maxAgeHours} h`);
  const next = "Read the last run's output; `govdata run` publishes again.";
  return fail(`${text}; at most ${maxAgeHours} h are allowed`, next);
}

/** Whether the home's key signed the published version. Throws `HOME_INVALID` for an unusable key. */
export function checkSigning(settings: Settings, published: Published): Fact {
  const key = readSigningKey(settings);
  if (key === undefined) return fine("no key: versions are published unsigned");
  if (published === undefined) return fine("there is a key; the next version will be signed");
  try {
    locateVersion(settings.snapshotsDirectory, { trustedKeys: trustedKeysOf(key.plainKey) });
    return fine("the home's key has signed the current version");
  } catch (error) {
    if (!isSnapshotFailure(error)) throw error;
    if (error.code !== "SNAPSHOT_UNSIGNED") return fine("there is a key; see the version above");
    const next = "`govdata publish` signs with it. Readers that require the new key accept no other.";
    return warn("the home's key has not signed the current version", next);
  }
}

/** The difference between two machines' clocks that the gates tolerate. */
const SKEW_MS = 5 * 60_000;

/** Judges the clock: neither the last publish nor the newest fetch may be in its future. */
export function judgeClock(
  nowMs: number,
  publishedMs: number | undefined,
  fetchedMs: readonly number[],
): Fact {
  const clock = timestampOf(nowMs);
  const latestMs = Math.max(publishedMs ?? -Infinity, ...fetchedMs);
  if (latestMs === -Infinity) return fine(`${clock}; there is nothing yet to compare it with`);
  const latest = latestMs === publishedMs ? "the last publish" : "the newest fetch";
  if (latestMs <= nowMs) return fine(`${clock}, after ${latest}`);
  const message = `the clock says ${clock}, but ${latest} was at ${timestampOf(latestMs)}`;
  const next =
    "Set the clock (timedatectl). If it is right now but was ahead then, use --allow clock or fetch again.";
  return latestMs - nowMs > SKEW_MS ? fail(message, next) : warn(message, next);
}

/** Lists what a crash left in snapshots and home. Throws `PipelineFailure` for a lost or older pointer. */
export async function checkLeftovers(settings: Settings, published: Published): Promise<Fact> {
  const { snapshotsDirectory, homeDirectory } = settings;
  const names = namesIn(snapshotsDirectory);
  const abandoned = await withStore(() =>
    abandonedVersions(snapshotsDirectory, versionNames(names), published?.pointer),
  );
  const leftovers = [
    ...names.filter((name) => name.startsWith(STAGING_PREFIX)),
    ...abandoned,
    ...namesIn(homeDirectory).filter((name) => name.endsWith(".new")),
  ];
  const next = "The next publish deletes them, unless a publish is running right now.";
  if (leftovers.length > 0) return warn(listed(leftovers, 2), next);
  const holder = readHolder(settings);
  if (holder?.isAlive !== true) return fine("none");
  const since = timestampOf(Math.floor(holder.sinceMs));
  return fine(`none; process ${holder.pid} has been running since ${since}`);
}
