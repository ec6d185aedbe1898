import { existsSync, statSync } from "node:fs";
import { pipelineFailure } from "../facts/errors.ts";
import type { Registry } from "../facts/tracked.ts";
import type { RunEffects, Settings } from "../home/settings.ts";
import { readState } from "../home/state.ts";

/** Shorter runs are not announced. */
const REPORTED_FROM_MS = 60_000;

/** Reports what a run or a publish will need, if it takes more than a minute and this home has published before. */
export function reportNeeds(
  settings: Settings,
  { daos }: Registry,
  effects: RunEffects,
  { isFetching }: { readonly isFetching: boolean },
): void {
  const needs = readNeeds(settings, daos.length, isFetching);
  if (needs === undefined || needs.wallMs < REPORTED_FROM_MS) return;
  const { wallMs, memoryBytes, versionBytes, homeBytes } = needs;
  effects.progress.step("estimate", daos.length, daos.length, "the last run", {
    seconds: Math.round(wallMs / 1_000),
    ...(memoryBytes === undefined ? {} : { memory_mb: megabytes(memoryBytes) }),
    ...(versionBytes === undefined ? {} : { version_mb: megabytes(versionBytes) }),
    home_mb: megabytes(homeBytes),
  });
}

/**
 * Throws `PUBLISH_FAILED` if the disks lack space for the next version or the points that wait for it,
 * before the work instead of after it.
 */
export function assertSpaceToPublish(
  settings: Settings,
  { daos }: Registry,
  { freeBytes }: RunEffects,
): void {
  const needs = readNeeds(settings, daos.length, false);
  const { homeDirectory: home, snapshotsDirectory: snapshots } = settings;
  if (needs === undefined || freeBytes === undefined || !existsSync(snapshots)) return;
  const { versionBytes = 0, homeBytes } = needs;
  const isOneDisk = statSync(home).dev === statSync(snapshots).dev;
  const disks: readonly (readonly [disk: string, needed: number, free: number])[] = isOneDisk
    ? [["the disk of the home and the versions", versionBytes + homeBytes, freeBytes()]]
    : [
        ["the disk of the home", homeBytes, freeBytes()],
        ["the disk of the versions", versionBytes, freeBytes("snapshots")],
      ];
  const small = disks.find(([, needed, free]) => free < needed);
  if (small === undefined) return;
  const [disk, needed, free] = small;
  const message = `publishing takes about ${megabytes(needed)} MB, but only ${Math.floor(free / MB)} MB are free on ${disk}`;
  throw pipelineFailure("PUBLISH_FAILED", message, {
    hint: "Free some space (`govdata prune --dry-run` lists what could be deleted). Fetched data is kept; nothing was published.",
  });
}

const MB = 1_000_000;
const megabytes = (bytes: number): number => Math.ceil(bytes / MB);

/** What a run will need, scaled from the last run of this home by the number of DAOs. */
function readNeeds(settings: Settings, daosCount: number, isFetching: boolean) {
  const last = readState(settings).last_run;
  if (last === null || last.daos === 0) return undefined;
  const scale = daosCount / last.daos;
  return {
    wallMs: scale * (last.publish_ms + (isFetching ? (last.fetch_ms ?? 0) : 0)),
    memoryBytes: last.memory_bytes ?? undefined,
    // Unknown if the last version was the first.
    versionBytes: last.version_bytes === null ? undefined : scale * last.version_bytes,
    // Released at the end.
    homeBytes: scale * last.home_bytes,
  };
}
