import { setImmediate as nextTurn } from "node:timers/promises";
import type { CheckedDocuments } from "../../snapshots/format/agreement/check-shapes.ts";
import { timestampOf } from "../../snapshots/format/ids.ts";
import { publishSnapshot } from "../../snapshots/store/write/publish-snapshot.ts";
import { type RenderedPart, renderPart } from "../../snapshots/store/write/render-part.ts";
import type { SnapshotDisk } from "../../snapshots/store/write/snapshot-disk.ts";
import { certaintyOfRows } from "../documents/dao-row.ts";
import { TABLE_SCHEMAS } from "../documents/table-schemas.ts";
import { invariant, isPipelineFailure } from "../facts/errors.ts";
import type { Registry } from "../facts/tracked.ts";
import { requirePassed } from "../gate/check-gates.ts";
import type { GatedDao } from "../gate/gate-input.ts";
import type { GateFinding, GateOverride } from "../gate/gate-rules.ts";
import { inHome, withHomeWarehouse } from "../home/home.ts";
import { type LiveOptOuts, LOST_LIST_HINT, openLiveOptOuts, withLiveOptOuts } from "../home/opt-outs.ts";
import type { RunEffects, Settings } from "../home/settings.ts";
import { readSigningKey } from "../home/signing-key.ts";
import { readState, updateState } from "../home/state.ts";
import { withStore } from "../home/store-errors.ts";
import { METHODOLOGY } from "../score/method/methodology.ts";
import { failedFetches } from "../warehouse/fetches.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { placeDaos, type VisitedVersion, visitDaos, visitVersion } from "./build-version.ts";
import { checkVersion } from "./check-version.ts";
import { type EarlierVisits, openEarlierVisits } from "./earlier-visits.ts";
import type { FetchResult } from "./fetch.ts";
import { assertSpaceToPublish } from "./needs.ts";
import { type PendingPoints, withPendingPoints } from "./pending-points.ts";
import { buildRunReport, manifestSources, type StageClock } from "./run-report.ts";
import { methodKey } from "./score-dao.ts";
import { type ThreadPool, withThreads } from "./thread-pool.ts";

/** The moment to publish, and the gate refusals that the operator has checked and overrides. */
export interface PublishOptions {
  readonly asOfMs: number;
  readonly overrides: readonly GateOverride[];
  /** Uses nothing that earlier runs found out; the published bytes are the same. */
  readonly isFull?: boolean;
}

export type PublishResult = Awaited<ReturnType<typeof publishFrom>>;

export interface PublishInput {
  readonly settings: Settings;
  readonly registry: Registry;
  /** The locked snapshot root. */
  readonly disk: SnapshotDisk;
  /** When the command began, and its stage timings so far. */
  readonly startedAtMs: number;
  readonly clock: StageClock;
  readonly fetched: Pick<FetchResult, "traffic" | "names">;
}

/** A publish under way: what was loaded and opened for it. */
interface Publishing extends PublishInput, PublishOptions {
  /** With the live opt-outs. */
  readonly shown: Registry;
  readonly live: LiveOptOuts;
  readonly warehouse: Warehouse;
  readonly earlier: EarlierVisits;
  readonly pending: PendingPoints;
}

/** The stages after fetching. Before the last step of the last one, the published version stays unchanged. */
export async function publishFrom(input: PublishInput, options: PublishOptions, effects: RunEffects) {
  const { settings, registry, clock, disk } = input;
  assertSpaceToPublish(settings, registry, effects);
  // Opened after the fetch has closed it: a fetch holds every voter in memory.
  return withHomeWarehouse(settings, (warehouse) =>
    withPendingPoints(settings, async (pending) => {
      const live = openLiveOptOuts(settings);
      if (live.problem !== undefined) {
        effects.progress.warn(
          `no entity is published: ${live.problem.message}. ${LOST_LIST_HINT}`,
          live.problem,
        );
      }
      const shown = withLiveOptOuts(registry, live);
      const earlier = openEarlierVisits(warehouse, shown, disk.root, options.asOfMs);
      const work = { ...input, ...options, shown, live, warehouse, earlier, pending };
      const { published, visited, findings } = await publishVisited(work, effects);
      const { version, sequence, filesWritten, filesLinked, bytesWritten, warnings } = published;
      const endStage = clock.begin("remember");
      await remember(work, visited, filesLinked === 0 ? null : bytesWritten, effects);
      endStage();
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
        /** DAOs whose last fetch failed; published from their last good data. */
        daosFailed: [...new Set(failed.map(({ spaceId }) => spaceId))],
        findings,
        /** Includes the stages before the publish. */
        stages: clock.stages(),
      };
    }),
  );
}

/** Writes the documents of the DAOs one by one, then those that depend on all; readers see all of them or none. */
async function publishVisited(work: Publishing, effects: RunEffects) {
  const { settings, registry: loaded, shown: registry, live, warehouse, clock, asOfMs } = work;
  // Read before the work: an unusable key must not be discovered afterwards.
  const signManifest = readSigningKey(settings)?.signManifest;
  const about = { asOf: timestampOf(asOfMs), methodologyVersion: METHODOLOGY.version };
  const createdAtMs = effects.nowMs();
  const sources = manifestSources(warehouse, registry);
  const gated: GatedDao[] = [];
  let visited: VisitedVersion | undefined;
  let findings: readonly GateFinding[] = [];
  let endStage = clock.begin("score");
  const beginStage = (stage: string): void => {
    endStage();
    endStage = clock.begin(stage);
  };
  async function* parts(threads: ThreadPool | undefined): AsyncGenerator<RenderedPart> {
    const earlier = work.isFull === true ? undefined : work.earlier;
    const input = { registry, warehouse, asOfMs, effects, threads, isRendered: true, earlier };
    visited = yield* visitVersion(input, visitDaos(registry.daos, input), work.pending.add);
    // Their memory is needed for the lists.
    await threads?.close();
    beginStage("documents");
    const certainty = certaintyOfRows(visited.rows, visited.standings);
    const described = { as_of: about.asOf, methodology_version: about.methodologyVersion, certainty };
    const render = (checked: CheckedDocuments) => renderPart(checked, described);
    for await (const placed of placeDaos(visited, registry)) {
      gated.push(placed.gated);
      if (placed.checked !== undefined) yield render(placed.checked);
    }
    const { overrides } = work;
    const checked = { settings, registry: loaded, live, warehouse, version: visited, gated, overrides };
    const gates = await checkVersion({ ...checked, nowMs: effects.nowMs() });
    findings = gates.findings;
    yield render(requirePassed(gates));
    beginStage("publish");
  }
  const { problem } = live;
  const hidden = problem && { code: problem.code, message: `no entity is published: ${problem.message}` };
  const report = () => {
    invariant(visited !== undefined, "the report is made after all documents");
    return buildRunReport({
      runId: effects.runId,
      startedAtMs: work.startedAtMs,
      finishedAtMs: effects.nowMs(),
      fetched: work.fetched,
      lists: visited.lists,
      listingsCount: gated.filter(({ fetchedAt }) => fetchedAt !== undefined).length,
      registry,
      warehouse,
      findings: [
        // The number of opt-outs is only for the operator, who sees it in the terminal.
        ...findings
          .filter(({ code }) => code !== "OPT_OUTS_FELL")
          .map(({ code, spaceId, message }) => ({ code, space_id: spaceId ?? null, message })),
        ...visited.findings,
        ...(hidden ? [{ ...hidden, space_id: null }] : []),
      ],
      stages: clock.stages(),
    });
  };
  const content = { ...about, sources, imprint: registry.imprint, tables: TABLE_SCHEMAS, report };
  const publication = { runId: effects.runId, createdAtMs, signManifest, ...content };
  const published = await withThreads(settings, registry, registry.daos.length, (threads) =>
    withStore(() => publishSnapshot({ ...publication, parts: parts(threads) }, work.disk)),
  );
  endStage(published.manifest.files.reduce((sum, { bytes }) => sum + bytes, 0));
  invariant(visited !== undefined, "nothing is published without its documents");
  return { published, visited, findings };
}

/** DAOs whose points are stored at once; the event loop is blocked that long. */
const STORED_AT_ONCE = 100;

/** Stores points and figures for the next run. A failure does not affect the published version: it is reported. */
async function remember(
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
  try {
    for (const points of pending.inBatches(STORED_AT_ONCE)) {
      // A full disk of the home is only reported, too. Days that were not stored are scored again by the next run.
      inHome(settings, () => warehouse.dailyPoints.keep(methodKey(), points));
      await nextTurn();
    }
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
