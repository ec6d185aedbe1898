import { timestampOf } from "../../snapshots/format/ids.ts";
import { verifySnapshot } from "../../snapshots/store/maintain/verify-snapshot.ts";
import { abandonedVersions } from "../../snapshots/store/read/kept-versions.ts";
import { locateVersion } from "../../snapshots/store/read/locate-version.ts";
import { readPublishedDocuments } from "../../snapshots/store/read/read-documents.ts";
import { readPointer, versionNames } from "../../snapshots/store/read/read-pointer.ts";
import { isSnapshotFailure } from "../../snapshots/store/read/snapshot-error.ts";
import { STAGING_PREFIX } from "../../snapshots/store/write/snapshot-disk.ts";
import { readHolder } from "../home/lock.ts";
import type { Settings } from "../home/settings.ts";
import { readSigningKey, trustedKeysOf } from "../home/signing-key.ts";
import { withStore } from "../home/store-errors.ts";
import { type Found, fail, fine, type MachineState, warn } from "./doctor-home.ts";

/** An age that rounds to 0.0 hours is 0. */
const SHOWN_HOURS_MIN = 0.05;

/** Formats how long ago something was made; a time in the future is shown as such, not as a negative age. */
export function ageText(hours: number, unit: "h" | "hours"): string {
  const isAhead = hours <= -SHOWN_HOURS_MIN;
  return isAhead
    ? `${(-hours).toFixed(1)} ${unit} ahead of this clock`
    : `${Math.max(0, hours).toFixed(1)} ${unit} ago`;
}

/** The difference between two machines' clocks that the gates tolerate. */
const SKEW_MS = 5 * 60_000;
const HOUR_MS = 3_600_000;

type PublishedCheck = NonNullable<Awaited<ReturnType<typeof checkPublished>>>;

/** Verifies pointer and hashes of its version; `undefined` if nothing was published. Throws `PipelineFailure`. */
export async function checkPublished({ snapshotsDirectory }: Settings, machine: MachineState) {
  return withStore(async () => {
    try {
      const pointer = readPointer(snapshotsDirectory);
      return { pointer, verification: await verifySnapshot(snapshotsDirectory) };
    } catch (error) {
      const isMissing = isSnapshotFailure(error) && error.code === "SNAPSHOT_MISSING";
      if (isMissing && versionNames(machine.names(snapshotsDirectory)).length === 0) return undefined;
      throw error;
    }
  });
}

/** The published DAOs, scored or not; `undefined` if nothing is published or the version is damaged. */
export async function publishedDaosOf(
  { snapshotsDirectory }: Settings,
  published: PublishedCheck | undefined,
): Promise<readonly string[] | undefined> {
  if (published === undefined || published.verification.problems.length > 0) return undefined;
  return withStore(() => readPublishedDocuments(snapshotsDirectory).spaceIds);
}

/** Checks that the current version is intact. */
export function judgeVersion(published: PublishedCheck | undefined): Found {
  if (published === undefined) return warn("nothing is published yet", "Run `govdata run`.");
  const { verification, pointer } = published;
  const [first] = verification.problems;
  if (first === undefined) {
    return fine(`${pointer.version} is intact: ${verification.files} files`);
  }
  const count = verification.problems.length;
  const next =
    "`govdata verify` lists all. `govdata publish` makes an intact version; `govdata rollback` returns to one that `govdata verify VERSION` accepts.";
  return fail(`damaged files: ${count}, first ${first.path} (${first.code})`, next);
}

/** Checks the age of the published version, against a limit if one is given. */
export function judgeAge(
  published: PublishedCheck | undefined,
  { nowMs, maxAgeHours }: { readonly nowMs: number; readonly maxAgeHours: number | undefined },
): Found {
  const next = "Read the last run's output; `govdata run` publishes again.";
  if (published === undefined) {
    return maxAgeHours === undefined
      ? fine("nothing is published yet")
      : fail(`nothing is published; at most ${maxAgeHours} h are allowed`, next);
  }
  const hours = (nowMs - Date.parse(published.pointer.published_at)) / HOUR_MS;
  const text = `published ${ageText(hours, "h")}`;
  if (maxAgeHours === undefined) return fine(text);
  if (hours > maxAgeHours) return fail(`${text}; at most ${maxAgeHours} h are allowed`, next);
  return fine(`${text}, within ${maxAgeHours} h`);
}

/** Whether the home's key signed the published version. Throws `HOME_INVALID` for an unusable key. */
export async function checkSigning(
  settings: Settings,
  published: PublishedCheck | undefined,
): Promise<Found> {
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

/** Checks the clock: neither the last publish nor the newest fetch may be in its future. */
export function judgeClock(
  nowMs: number,
  published: PublishedCheck | undefined,
  fetches: readonly { readonly fetchedAtMs: number }[],
): Found {
  const publishes = published === undefined ? [] : [Date.parse(published.pointer.published_at)];
  const [ahead] = [
    ...publishes.map((atMs) => ({ what: "the last publish", atMs })),
    ...fetches.map(({ fetchedAtMs: atMs }) => ({ what: "the newest fetch", atMs })),
  ].toSorted((a, b) => b.atMs - a.atMs);
  const clock = timestampOf(nowMs);
  if (ahead === undefined) return fine(`${clock}; there is nothing yet to compare it with`);
  if (ahead.atMs <= nowMs) return fine(`${clock}, after ${ahead.what}`);
  const message = `the clock says ${clock}, but ${ahead.what} was at ${timestampOf(ahead.atMs)}`;
  const next =
    "Set the clock (timedatectl). If it is right now but was ahead then, use --allow clock or fetch again.";
  return ahead.atMs - nowMs > SKEW_MS ? fail(message, next) : warn(message, next);
}

/** Lists leftovers of a crash in snapshots and home. Throws `PipelineFailure` for a lost or older pointer. */
export async function checkLeftovers(
  settings: Settings,
  machine: MachineState,
  published: PublishedCheck | undefined,
): Promise<Found> {
  const { snapshotsDirectory, homeDirectory } = settings;
  const names = machine.names(snapshotsDirectory);
  const abandoned = await withStore(() =>
    abandonedVersions(snapshotsDirectory, versionNames(names), published?.pointer),
  );
  const left = [
    ...names.filter((name) => name.startsWith(STAGING_PREFIX)),
    ...abandoned,
    ...machine.names(homeDirectory).filter((name) => name.endsWith(".new")),
  ];
  const holder = readHolder(settings);
  if (holder?.isAlive === true && left.length === 0) {
    const since = timestampOf(Math.floor(holder.sinceMs));
    return fine(`none; process ${holder.pid} has been running since ${since}`);
  }
  if (left.length === 0) return fine("none");
  const shown = `${left.slice(0, 2).join(", ")}${left.length > 2 ? ` and ${left.length - 2} more` : ""}`;
  return warn(shown, "The next publish deletes them, unless a publish is running right now.");
}
