import { existsSync } from "node:fs";
import { join } from "node:path";
import { DAY_MS } from "../../snapshots/base/days.ts";
import { timestampOf } from "../../snapshots/format/ids.ts";
import { PATHS } from "../../snapshots/format/paths.ts";
import { measureDiskUse } from "../../snapshots/store/maintain/prune-versions.ts";
import { readPublishedDocuments } from "../../snapshots/store/read/read-documents.ts";
import { readPointer, versionsIn } from "../../snapshots/store/read/read-pointer.ts";
import { attempt } from "../../snapshots/store/read/snapshot-error.ts";
import { dayStartMs } from "../facts/days.ts";
import { isPipelineFailure, pipelineFailure } from "../facts/errors.ts";
import { hasWarehouse, readRegistry, registryInForce, withHomeWarehouse } from "../home/home.ts";
import { readHolder } from "../home/lock.ts";
import type { Settings } from "../home/settings.ts";
import { readLastOutcome } from "../home/state.ts";
import { withStore } from "../home/store-errors.ts";
import type { FetchRecord } from "../warehouse/fetches.ts";

/** Latest start of pipeline/systemd/govdata-run.timer after midnight UTC: 01:10 plus a random delay of ten minutes. */
const TIMER_MS = 80 * 60_000;

/** State of a home and its snapshots. */
export type Status = Awaited<ReturnType<typeof readStatus>>;

/** `govdata status`: what is published and fetched. Throws `SNAPSHOT_STALE` past `maxAgeHours`. */
export async function readStatus(
  settings: Settings,
  { nowMs, maxAgeHours }: { readonly nowMs: number; readonly maxAgeHours: number | undefined },
) {
  const found = await readPublished(settings, nowMs);
  const ageHours = found?.status.ageHours;
  if (maxAgeHours !== undefined && (ageHours ?? Infinity) > maxAgeHours) {
    const age = ageHours === undefined ? "nothing is published" : `published ${ageHours.toFixed(1)} h ago`;
    throw pipelineFailure("SNAPSHOT_STALE", `${age}; at most ${maxAgeHours} h are allowed`, {
      hint: "Read the last run's output; `govdata run` publishes again.",
    });
  }
  const records = hasWarehouse(settings)
    ? await withHomeWarehouse(settings, (warehouse) => warehouse.fetchRecords())
    : [];
  const { daos } = readRegistry(settings);
  const tracked = new Set(daos.map(({ spaceId }) => spaceId));
  return {
    /** The registry that decides which DAOs are listed. */
    registry: registryInForce(settings),
    /** How the home's last run or publish ended; `undefined` if there was none. */
    lastRun: readLastOutcome(settings),
    /** The current run, or the timer's next one; its end is estimated from the published run's duration. */
    nextRun: found && nextRun(settings, nowMs, found.runMs),
    /** `undefined` before the first publish. */
    published: found && {
      ...found.status,
      /** How many published DAOs the registry in force tracks; 0 if it is not the one that was published from. */
      daosTracked: found.spaceIds.filter((id) => tracked.has(id)).length,
    },
    /** One row per tracked DAO and source; `record` is `undefined` if it was never fetched. */
    daos: daos.flatMap(({ spaceId }) => {
      const own: readonly (FetchRecord | undefined)[] = records.filter(
        (record) => record.spaceId === spaceId,
      );
      return (own.length === 0 ? [undefined] : own).map((record) => ({ spaceId, record }));
    }),
  };
}

function nextRun(settings: Settings, nowMs: number, runMs: number) {
  const holder = readHolder(settings);
  const isRunning = holder?.isAlive === true;
  const timerMs = dayStartMs(nowMs) + TIMER_MS;
  const startMs = isRunning ? Math.floor(holder.sinceMs) : timerMs > nowMs ? timerMs : timerMs + DAY_MS;
  return { isRunning, startsAt: timestampOf(startMs), endsAt: timestampOf(startMs + runMs) };
}

/** The published version, before it is compared with the registry; `undefined` before the first publish. */
async function readPublished({ snapshotsDirectory: root }: Settings, nowMs: number) {
  try {
    return await withStore(async () => {
      const pointer = readPointer(root);
      const { manifest, daos, spaceIds, run } = readPublishedDocuments(root);
      const use = await attempt("measure the versions", async () => measureDiskUse(root));
      const status = {
        version: pointer.version,
        sequence: pointer.sequence,
        publishedAt: pointer.published_at,
        asOf: manifest.as_of,
        ageHours: (nowMs - Date.parse(pointer.published_at)) / 3_600_000,
        daosScored: daos.length,
        daosUnscored: run.counts.daos_unscored,
        findings: run.findings.length,
        isSigned: existsSync(join(root, pointer.version, PATHS.signature)),
        /** Every kept version, oldest first, and the disk space of all together. */
        versions: use.versions,
        totalBytes: use.totalBytes,
      };
      const runMs = Math.max(0, Date.parse(run.finished_at) - Date.parse(run.started_at));
      return { status, runMs, spaceIds };
    });
  } catch (error) {
    const isMissing = isPipelineFailure(error) && error.code === "SNAPSHOT_MISSING";
    // A lost pointer or version is damage, not a first run.
    if (isMissing && versionsIn(root).length === 0) return undefined;
    throw error;
  }
}
