import { existsSync } from "node:fs";
import { join } from "node:path";
import { DAY_MS } from "../../snapshots/base/days.ts";
import { timestampOf } from "../../snapshots/format/ids.ts";
import { PATHS } from "../../snapshots/format/paths.ts";
import { measureDiskUse } from "../../snapshots/store/maintain/prune-versions.ts";
import { readPublishedDocuments } from "../../snapshots/store/read/read-documents.ts";
import { readPointer } from "../../snapshots/store/read/read-pointer.ts";
import { attempt } from "../../snapshots/store/read/snapshot-error.ts";
import { dayStartMs } from "../facts/days.ts";
import { pipelineFailure } from "../facts/errors.ts";
import { hasWarehouse, registryInForce, withHomeWarehouse } from "../home/home.ts";
import { readHolder } from "../home/lock.ts";
import { readRegistry } from "../home/read-registry.ts";
import type { Settings } from "../home/settings.ts";
import { readLastOutcome } from "../home/state.ts";
import type { FetchRecord } from "../warehouse/fetches.ts";
import { ifPublished, judgeAge } from "./check-published.ts";

/** Latest start of pipeline/systemd/govdata-run.timer after midnight UTC: 01:10 plus a random delay of ten minutes. */
const TIMER_MS = 80 * 60_000;

export type Status = Awaited<ReturnType<typeof readStatus>>;

/** `govdata status`: what is published and fetched. Throws `SNAPSHOT_STALE` past `maxAgeHours`. */
export async function readStatus(
  settings: Settings,
  { nowMs, maxAgeHours }: { readonly nowMs: number; readonly maxAgeHours: number | undefined },
) {
  const current = await readCurrent(settings, nowMs);
  const age = judgeAge(current?.version.ageHours, maxAgeHours);
  if (age.verdict === "fail") throw pipelineFailure("SNAPSHOT_STALE", age.message, { hint: age.next });
  const records: readonly (FetchRecord | undefined)[] = hasWarehouse(settings)
    ? await withHomeWarehouse(settings, (warehouse) => warehouse.fetchRecords())
    : [];
  const spaceIds = readRegistry(settings).daos.map((dao) => dao.spaceId);
  return {
    registry: registryInForce(settings),
    /** How the home's last run or publish ended; `undefined` if there was none. */
    lastRun: readLastOutcome(settings),
    /** The current run, or the timer's next one; its end is estimated from the published run's duration. */
    nextRun: current && nextRun(settings, nowMs, current.runMs),
    /** `undefined` before the first publish. */
    published: current && {
      ...current.version,
      /** How many published DAOs the registry in force tracks; 0 if it is not the one that was published from. */
      daosTracked: current.spaceIds.filter((id) => spaceIds.includes(id)).length,
    },
    /** One row per tracked DAO and source; `record` is `undefined` if it was never fetched. */
    daos: spaceIds.flatMap((spaceId) => {
      const fetches = records.filter((record) => record?.spaceId === spaceId);
      return (fetches.length === 0 ? [undefined] : fetches).map((record) => ({ spaceId, record }));
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

/** The published version and its DAOs, and how long its run took. */
const readCurrent = (settings: Settings, nowMs: number) =>
  ifPublished(settings, async (root) => {
    const { version, sequence, published_at: publishedAt } = readPointer(root);
    const { manifest, daos, spaceIds, run } = readPublishedDocuments(root);
    const { versions, totalBytes } = await attempt("measure the versions", async () => measureDiskUse(root));
    return {
      spaceIds,
      runMs: Math.max(0, Date.parse(run.finished_at) - Date.parse(run.started_at)),
      version: {
        version,
        sequence,
        publishedAt,
        asOf: manifest.as_of,
        ageHours: (nowMs - Date.parse(publishedAt)) / 3_600_000,
        daosScored: daos.length,
        daosUnscored: run.counts.daos_unscored,
        findings: run.findings.length,
        isSigned: existsSync(join(root, version, PATHS.signature)),
        /** Every kept version, oldest first, and the disk space of all together. */
        versions,
        totalBytes,
      },
    };
  });
