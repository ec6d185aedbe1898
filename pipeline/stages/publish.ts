import { setImmediate as nextTurn } from "node:timers/promises";
import type { CheckedDocuments } from "../../snapshots/format/agreement/check-shapes.ts";
import { timestampOf } from "../../snapshots/format/ids.ts";
import type { SignManifest } from "../../snapshots/store/read/manifest-signature.ts";
import { publishSnapshot } from "../../snapshots/store/write/publish-snapshot.ts";
import { type RenderedPart, renderPart } from "../../snapshots/store/write/render-part.ts";
import type { SnapshotDisk } from "../../snapshots/store/write/snapshot-disk.ts";
import { certaintyOfRows } from "../documents/dao-row.ts";
import { TABLE_SCHEMAS } from "../documents/table-schemas.ts";
import type { DailyPoint } from "../facts/days.ts";
import { invariant, isPipelineFailure } from "../facts/errors.ts";
import type { Registry } from "../facts/tracked.ts";
import type { GatedDao } from "../gate/gate-input.ts";
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
import { METHODOLOGY } from "../score/method/methodology.ts";
import { failedFetches } from "../warehouse/fetches.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { placeDaos, type VisitedVersion, visitVersion } from "./build-version.ts";
import { checkVersion } from "./check-version.ts";
import { type EarlierVisits, openEarlierVisits } from "./earlier-visits.ts";
import type { FetchResult } from "./fetch.ts";
import { assertSpaceToPublish } from "./needs.ts";
import { type PendingPoints, withPendingPoints } from "./pending-points.ts";
import { buildRunReport, manifestSources } from "./run-report.ts";
import { methodKey } from "./score-dao.ts";
import type { StageClock, StageTime } from "./stage-clock.ts";
import { type ThreadPool, withThreads } from "./thread-pool.ts";

/** The moment to publish, and the gate refusals that the operator has checked and overrides. */
export interface PublishOptions {
  readonly asOfMs: number;
  readonly overrides: readonly GateOverride[];
  /** Uses nothing that earlier runs found out; the published bytes are the same. */
  readonly isFull?: boolean;
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

export interface PublishInput {
  readonly settings: Settings;
  readonly registry: Registry;
  /** The locked snapshot root. */
  readonly disk: SnapshotDisk;
  /** When the command began, and its stage timings so far. */
  readonly startedAtMs: number;
  readonly clock: StageClock;
}

/** A publish under way: what was loaded and opened for it. */
interface Publishing extends PublishInput, PublishOptions {
  /** With the live opt-outs. */
  readonly shown: Registry;
  readonly live: LiveOptOuts;
  readonly warehouse: Warehouse;
  readonly earlier: EarlierVisits;
  readonly pending: PendingPoints;
  readonly signManifest: SignManifest | undefined;
  readonly fetched: Pick<FetchResult, "traffic" | "names">;
}

/** DAOs whose points are stored at once; the event loop is blocked that long. */
const STORED_AT_ONCE = 100;

/**
 * Stores the points and figures for the next run. A failure does not affect the published version, but must
 * be reported.
 */
async function updateStateFor(
  { settings, registry, warehouse, earlier, clock, pending, live }: Publishing,
  { kept }: VisitedVersion,
  versionBytes: number | null,
  effects: RunEffects,
): Promise<void> {
  const wallMsOf = (isFetch: boolean): number =>
    clock
      .stages()
      .filter(({ stage }) => (stage === "fetch") === isFetch)
      .reduce((sum, { wallMs }) => sum + Math.round(wallMs), 0);
  const store = (points: readonly (readonly [string, readonly DailyPoint[]])[]) =>
    // A full disk of the home is only reported, too. Days that were not stored are scored again by the next run.
    inHome(settings, () => warehouse.dailyPoints.keep(methodKey(), points));
  try {
    let points: (readonly [string, readonly DailyPoint[]])[] = [];
    for (const daoPoints of pending.all()) {
      points.push(daoPoints);
      if (points.length < STORED_AT_ONCE) continue;
      store(points);
      points = [];
      await nextTurn();
    }
    store(points);
    inHome(settings, () => earlier.keep(kept));
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
        home_bytes: pending.bytes(),
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
  const { settings, registry, clock } = input;
  // Opened after the fetch has closed it: a fetch holds every voter in memory.
  return withHomeWarehouse(settings, async (warehouse) => {
    assertSpaceToPublish(settings, registry, effects);
    // Checked before the work: an unusable key must not be discovered afterwards.
    const signManifest = readSigningKey(settings)?.signManifest;
    const live = openLiveOptOuts(settings);
    if (live.problem !== undefined) {
      effects.progress.warn(
        `no entity is published: ${live.problem.message}. ${LOST_LIST_HINT}`,
        live.problem,
      );
    }
    const shown = withLiveOptOuts(registry, live);
    return withPendingPoints(settings, async (pending) => {
      const earlier = openEarlierVisits(warehouse, shown, input.disk.root, options.asOfMs);
      const work = { ...input, ...options, shown, live, warehouse, earlier, pending, signManifest, fetched };
      const {
        published,
        version: visited,
        findings,
      } = await withThreads(settings, shown, shown.daos.length, (threads) =>
        publishVisited(work, threads, effects),
      );
      const { version, sequence, filesWritten, filesLinked, bytesWritten, warnings } = published;
      const versionBytes = filesLinked === 0 ? null : bytesWritten;
      await clock.timed("remember", () => updateStateFor(work, visited, versionBytes, effects));
      for (const warning of warnings) effects.progress.warn(warning);
      const failed = failedFetches(warehouse.fetchRecords(), registry.daos);
      return {
        version,
        sequence,
        asOf: visited.lists.asOf,
        daosScored: visited.lists.daos.length,
        daosUnscored: visited.lists.unscored.length,
        filesWritten,
        filesLinked,
        daosFailed: [...new Set(failed.map(({ spaceId }) => spaceId))],
        findings,
        stages: clock.stages(),
      };
    });
  });
}

/**
 * Visits the DAOs and writes their documents one by one, then those that depend on all of them; readers see all of them
 * or none.
 */
async function publishVisited(work: Publishing, threads: ThreadPool | undefined, effects: RunEffects) {
  const { settings, registry: loaded, shown: registry, live, warehouse, earlier, pending, clock } = work;
  const { asOfMs, overrides, isFull, signManifest, startedAtMs, fetched, disk } = work;
  const about = { asOf: timestampOf(asOfMs), methodologyVersion: METHODOLOGY.version };
  const createdAtMs = effects.nowMs();
  const sources = manifestSources(warehouse, registry);
  const gated: GatedDao[] = [];
  let version: VisitedVersion | undefined;
  let findings: readonly GateFinding[] = [];
  let endStage = clock.begin("score");
  const beginStage = (stage: string): void => {
    endStage();
    endStage = clock.begin(stage);
  };
  async function* parts(): AsyncGenerator<RenderedPart> {
    const input = { registry, warehouse, asOfMs, effects, threads, isRendered: true };
    version = yield* visitVersion({ ...input, earlier: isFull === true ? undefined : earlier }, pending.add);
    // Their memory is needed for the lists.
    await threads?.close();
    beginStage("documents");
    const certainty = certaintyOfRows(version.rows, version.standings);
    const described = { as_of: about.asOf, methodology_version: about.methodologyVersion, certainty };
    const render = (checked: CheckedDocuments) => renderPart(checked, described);
    for await (const placed of placeDaos(version, registry)) {
      gated.push(placed.gated);
      if (placed.checked !== undefined) yield render(placed.checked);
    }
    const gates = await checkVersion({
      ...{ settings, registry: loaded, live, warehouse, version, gated, overrides },
      nowMs: effects.nowMs(),
    });
    findings = gates.findings;
    yield render(requirePassed(gates));
    beginStage("publish");
  }
  const report = () => {
    invariant(version !== undefined, "the report is made after all documents");
    return buildRunReport({
      runId: effects.runId,
      startedAtMs,
      finishedAtMs: effects.nowMs(),
      fetched,
      lists: version.lists,
      listingsCount: gated.filter(({ fetchedAt }) => fetchedAt !== undefined).length,
      registry,
      warehouse,
      findings: [
        // The number of opt-outs is only for the operator, who sees it in the terminal.
        ...findings
          .filter(({ code }) => code !== "OPT_OUTS_FELL")
          .map(({ code, spaceId, message }) => ({ code, space_id: spaceId ?? null, message })),
        ...version.findings,
        ...liveOptOutFindings(live).map((finding) => ({ ...finding, space_id: null })),
      ],
      stages: clock.stages(),
    });
  };
  const { imprint } = registry;
  const content = { ...about, sources, imprint, tables: TABLE_SCHEMAS, parts: parts(), report };
  const published = await withStore(() =>
    publishSnapshot({ runId: effects.runId, createdAtMs, signManifest, ...content }, disk),
  );
  endStage(published.manifest.files.reduce((sum, { bytes }) => sum + bytes, 0));
  invariant(version !== undefined, "nothing is published without its documents");
  return { published, version, findings };
}
