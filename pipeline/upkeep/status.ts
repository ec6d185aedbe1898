import { existsSync } from "node:fs";
import { join } from "node:path";
import { PATHS } from "../../snapshots/format/paths.ts";
import { measureDiskUse, type VersionUse } from "../../snapshots/store/maintain/prune-versions.ts";
import { readPublishedDocuments } from "../../snapshots/store/read/read-documents.ts";
import { readPointer, versionsIn } from "../../snapshots/store/read/read-pointer.ts";
import { attempt } from "../../snapshots/store/read/snapshot-error.ts";
import { PipelineError } from "../facts/errors.ts";
import {
  hasWarehouse,
  type RegistryInForce,
  readRegistry,
  registryInForce,
  withHomeWarehouse,
} from "../home/home.ts";
import type { Settings } from "../home/settings.ts";
import { type LastOutcome, readLastOutcome } from "../home/state.ts";
import { withStore } from "../home/store-errors.ts";
import type { FetchRecord } from "../warehouse/fetches.ts";

/** What is published now, and how old it is. */
export interface PublishedStatus {
  readonly version: string;
  readonly sequence: number;
  readonly publishedAt: string;
  readonly asOf: string;
  readonly ageHours: number;
  readonly daosScored: number;
  readonly daosUnscored: number;
  /** Of all these, how many the registry in force tracks: none where it is not the one that was published from. */
  readonly daosTracked: number;
  readonly findings: number;
  readonly isSigned: boolean;
  /** Every kept version, oldest first, and what all of them take of the disk. */
  readonly versions: readonly VersionUse[];
  readonly totalBytes: number;
}

/** State of one home and one snapshot root. */
export interface Status {
  /** What decides which DAOs are listed. */
  readonly registry: RegistryInForce;
  /** `undefined` before the first publish. */
  readonly published: PublishedStatus | undefined;
  /** How the last run or publish of this home ended; `undefined` where none did. */
  readonly lastRun: LastOutcome | undefined;
  /** One row a tracked DAO and source; `record` is `undefined` where it was never fetched. */
  readonly daos: readonly { readonly spaceId: string; readonly record: FetchRecord | undefined }[];
}

/** `govdata status`: what is published and what was fetched. Throws `PipelineError` SNAPSHOT_STALE past `maxAgeHours`. */
export async function readStatus(
  settings: Settings,
  { nowMs, maxAgeHours }: { readonly nowMs: number; readonly maxAgeHours: number | undefined },
): Promise<Status> {
  const found = await readPublished(settings, nowMs);
  const ageHours = found?.status.ageHours;
  if (maxAgeHours !== undefined && (ageHours ?? Infinity) > maxAgeHours) {
    const age = ageHours === undefined ? "nothing is published" : `published ${ageHours.toFixed(1)} h ago`;
    throw new PipelineError("SNAPSHOT_STALE", `${age}; at most ${maxAgeHours} h are allowed`, {
      hint: "Look at the last run's output; `govdata run` publishes anew.",
    });
  }
  const records: readonly FetchRecord[] = hasWarehouse(settings)
    ? await withHomeWarehouse(settings, (warehouse) => warehouse.fetchRecords())
    : [];
  const { daos } = readRegistry(settings);
  const tracked = new Set(daos.map(({ spaceId }) => spaceId));
  return {
    registry: registryInForce(settings),
    lastRun: readLastOutcome(settings),
    published: found && {
      ...found.status,
      daosTracked: found.spaceIds.filter((id) => tracked.has(id)).length,
    },
    daos: daos.flatMap(({ spaceId }): Status["daos"] => {
      const own = records.filter((record) => record.spaceId === spaceId);
      return own.length === 0 ? [{ spaceId, record: undefined }] : own.map((record) => ({ spaceId, record }));
    }),
  };
}

/** What is published, as long as nobody has asked the registry about its DAOs; `undefined` before the first publish. */
async function readPublished(
  { snapshotsDirectory: root }: Settings,
  nowMs: number,
): Promise<{ status: Omit<PublishedStatus, "daosTracked">; spaceIds: readonly string[] } | undefined> {
  try {
    return await withStore(async () => {
      const pointer = readPointer(root);
      const { manifest, daos, unscored, run } = readPublishedDocuments(root);
      const use = await attempt("measure the versions", async () => measureDiskUse(root));
      const status = {
        version: pointer.version,
        sequence: pointer.sequence,
        publishedAt: pointer.published_at,
        asOf: manifest.as_of,
        ageHours: (nowMs - Date.parse(pointer.published_at)) / 3_600_000,
        daosScored: daos.length,
        daosUnscored: unscored.length,
        findings: run.findings.length,
        isSigned: existsSync(join(root, pointer.version, PATHS.signature)),
        versions: use.versions,
        totalBytes: use.totalBytes,
      };
      return { status, spaceIds: [...daos, ...unscored].map((dao) => dao.space_id) };
    });
  } catch (error) {
    const isMissing = error instanceof PipelineError && error.code === "SNAPSHOT_MISSING";
    // A lost pointer, or a lost version under it, is no first day.
    if (isMissing && versionsIn(root).length === 0) return undefined;
    throw error;
  }
}
