import { timestampOf } from "../../snapshots/format/ids.ts";
import type { Finding, ManifestSource, RunReport, SpaceFetch } from "../../snapshots/format/manifest.ts";
import type { VersionLists } from "../../snapshots/format/published-set.ts";
import type { Registry } from "../facts/tracked.ts";
import { type FetchRecord, type Holding, rejectedCount } from "../warehouse/fetches.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import type { FetchResult } from "./fetch.ts";
import type { NamesSummary } from "./fetch-names.ts";
import type { StageTime } from "./stage-clock.ts";

const namesCounts = ({ hasNode: _, ...counts }: NamesSummary) => counts;

function spaceFetch(record: FetchRecord): SpaceFetch {
  return {
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
  };
}

/** The newest fetches of the tracked DAOs. */
export function trackedFetches(warehouse: Warehouse, registry: Registry): readonly FetchRecord[] {
  const tracked = new Set(registry.daos.map((dao) => dao.spaceId));
  return warehouse.fetchRecords().filter((record) => tracked.has(record.spaceId));
}

/** The held data of tracked DAOs by source id, even if a later fetch failed. */
export function manifestSources(warehouse: Warehouse, registry: Registry): ManifestSource[] {
  const tracked = new Set(registry.daos.map((dao) => dao.spaceId));
  const held = warehouse.holdings().filter((holding) => tracked.has(holding.spaceId));
  const sourceIds = [...new Set(held.map((holding) => holding.sourceId))].sort();
  return sourceIds.map((sourceId) => {
    const ofSource = held.filter((holding) => holding.sourceId === sourceId);
    const total = (count: (holding: Holding) => number): number =>
      ofSource.reduce((sum, holding) => sum + count(holding), 0);
    return {
      source_id: sourceId,
      fetched_at: timestampOf(Math.max(...ofSource.map((holding) => holding.fetchedAtMs))),
      spaces: ofSource.length,
      proposals: total((holding) => holding.proposals),
      votes: total((holding) => holding.votes),
    };
  });
}

/** Builds the published run report: what was fetched, what was rejected, and how long it took. */
export function buildRunReport(input: {
  readonly runId: string;
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
  readonly lists: VersionLists;
  /** DAOs with a listing of delegates. */
  readonly listingsCount: number;
  readonly registry: Registry;
  readonly warehouse: Warehouse;
  readonly findings: readonly Finding[];
  readonly fetched: Pick<FetchResult, "traffic" | "names">;
  readonly stages: readonly StageTime[];
}): RunReport {
  const { lists, registry, warehouse } = input;
  const { traffic, names } = input.fetched;
  const fetches = trackedFetches(warehouse, registry);
  const tracked = new Set(fetches.map((record) => record.spaceId));
  return {
    run_id: input.runId,
    started_at: timestampOf(input.startedAtMs),
    finished_at: timestampOf(input.finishedAtMs),
    as_of: lists.asOf,
    fetches: fetches.map(spaceFetch),
    rejected: warehouse
      .rejections()
      .filter((rejection) => tracked.has(rejection.spaceId))
      .map(({ spaceId, file, line, code, message }) => ({
        space_id: spaceId,
        file,
        line: line ?? null,
        code,
        message,
      })),
    rejected_total: fetches.reduce((sum, record) => sum + rejectedCount(record), 0),
    findings: [...input.findings],
    counts: {
      daos_tracked: registry.daos.length,
      daos_scored: lists.daos.length,
      daos_unscored: lists.unscored.length,
      entities_published: lists.entities.length,
      delegate_listings: input.listingsCount,
    },
    traffic: traffic.map(({ sourceId, requests, retries, bytes, rateLimited }) => ({
      source_id: sourceId,
      requests,
      retries,
      bytes,
      rate_limited: rateLimited,
    })),
    names: names === undefined ? null : namesCounts(names),
    stages: input.stages.map(({ stage, wallMs }) => ({ stage, wall_ms: Math.round(wallMs) })),
  };
}
