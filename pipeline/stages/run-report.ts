import { timestampOf } from "../../snapshots/format/ids.ts";
import type { Finding, ManifestSource, RunReport } from "../../snapshots/format/manifest.ts";
import type { VersionLists } from "../../snapshots/format/published-set.ts";
import type { Registry } from "../facts/tracked.ts";
import type { RunEffects } from "../home/settings.ts";
import { type FetchRecord, rejectedCount } from "../warehouse/fetches.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import type { FetchResult } from "./fetch.ts";
import type { NamesSummary } from "./fetch-names.ts";

/** Time and bytes of one stage of a run. */
export interface StageTime {
  readonly stage: string;
  readonly wallMs: number;
  /** Of all threads together; `undefined` if unknown. */
  readonly processorMs?: number | undefined;
  /** Bytes read or written. */
  readonly bytes?: number | undefined;
}

export type StageClock = ReturnType<typeof createStageClock>;

export function createStageClock({ nowMs, processorMs }: Pick<RunEffects, "nowMs" | "processorMs">) {
  const stages: StageTime[] = [];
  return {
    /** Finished stages, in order. */
    stages: (): readonly StageTime[] => [...stages],
    /** Starts a stage; the returned function ends it. */
    begin(stage: string): (bytes?: number) => void {
      const startedAtMs = nowMs();
      const spentBeforeMs = processorMs?.() ?? 0;
      return (bytes) => {
        stages.push({
          stage,
          wallMs: nowMs() - startedAtMs,
          ...(processorMs && { processorMs: processorMs() - spentBeforeMs }),
          ...(bytes !== undefined && { bytes }),
        });
      };
    },
  };
}

function isTrackedBy({ daos }: Registry): (of: { readonly spaceId: string }) => boolean {
  const tracked = new Set(daos.map((dao) => dao.spaceId));
  return ({ spaceId }) => tracked.has(spaceId);
}

/** The newest fetches of the tracked DAOs. */
export function trackedFetches(
  warehouse: Pick<Warehouse, "fetchRecords">,
  registry: Registry,
): readonly FetchRecord[] {
  return warehouse.fetchRecords().filter(isTrackedBy(registry));
}

/** The held data of tracked DAOs by source id, even if a later fetch failed. */
export function manifestSources(
  warehouse: Pick<Warehouse, "holdings">,
  registry: Registry,
): ManifestSource[] {
  const held = warehouse.holdings().filter(isTrackedBy(registry));
  return [...new Set(held.map(({ sourceId }) => sourceId))].sort().map((sourceId) => {
    const ofSource = held.filter((holding) => holding.sourceId === sourceId);
    const total = (count: "proposals" | "votes"): number =>
      ofSource.reduce((sum, holding) => sum + holding[count], 0);
    return {
      source_id: sourceId,
      fetched_at: timestampOf(Math.max(...ofSource.map(({ fetchedAtMs }) => fetchedAtMs))),
      spaces: ofSource.length,
      proposals: total("proposals"),
      votes: total("votes"),
    };
  });
}

const countsOf = ({ hasNode: _, ...counts }: NamesSummary) => counts;

/** Builds the published run report: what was fetched, what was rejected, and how long it took. */
export function buildRunReport({
  lists,
  registry,
  warehouse,
  fetched: { traffic, names },
  ...run
}: {
  readonly runId: string;
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
  readonly lists: VersionLists;
  /** DAOs with a listing of delegates. */
  readonly listingsCount: number;
  readonly registry: Registry;
  readonly warehouse: Pick<Warehouse, "fetchRecords" | "rejections">;
  readonly findings: readonly Finding[];
  readonly fetched: Pick<FetchResult, "traffic" | "names">;
  readonly stages: readonly StageTime[];
}): RunReport {
  const fetches = trackedFetches(warehouse, registry);
  return {
    run_id: run.runId,
    started_at: timestampOf(run.startedAtMs),
    finished_at: timestampOf(run.finishedAtMs),
    as_of: lists.asOf,
    fetches: fetches.map((record) => ({
      space_id: record.spaceId,
      source_id: record.sourceId,
      status: record.status,
      fetched_at: timestampOf(record.fetchedAtMs),
      error: record.error === undefined ? null : { ...record.error },
      proposals: record.proposals,
      ballots: record.ballots,
      votes: record.votes,
      delegate_lists: record.delegateLists,
      logs: record.logs,
      rejected: { ...record.rejected },
    })),
    rejected: warehouse
      .rejections()
      .filter(isTrackedBy(registry))
      .map(({ spaceId, file, line = null, code, message }) => ({
        space_id: spaceId,
        file,
        line,
        code,
        message,
      })),
    rejected_total: fetches.reduce((sum, record) => sum + rejectedCount(record), 0),
    findings: [...run.findings],
    counts: {
      daos_tracked: registry.daos.length,
      daos_scored: lists.daos.length,
      daos_unscored: lists.unscored.length,
      entities_published: lists.entities.length,
      delegate_listings: run.listingsCount,
    },
    traffic: traffic.map(({ sourceId, requests, retries, bytes, rateLimited }) => ({
      source_id: sourceId,
      requests,
      retries,
      bytes,
      rate_limited: rateLimited,
    })),
    names: names === undefined ? null : countsOf(names),
    stages: run.stages.map(({ stage, wallMs }) => ({ stage, wall_ms: Math.round(wallMs) })),
  };
}
