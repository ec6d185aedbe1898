import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Pointer } from "../../snapshots/format/manifest.ts";
import { PATHS } from "../../snapshots/format/paths.ts";
import { measureDiskUse, type VersionUse } from "../../snapshots/store/maintain/prune-versions.ts";
import {
  type PublishedDocuments,
  readPublishedDocuments,
} from "../../snapshots/store/read/read-documents.ts";
import { readPointer, versionsIn } from "../../snapshots/store/read/read-pointer.ts";
import { attempt } from "../../snapshots/store/read/snapshot-error.ts";
import { PipelineError } from "../facts/errors.ts";
import {
  hasWarehouse,
  openHomeWarehouse,
  type RegistryInForce,
  readRegistry,
  registryInForce,
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

/** What is published, as long as nobody has asked the registry about its DAOs. */
interface FoundStatus extends Omit<PublishedStatus, "daosTracked"> {
  readonly spaceIds: readonly string[];
}

async function publishedStatus(settings: Settings, nowMs: number): Promise<FoundStatus | undefined> {
  let pointer: Pointer;
  let documents: PublishedDocuments;
  try {
    pointer = await withStore(() => readPointer(settings.snapshotsDirectory));
    documents = await withStore(() => readPublishedDocuments(settings.snapshotsDirectory));
  } catch (error) {
    const isMissing = error instanceof PipelineError && error.code === "SNAPSHOT_MISSING";
    // A lost pointer, or a lost version under it, is no first day.
    if (isMissing && versionsIn(settings.snapshotsDirectory).length === 0) return undefined;
    throw error;
  }
  const { versions, totalBytes } = await withStore(() =>
    attempt("measure the versions", async () => measureDiskUse(settings.snapshotsDirectory)),
  );
  return {
    version: pointer.version,
    sequence: pointer.sequence,
    publishedAt: pointer.published_at,
    asOf: documents.manifest.as_of,
    ageHours: (nowMs - Date.parse(pointer.published_at)) / 3_600_000,
    daosScored: documents.daos.length,
    daosUnscored: documents.unscored.length,
    spaceIds: [...documents.daos, ...documents.unscored].map((dao) => dao.space_id),
    findings: documents.run.findings.length,
    isSigned: existsSync(join(settings.snapshotsDirectory, pointer.version, PATHS.signature)),
    versions,
    totalBytes,
  };
}

function withTracked({ spaceIds, ...found }: FoundStatus, tracked: ReadonlySet<string>): PublishedStatus {
  return { ...found, daosTracked: spaceIds.filter((spaceId) => tracked.has(spaceId)).length };
}

/** `govdata status`: what is published and what was fetched. Throws `PipelineError` SNAPSHOT_STALE past `maxAgeHours`. */
export async function readStatus(
  settings: Settings,
  options: { readonly nowMs: number; readonly maxAgeHours: number | undefined },
): Promise<Status> {
  const found = await publishedStatus(settings, options.nowMs);
  if (options.maxAgeHours !== undefined && (found?.ageHours ?? Infinity) > options.maxAgeHours) {
    const age = found === undefined ? "nothing is published" : `published ${found.ageHours.toFixed(1)} h ago`;
    throw new PipelineError("SNAPSHOT_STALE", `${age}; at most ${options.maxAgeHours} h are allowed`, {
      hint: "Look at the last run's output; `govdata run` publishes anew.",
    });
  }
  const records: FetchRecord[] = [];
  if (hasWarehouse(settings)) {
    const warehouse = openHomeWarehouse(settings);
    records.push(...warehouse.fetchRecords());
    warehouse.close();
  }
  const { daos } = readRegistry(settings);
  return {
    registry: registryInForce(settings),
    lastRun: readLastOutcome(settings),
    published: found && withTracked(found, new Set(daos.map(({ spaceId }) => spaceId))),
    daos: daos.flatMap(({ spaceId }): Status["daos"] => {
      const own = records.filter((record) => record.spaceId === spaceId);
      return own.length === 0 ? [{ spaceId, record: undefined }] : own.map((record) => ({ spaceId, record }));
    }),
  };
}
