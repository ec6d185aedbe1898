import { setImmediate as nextTurn } from "node:timers/promises";
import type { SignManifest } from "../../snapshots/store/read/manifest-signature.ts";
import { publishSnapshot } from "../../snapshots/store/write/publish-snapshot.ts";
import { type RenderedPart, renderPart } from "../../snapshots/store/write/render-part.ts";
import type { SnapshotDisk } from "../../snapshots/store/write/snapshot-disk.ts";
import { TABLE_SCHEMAS } from "../documents/table-schemas.ts";
import type { DailyPoint } from "../facts/days.ts";
import { isPipelineFailure } from "../facts/errors.ts";
import type { Registry } from "../facts/tracked.ts";
import type { GateFinding, GateOverride } from "../gate/gate-rules.ts";
import { requirePassed } from "../gate/require-passed.ts";
import { inHome, withHomeWarehouse } from "../home/home.ts";
import {
  type LiveOptOuts,
  LOST_LIST_HINT,
  liveOptOutFindings,
  openLiveOptOuts,
  withLiveOptOuts,
} from "../home/opt-outs.ts";
import type { RunEffects, Settings } from "../home/settings.ts";
import { readSigningKey } from "../home/signing-key.ts";
import { readState, updateState } from "../home/state.ts";
import { withStore } from "../home/store-errors.ts";
import { failedFetches } from "../warehouse/fetches.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { buildVersion, type VersionPlan } from "./build-version.ts";
import { checkVersion } from "./check-version.ts";
import { computeVersion } from "./compute.ts";
import type { FetchResult } from "./fetch.ts";
import { assertSpaceToPublish } from "./needs.ts";
import { buildRunReport, manifestSources } from "./run-report.ts";
import { methodKey } from "./score-dao.ts";
import { readBack, type ScratchFile, scratchBytes, withScratch } from "./scratch-file.ts";
import type { StageClock, StageTime } from "./stage-clock.ts";
import { type ThreadPool, withThreads } from "./thread-pool.ts";

/** The moment to publish, and the gate refusals that the operator has checked and overrides. */
export interface PublishOptions {
  readonly asOfMs: number;
  readonly overrides: readonly GateOverride[];
}

export interface PublishResult {
  readonly version: string;
  readonly sequence: number;
  readonly asOf: string;
  readonly daosScored: number;
  readonly daosUnscored: number;
  readonly filesWritten: number;
  readonly filesLinked: number;
  /** DAOs whose last fetch failed; published from their last good data. */
  readonly daosFailed: readonly string[];
  readonly findings: readonly GateFinding[];
  /** Duration of each stage, including those before the publish. */
  readonly stages: readonly StageTime[];
}

function failedDaos(warehouse: Warehouse, { daos }: Registry): readonly string[] {
  return [...new Set(failedFetches(warehouse.fetchRecords(), daos).map(({ spaceId }) => spaceId))];
}

export interface PublishInput {
  readonly settings: Settings;
  readonly registry: Registry;
  /** The locked snapshot root. */
  readonly disk: SnapshotDisk;
  /** When the command began, and its stage timings so far. */
  readonly startedAtMs: number;
  readonly clock: StageClock;
}

interface WarehouseInput extends PublishInput {
  readonly warehouse: Warehouse;
  readonly fetched: Pick<FetchResult, "traffic" | "names">;
}

/** DAOs whose points are stored at once; the event loop is blocked that long. */
const KEPT_AT_ONCE = 100;

/**
 * Stores the points and figures for the next run. A failure does not affect the published version, but must
 * be reported.
 */
async function updateStateFor(
  { settings, registry, warehouse, clock }: WarehouseInput,
  { rows, scratch }: VersionPlan,
  { live, versionBytes }: { readonly live: LiveOptOuts; readonly versionBytes: number | null },
  effects: RunEffects,
): Promise<void> {
  const wallMsOf = (isFetch: boolean): number =>
    clock
      .stages()
      .filter(({ stage }) => (stage === "fetch") === isFetch)
      .reduce((sum, { wallMs }) => sum + Math.round(wallMs), 0);
  try {
    for (let from = 0; from < rows.length; from += KEPT_AT_ONCE) {
      const points = finalPointsOf(rows.slice(from, from + KEPT_AT_ONCE), scratch);
      // A full disk of the home is only reported, too. Days that were not stored are scored again by the next
      // run.
      inHome(settings, () => warehouse.dailyPoints.keep(methodKey(), points));
      await nextTurn();
    }
    updateState(settings, {
      opted_out_entities: registry.entities.filter((entity) => entity.isOptedOut).length,
      // If the list is unreadable, keep the last known count for the next comparison.
      ...(live.problem === undefined ? { live_opt_outs: live.list.count } : {}),
      last_run: {
        daos: registry.daos.length,
        fetch_ms: wallMsOf(true) || (readState(settings).last_run?.fetch_ms ?? null),
        publish_ms: wallMsOf(false),
        memory_bytes: effects.peakMemoryBytes?.() ?? null,
        version_bytes: versionBytes,
        scratch_bytes: scratchBytes(scratch),
      },
    });
  } catch (error) {
    if (!isPipelineFailure(error)) throw error;
    effects.progress.warn(
      `published, but the state for the next run could not be stored: ${error.message}`,
      error,
    );
  }
}

function* finalPointsOf(rows: VersionPlan["rows"], scratch: ScratchFile) {
  for (const { spaceId, finalPoints } of rows) {
    if (finalPoints !== undefined)
      yield [spaceId, readBack<readonly DailyPoint[]>(scratch, finalPoints)] as const;
  }
}

/**
 * The stages after fetching: compute, gates, publish. Before the last step the published version stays
 * unchanged.
 */
export async function publishFrom(
  input: PublishInput,
  options: PublishOptions,
  effects: RunEffects,
  fetched: Pick<FetchResult, "traffic" | "names"> = { traffic: [], names: undefined },
): Promise<PublishResult> {
  // Opened after the fetch has closed it: a fetch holds every voter in memory.
  return withHomeWarehouse(input.settings, (warehouse) =>
    publishWarehouse({ ...input, warehouse, fetched }, options, effects),
  );
}

async function publishWarehouse(
  input: WarehouseInput,
  options: PublishOptions,
  effects: RunEffects,
): Promise<PublishResult> {
  const { settings, warehouse, clock } = input;
  assertSpaceToPublish(settings, input.registry, effects);
  // Checked before the work: an unusable key must not be discovered afterwards.
  const signManifest = readSigningKey(settings)?.signManifest;
  const live = openLiveOptOuts(settings);
  if (live.problem !== undefined) {
    effects.progress.warn(`no entity is published: ${live.problem.message}. ${LOST_LIST_HINT}`, live.problem);
  }
  const registry = withLiveOptOuts(input.registry, live);
  return withScratch(settings, async (scratch) => {
    const { asOfMs } = options;
    // New threads for each stage: the memory of the earlier ones is needed.
    const plan = await withThreads(settings, registry, registry.daos.length, (threads) =>
      computeVersion({ registry, warehouse, asOfMs, effects, threads, clock, scratch }),
    );
    const { published, findings } = await withThreads(settings, registry, plan.rows.length, (threads) =>
      publishPlan(
        { ...input, registry, loaded: input.registry, threads },
        { ...options, plan, live, signManifest },
        effects,
      ),
    );
    const { lists } = plan;
    const about = { live, versionBytes: published.filesLinked === 0 ? null : published.bytesWritten };
    await clock.timed("remember", () => updateStateFor(input, plan, about, effects));
    for (const warning of published.warnings) effects.progress.warn(warning);
    return {
      version: published.version,
      sequence: published.sequence,
      asOf: lists.asOf,
      daosScored: lists.daos.length,
      daosUnscored: lists.unscored.length,
      filesWritten: published.filesWritten,
      filesLinked: published.filesLinked,
      daosFailed: failedDaos(warehouse, registry),
      findings,
      stages: clock.stages(),
    };
  });
}

/**
 * Builds the documents, checks them by the gates and writes them, DAO by DAO; readers see all of them or
 * none.
 */
async function publishPlan(
  {
    settings,
    registry,
    warehouse,
    disk,
    threads,
    startedAtMs,
    clock,
    loaded,
    fetched,
  }: WarehouseInput & {
    readonly loaded: Registry;
    readonly threads: ThreadPool | undefined;
  },
  options: PublishOptions & {
    readonly plan: Awaited<ReturnType<typeof computeVersion>>;
    readonly live: LiveOptOuts;
    readonly signManifest: SignManifest | undefined;
  },
  effects: RunEffects,
) {
  const { plan, live, overrides, signManifest } = options;
  const { lists } = plan;
  const { asOf, methodologyVersion } = lists;
  const createdAtMs = effects.nowMs();
  const sources = manifestSources(warehouse, registry);
  const build = buildVersion(plan, { registry, threads, effects, isRendered: true });
  let findings: readonly GateFinding[] = [];
  let endStage = clock.begin("documents");
  async function* parts(): AsyncGenerator<RenderedPart> {
    yield* build.parts();
    // Their memory is needed for the lists.
    await threads?.close();
    const about = { settings, registry: loaded, live, warehouse, lists, build, overrides };
    const gates = await checkVersion({ ...about, nowMs: effects.nowMs() });
    findings = gates.findings;
    const checked = requirePassed(gates);
    const { certainty } = build;
    yield renderPart(checked, { as_of: asOf, methodology_version: methodologyVersion, certainty });
    endStage();
    endStage = clock.begin("publish");
  }
  const report = () =>
    buildRunReport({
      runId: effects.runId,
      startedAtMs,
      finishedAtMs: effects.nowMs(),
      fetched,
      lists,
      listingsCount: build.gated.filter(({ fetchedAt }) => fetchedAt !== undefined).length,
      registry,
      warehouse,
      findings: [
        // The number of opt-outs is only for the operator, who sees it in the terminal.
        ...findings
          .filter(({ code }) => code !== "OPT_OUTS_FELL")
          .map(({ code, spaceId, message }) => ({ code, space_id: spaceId ?? null, message })),
        ...plan.findings,
        ...liveOptOutFindings(live).map((finding) => ({ ...finding, space_id: null })),
      ],
      stages: clock.stages(),
    });
  const tables = TABLE_SCHEMAS;
  const about = { runId: effects.runId, createdAtMs, signManifest, tables, asOf, methodologyVersion };
  const published = await withStore(() =>
    publishSnapshot({ ...about, sources, parts: parts(), report }, disk),
  );
  endStage(published.manifest.files.reduce((sum, { bytes }) => sum + bytes, 0));
  return { published, findings };
}
