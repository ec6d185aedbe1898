import { existsSync } from "node:fs";
import { join } from "node:path";
import { readPublishedDocuments } from "../../snapshots/store/read/read-documents.ts";
import { POINTER_FILE } from "../../snapshots/store/read/read-pointer.ts";
import { isSnapshotFailure } from "../../snapshots/store/read/snapshot-error.ts";
import { isPipelineFailure } from "../facts/errors.ts";
import type { Registry } from "../facts/tracked.ts";
import { checkGates, type GateResult } from "../gate/check-gates.ts";
import type { DamagedVersion, FetchedRows, GatedDao, PreviousVersion } from "../gate/gate-input.ts";
import type { GateOverride } from "../gate/gate-rules.ts";
import { type LiveOptOuts, withLiveOptOuts } from "../home/opt-outs.ts";
import type { Settings } from "../home/settings.ts";
import { readState } from "../home/state.ts";
import { withStore } from "../home/store-errors.ts";
import { type FetchRecord, failedFetches, rejectedCount } from "../warehouse/fetches.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { listDifferences, type VisitedVersion } from "./build-version.ts";
import { manifestSources, trackedFetches } from "./run-report.ts";

interface SpaceVotes {
  readonly spaceId: string;
  readonly votes: number;
}

const votesOf = (sources: readonly Pick<SpaceVotes, "votes">[]): number =>
  sources.reduce((sum, source) => sum + source.votes, 0);

/** A DAO may have votes from a hub and from a chain. */
function sumBySpace(rows: readonly SpaceVotes[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { spaceId, votes } of rows) sums.set(spaceId, (sums.get(spaceId) ?? 0) + votes);
  return sums;
}

/** Accepted and rejected rows of complete fetches; failed ones are reported elsewhere. */
function rowsOf(
  fetches: readonly Pick<FetchRecord, "spaceId" | "status" | "proposals" | "votes" | "logs" | "rejected">[],
): readonly FetchedRows[] {
  return fetches
    .filter(({ status }) => status === "complete")
    .map((fetch) => ({
      spaceId: fetch.spaceId,
      taken: fetch.proposals + fetch.votes + fetch.logs,
      rejected: rejectedCount(fetch),
    }));
}

/** The current version's figures for the gates, or its damage; `undefined` before the first publish. */
async function previousVersion(settings: Settings): Promise<PreviousVersion | DamagedVersion | undefined> {
  try {
    const { manifest, daos, completenessOfSpace, run } = await withStore(() => {
      const published = readPublishedDocuments(settings.snapshotsDirectory);
      return { ...published, completenessOfSpace: published.completenessOfSpace() };
    });
    const whole = run.fetches.filter((fetch) => fetch.status === "complete");
    return {
      asOf: manifest.as_of,
      createdAt: manifest.created_at,
      methodologyVersion: manifest.methodology_version,
      daos,
      votes: votesOf(manifest.sources),
      votesOfSpace: sumBySpace(whole.map(({ space_id, votes }) => ({ spaceId: space_id, votes }))),
      completenessOfSpace,
      rows: rowsOf(run.fetches.map((fetch) => ({ ...fetch, spaceId: fetch.space_id }))),
    };
  } catch (error) {
    if (!isPipelineFailure(error)) throw error;
    // A pointer without its version is damage, not a first run.
    const hasPointer = existsSync(join(settings.snapshotsDirectory, POINTER_FILE));
    if (error.code === "SNAPSHOT_MISSING" && !hasPointer) return undefined;
    // Publishing repairs a version but not the pointer: the store would refuse after all the work.
    const isPointer = isSnapshotFailure(error.cause) && error.cause.path === POINTER_FILE;
    if (error.code === "SNAPSHOT_INVALID" && isPointer) throw error;
    // Publishing must be able to replace a broken version once the operator has checked it.
    if (error.code === "SNAPSHOT_INVALID" || error.code === "SNAPSHOT_MISSING")
      return { damage: error.message };
    throw error;
  }
}

/** Of the two lists of opt-outs, the one that lost the larger share, as either loss must be checked. */
function worseOptOuts(registry: Registry, live: LiveOptOuts, settings: Settings) {
  const remembered = readState(settings);
  const inRegistry = {
    now: registry.entities.filter((entity) => entity.isOptedOut).length,
    before: remembered.opted_out_entities ?? undefined,
  };
  // While the live list is unavailable no entity is published, so nothing can have been lost.
  if (live.problem !== undefined) return inRegistry;
  const onList = { now: live.list.count, before: remembered.live_opt_outs ?? undefined };
  const keptShare = ({ now, before = 0 }: typeof inRegistry) => (before === 0 ? 1 : now / before);
  return keptShare(onList) < keptShare(inRegistry) ? onList : inRegistry;
}

/** DAOs of which every fetch failed; a DAO that its source does not have is not among them. */
function neverFetched(warehouse: Warehouse, { daos }: Registry): readonly string[] {
  const held = new Set(warehouse.holdings().map(({ spaceId }) => spaceId));
  const failed = failedFetches(warehouse.fetchRecords(), daos).filter(
    ({ spaceId, error }) => !held.has(spaceId) && error?.code !== "NOT_FOUND",
  );
  return [...new Set(failed.map(({ spaceId }) => spaceId))];
}

/** Runs the gates on a version that is ready to be written, with the figures that they compare. */
export async function checkVersion(input: {
  readonly settings: Settings;
  /** As loaded from the file; the live opt-outs are added here. */
  readonly registry: Registry;
  readonly live: LiveOptOuts;
  readonly warehouse: Warehouse;
  readonly version: VisitedVersion;
  readonly gated: readonly GatedDao[];
  readonly overrides: readonly GateOverride[];
  /** Wall time. */
  readonly nowMs: number;
}): Promise<GateResult> {
  const { settings, registry, live, warehouse, version, gated, overrides, nowMs } = input;
  const sources = manifestSources(warehouse, registry);
  const optOuts = worseOptOuts(registry, live, settings);
  return checkGates({
    lists: version.lists,
    daos: gated,
    previous: await previousVersion(settings),
    votes: votesOf(sources),
    votesOfSpace: sumBySpace(warehouse.holdings()),
    optedOut: withLiveOptOuts(registry, live).entities.filter((entity) => entity.isOptedOut),
    optOuts: optOuts.now,
    previousOptOuts: optOuts.before,
    neverFetched: neverFetched(warehouse, registry),
    rows: rowsOf(trackedFetches(warehouse, registry)),
    differences: listDifferences(version),
    nowMs,
    fetchTimes: sources.map(({ source_id: what, fetched_at: fetchedAt }) => ({ what, fetchedAt })),
    overrides,
  });
}
