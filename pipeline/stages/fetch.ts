import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { SpaceId } from "../../snapshots/format/ids.ts";
import { isPipelineFailure, pipelineFailure } from "../facts/errors.ts";
import { isWithinReach, neededSources, SOURCES, type SourceId } from "../facts/source-table.ts";
import type { Registry, TrackedDao } from "../facts/tracked.ts";
import { withHomeWarehouse } from "../home/home.ts";
import { readRegistry } from "../home/read-registry.ts";
import { httpIdentityOf, type RunEffects, type Settings } from "../home/settings.ts";
import type { SourceOptions } from "../sources/all.ts";
import { archivedSpaces, hasArchivedChain } from "../sources/archive/archive-source.ts";
import type { HttpCounters } from "../sources/http/http-client.ts";
import { type FetchRecord, failedFetches } from "../warehouse/fetches.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { fetchDaos } from "./fetch-daos.ts";
import type { NamesSummary } from "./fetch-names.ts";
import { type ThreadPool, withThreads } from "./thread-pool.ts";
import { trackListed } from "./track-listed.ts";

const NAMED = 3;

function someOf(spaceIds: readonly string[]): string {
  return `${spaceIds.slice(0, NAMED).join(", ")}${spaceIds.length > NAMED ? ", …" : ""}`;
}

/**
 * Throws `NOTHING_FETCHED` if an archive has no file of any of these DAOs: then the registry or
 * the folder is wrong, and one message is better than one per DAO.
 */
function assertArchiveMatches(directory: string, daos: readonly TrackedDao[]): void {
  // Opening the source reports a path that is not a folder.
  if (daos.length === 0 || statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  // File names may be any text; only valid ids are printed to a terminal.
  const spaceIds = archivedSpaces(directory).filter((name) => SpaceId.safeParse(name).success);
  const held = new Set(spaceIds);
  if (daos.some((dao) => held.has(dao.spaceId) || hasArchivedChain(directory, dao))) return;
  const requested = daos.length === 1 ? daos[0]?.spaceId : `any of the ${daos.length} tracked DAOs`;
  const nothing = `the archive holds nothing for ${requested}`;
  if (spaceIds.length === 0) throw nothingFetched(`${nothing}, nor for any other DAO`);
  const count = spaceIds.length === 1 ? "another DAO" : `${spaceIds.length} others`;
  // An archive written by govdata has it.
  const registry = join(directory, "registry.yaml");
  throw nothingFetched(
    `${nothing}; it holds ${count}: ${someOf(spaceIds)}`,
    existsSync(registry)
      ? `The archive has its own registry: use --registry ${registry} (GOVDATA_REGISTRY), or \`govdata init\` with it.`
      : "Use the registry of this archive: --registry FILE (GOVDATA_REGISTRY), or `govdata init` with it.",
  );
}

function nothingFetched(message: string, advice = "Check --source and --from.") {
  const hint = `${advice} Data fetched earlier is kept; nothing was published.`;
  return pipelineFailure("NOTHING_FETCHED", message, { hint });
}

/** The sources, used one after the other, and the DAOs; no ids mean all that a source can have. */
export interface FetchOptions extends Omit<SourceOptions, "source"> {
  /** `undefined`: the live ones that the registry needs. */
  readonly sources: readonly SourceId[] | undefined;
  readonly spaceIds: readonly string[];
  /** How long in all to wait for another try of DAOs that a source could not give. */
  readonly retryMs?: number | undefined;
}

export type FetchResult = Awaited<ReturnType<typeof fetchInto>>;

/** The requested DAOs; throws `BAD_OPTION` for an untracked one. */
export function chooseDaos(registry: Registry, spaceIds: readonly string[]): readonly TrackedDao[] {
  if (spaceIds.length === 0) return registry.daos;
  return [...new Set(spaceIds)].map((spaceId) => {
    const dao = registry.daos.find((candidate) => candidate.spaceId === spaceId);
    if (dao !== undefined) return dao;
    throw pipelineFailure("BAD_OPTION", `${spaceId} is not in the registry`, {
      hint: "`govdata status` lists the tracked DAOs.",
    });
  });
}

interface FetchInto {
  readonly settings: Settings;
  readonly warehouse: Warehouse;
  readonly registry: Registry;
  readonly threads: ThreadPool | undefined;
}

async function fetchInto(
  { settings, warehouse, registry: before, threads }: FetchInto,
  { sources: named, ...options }: FetchOptions,
  effects: RunEffects,
) {
  const records: FetchRecord[] = [];
  const traffic: (HttpCounters & { readonly sourceId: string })[] = [];
  const { from, isFull, recordDirectory, retryMs } = options;
  const isWhole = isFull === true || recordDirectory !== undefined;
  let registry = before;
  let chosen = chooseDaos(registry, options.spaceIds);
  const isAll = options.spaceIds.length === 0;
  const spaces = isAll ? registry.spaces : undefined;
  const sources = named ?? neededSources({ daos: chosen, spaces }, options);
  const isTaken = (dao: TrackedDao, sourceId: SourceId): boolean =>
    named === undefined ? isWithinReach(sourceId, dao, options) : SOURCES[sourceId].isFor(dao);
  const isFolder = (sourceId: SourceId): boolean => SOURCES[sourceId].from === "folder";
  if (from !== undefined && sources.every(isFolder)) assertArchiveMatches(from, chosen);
  // Loaded on demand: the network code takes as long to load as all the rest, and most commands never fetch.
  const { openSource } = await import("../sources/all.ts");
  let archivedBytes = 0;
  /** A node of one's own says more of a governor and its token than the services: both would put the same facts. */
  const hasBetter = (dao: TrackedDao, sourceId: SourceId): boolean =>
    (sourceId === "snapshot-api" ? dao.governor?.governor !== undefined : sourceId === "delegates-api") &&
    sources.includes("governor") &&
    isWithinReach("governor", dao, options);
  // Delegates alone are no votes.
  const withVotes = sources.filter((sourceId) => sourceId !== "delegates-api");
  const unread = chosen.filter((dao) => !withVotes.some((sourceId) => isTaken(dao, sourceId)));
  if (named === undefined && isAll && unread.length > 0) effects.progress.warn(unreadText(unread));
  for (const sourceId of sources) {
    const opened = openSource({ ...options, source: sourceId }, httpIdentityOf(settings, effects));
    const { source, atOnce, bytesOf } = opened;
    try {
      if (isAll) {
        registry = await trackListed(settings, registry, effects, opened.listSpaces);
        chosen = registry.daos;
      }
      const tracked = chosen.filter((dao) => isTaken(dao, sourceId) && !hasBetter(dao, sourceId));
      const isThreaded = isFolder(sourceId) && threads !== undefined && from !== undefined;
      const inThreads = isThreaded ? { threads, directory: from } : undefined;
      const { daos, settled } = await survey(opened, tracked, { warehouse, isFull: isWhole, effects });
      const input = { daos, source, warehouse, effects, atOnce, bytesOf, inThreads, isFull, retryMs };
      records.push(...settled, ...(await fetchDaos(input)));
      const seen = opened.counters();
      if (seen !== undefined) traffic.push({ sourceId, ...seen });
      archivedBytes += daos.reduce((sum, dao) => sum + bytesOf(dao), 0);
    } finally {
      await opened.close();
    }
  }
  let names: NamesSummary | undefined;
  if (sources.some((sourceId) => SOURCES[sourceId].from === "nodes")) {
    const { askForNames } = await import("./fetch-names.ts");
    const asked = await askForNames({ settings, warehouse, registry, daos: chosen }, options, effects);
    names = asked.summary;
    if (asked.counters !== undefined) traffic.push({ sourceId: "ens", ...asked.counters });
  }
  const unmatched = options.spaceIds.find((spaceId) => records.every((record) => record.spaceId !== spaceId));
  if (unmatched !== undefined) {
    const reader = named === undefined ? "no source reads" : `--source ${named.join(",")} cannot fetch`;
    throw pipelineFailure("BAD_OPTION", `${reader} ${unmatched}`, {
      hint: "The governor source needs a governor in the DAO's registry entry, and a node of its chain.",
    });
  }
  if (records.length > 0 && records.every((record) => record.status === "failed")) {
    // Put a shared reason into the final error.
    const reasons = new Set(records.map((record) => record.error?.message));
    const [reason] = reasons;
    const why = reasons.size === 1 && reason !== undefined ? `: ${reason}` : "";
    throw nothingFetched(`none of ${records.length} DAOs could be fetched${why}`);
  }
  return {
    records,
    /** Bytes read from archives and the network. */
    bytes: archivedBytes + traffic.reduce((sum, source) => sum + source.bytes, 0),
    failedCount: failedFetches(warehouse.fetchRecords(), chosen).filter(({ sourceId }) =>
      sources.some((source) => source === sourceId),
    ).length,
    traffic,
    /** `undefined` if no chain was read. */
    names,
    /** With the spaces of the hub's list, if these are tracked. */
    registry,
  };
}

/**
 * Asks a source about all DAOs at once, where it can tell, and reports the requests and time that a fetch will take. Returns
 * the DAOs to fetch, and the records of the others: those of which nothing changed, and those that failed, which are all of
 * them if the source cannot be reached, otherwise those that it does not have and never had.
 */
async function survey(
  opened: ReturnType<typeof import("../sources/all.ts").openSource>,
  daos: readonly TrackedDao[],
  { warehouse, isFull, effects }: { warehouse: Warehouse; isFull: boolean; effects: RunEffects },
): Promise<{ readonly daos: readonly TrackedDao[]; readonly settled: readonly FetchRecord[] }> {
  const { sourceId } = opened.source;
  if (opened.survey === undefined || daos.length === 0) return { daos, settled: [] };
  // What changes while the source is asked is found by the next fetch.
  const fetchedAtMs = effects.nowMs();
  const fail = ({ spaceId }: TrackedDao, error: { readonly code: string; readonly message: string }) =>
    warehouse.beginSpaceFetch({ spaceId, sourceId, fetchedAtMs }).fail(error);
  const heldOf = (spaceId: string) => (isFull ? undefined : warehouse.heldSpace(spaceId, sourceId));
  try {
    const { spaceIds, unchanged, ...facts } = await opened.survey(daos, heldOf);
    effects.progress.step("estimate", daos.length, daos.length, sourceId, {
      spaces: spaceIds?.size ?? daos.length,
      unchanged: unchanged.size,
      ...facts,
    });
    const confirmed = warehouse.settleSpaces(unchanged, { sourceId, fetchedAtMs });
    const held = new Set(
      warehouse.holdings().flatMap((one) => (one.sourceId === sourceId ? one.spaceId : [])),
    );
    // One that was fetched before is asked for by itself: a list that lacks it must not make it look gone.
    const missing = daos.filter(({ spaceId }) => spaceIds?.has(spaceId) === false && !held.has(spaceId));
    if (missing.length > 0) effects.progress.warn(missingText(missing, daos.length));
    const error = { code: "NOT_FOUND", message: "the hub has no space of this id" };
    return {
      daos: daos.filter((dao) => !missing.includes(dao) && !unchanged.has(dao.spaceId)),
      settled: [...confirmed, ...missing.map((dao) => fail(dao, error))],
    };
  } catch (error) {
    if (!isPipelineFailure(error)) throw error;
    // A hub that refuses this query may still answer those for single spaces.
    if (!error.isPassing) return { daos, settled: [] };
    const { code, message } = error;
    effects.progress.warn(`none of ${daos.length} DAOs could be fetched from ${sourceId}: ${message}`, error);
    const held = new Set(daos.flatMap(({ spaceId }) => (heldOf(spaceId) === undefined ? [] : spaceId)));
    const away = warehouse.settleSpaces(held, { sourceId, fetchedAtMs, awayMessage: message });
    const others = daos.filter(({ spaceId }) => !held.has(spaceId));
    return { daos: [], settled: [...away, ...others.map((dao) => fail(dao, { code, message }))] };
  }
}

function unreadText(unread: readonly TrackedDao[]): string {
  const chains = new Set(unread.flatMap(({ governor }) => governor?.chainId ?? []));
  const nodes = [...chains].map((chainId) => `GOVDATA_RPC_${chainId}`).join(", ");
  return `no source reads ${someOf(unread.map(({ spaceId }) => spaceId))}; set ${nodes || "`onchain` in the registry"}`;
}

function missingText(missing: readonly TrackedDao[], count: number): string {
  const names = someOf(missing.map(({ spaceId }) => spaceId));
  const advice = "for those that vote elsewhere, set `snapshot: none` in the registry";
  return `the hub has no space for ${missing.length} of ${count} DAOs: ${names}; ${advice}`;
}

/**
 * `govdata fetch`, and the first stage of `run`: fills the warehouse and publishes nothing. Throws `BAD_OPTION` if no
 * source supports a requested DAO, and NOTHING_FETCHED if every fetch failed.
 */
export function runFetch(
  settings: Settings,
  options: FetchOptions,
  effects: RunEffects,
  registry = readRegistry(settings),
): Promise<FetchResult> {
  return withHomeWarehouse(settings, (warehouse) =>
    withThreads(settings, registry, chooseDaos(registry, options.spaceIds).length, (threads) =>
      fetchInto({ settings, warehouse, registry, threads }, options, effects),
    ),
  );
}
