import { setImmediate as nextTurn } from "node:timers/promises";
import type { CheckedDocuments } from "../../snapshots/format/agreement/check-shapes.ts";
import type { VersionLists } from "../../snapshots/format/published-set.ts";
import type { SignManifest } from "../../snapshots/store/read/manifest-signature.ts";
import { publishSnapshot } from "../../snapshots/store/write/publish-snapshot.ts";
import { type RenderedPart, renderPart } from "../../snapshots/store/write/render-part.ts";
import type { SnapshotDisk } from "../../snapshots/store/write/snapshot-disk.ts";
import type { DailyPoint } from "../facts/days.ts";
import { PipelineError } from "../facts/errors.ts";
import type { Registry } from "../facts/tracked.ts";
import type { GateResult } from "../gate/check-gates.ts";
import { GATE_OVERRIDES, type GateCode, type GateFinding, type GateOverride } from "../gate/gate-rules.ts";
import { inHome } from "../home/home.ts";
import {
  type LiveOptOuts,
  LOST_LIST_HINT,
  liveOptOutFindings,
  openLiveOptOuts,
  withLiveOptOuts,
} from "../home/opt-outs.ts";
import type { RunEffects, Settings } from "../home/settings.ts";
import { readSigningKey } from "../home/signing-key.ts";
import { readState, remember } from "../home/state.ts";
import { withStore } from "../home/store-errors.ts";
import { TABLE_SCHEMAS } from "../readers/tables/dictionary.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { checkVersion } from "./check-version.ts";
import { computeVersion } from "./compute.ts";
import { drawVersion, type VersionPlan } from "./draw-version.ts";
import type { FetchResult } from "./fetch.ts";
import { assertRoomToPublish } from "./needs.ts";
import { buildRunReport, manifestSources } from "./run-report.ts";
import { methodKey } from "./score-dao.ts";
import { type ScratchFile, takeUp, withScratch } from "./scratch-file.ts";
import type { StageClock, StageTime } from "./stage-clock.ts";
import { type ThreadPool, withThreads } from "./thread-pool.ts";

/** The refusals that `--allow` may let pass. */
export const OVERRIDES: readonly GateOverride[] = GATE_OVERRIDES;

/** As of when to publish, and which refusals of a gate the operator has looked at and lets pass. */
export interface PublishOptions {
  readonly asOfMs: number;
  readonly overrides: readonly GateOverride[];
}

/** What was published. */
export interface PublishResult {
  readonly version: string;
  readonly sequence: number;
  readonly asOf: string;
  readonly daosScored: number;
  readonly daosUnscored: number;
  readonly filesWritten: number;
  readonly filesLinked: number;
  /** DAOs whose last fetch failed: published from their last good data. */
  readonly daosFailed: readonly string[];
  readonly findings: readonly GateFinding[];
  /** What each stage took, those before the publishing too. */
  readonly stages: readonly StageTime[];
}

function failedDaos(warehouse: Warehouse, { daos, unscored }: VersionLists): readonly string[] {
  const tracked = new Set([...daos, ...unscored].map((dao) => dao.space_id));
  const failed = warehouse
    .fetchRecords()
    .filter((record) => record.status === "failed" && tracked.has(record.spaceId));
  return [...new Set(failed.map((record) => record.spaceId))];
}

/** What publishing works on. */
export interface PublishInput {
  readonly settings: Settings;
  readonly registry: Registry;
  readonly warehouse: Warehouse;
  /** Of the snapshot root whose lock is held. */
  readonly disk: SnapshotDisk;
  readonly threads: ThreadPool | undefined;
  /** When the command began, and the clock that has timed what it did since. */
  readonly startedAtMs: number;
  readonly clock: StageClock;
}

/** DAOs whose points are kept at once: as long the event loop waits. */
const KEPT_AT_ONCE = 100;

/** The version stands whatever happens here; the next run must know if its memory does not. */
async function rememberFor(
  { settings, registry, warehouse, clock }: PublishInput,
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
      const points = standingPoints(rows.slice(from, from + KEPT_AT_ONCE), scratch);
      // A full disk of the home, too, is told and no more; days that were not kept are scored again by the next run.
      inHome(settings, () => warehouse.dailyPoints.keep(methodKey(), points));
      await nextTurn();
    }
    remember(settings, {
      opted_out_entities: registry.entities.filter((entity) => entity.isOptedOut).length,
      // What cannot be read has no length, and the next run must compare with the last one that could.
      ...(live.problem === undefined ? { live_opt_outs: live.list.count } : {}),
      last_run: {
        daos: registry.daos.length,
        fetch_ms: wallMsOf(true) || (readState(settings).last_run?.fetch_ms ?? null),
        publish_ms: wallMsOf(false),
        memory_bytes: effects.peakMemoryBytes?.() ?? null,
        version_bytes: versionBytes,
        scratch_bytes: scratch.size(),
      },
    });
  } catch (error) {
    if (!(error instanceof PipelineError)) throw error;
    effects.progress.warn(`published, but not remembered for the next run: ${error.message}`, error);
  }
}

function* standingPoints(rows: VersionPlan["rows"], { descriptor }: ScratchFile) {
  for (const { spaceId, standing } of rows) {
    if (standing !== undefined) yield [spaceId, takeUp<readonly DailyPoint[]>(descriptor, standing)] as const;
  }
}

/** The stages after fetching: compute, gates, publish. Everything up to the last of them leaves the published version alone. */
export async function publishFrom(
  input: PublishInput,
  options: PublishOptions,
  effects: RunEffects,
  fetched: Pick<FetchResult, "traffic" | "names"> = { traffic: [], names: undefined },
): Promise<PublishResult> {
  const { settings, warehouse, threads, clock } = input;
  assertRoomToPublish(settings, input.registry, effects);
  // Before the work: a key that cannot be used must not be found out after it.
  const signManifest = readSigningKey(settings)?.signManifest;
  const live = openLiveOptOuts(settings);
  if (live.problem !== undefined) {
    effects.progress.warn(`no entity is published: ${live.problem.message}. ${LOST_LIST_HINT}`, live.problem);
  }
  const registry = withLiveOptOuts(input.registry, live);
  return withScratch(settings, async (scratch) => {
    const { asOfMs } = options;
    const plan = await computeVersion({ registry, warehouse, asOfMs, effects, threads, clock, scratch });
    // What they hold is more than what comes after needs.
    await threads?.close();
    const drawn = await withThreads(settings, registry, plan.rows.length, (drawers) =>
      publishPlan(
        { ...input, registry, loaded: input.registry, threads: drawers },
        { ...options, plan, live, signManifest, fetched },
        effects,
      ),
    );
    const { lists } = plan;
    const { published, findings } = drawn;
    const about = { live, versionBytes: published.filesLinked === 0 ? null : published.bytesWritten };
    await clock.timed("remember", () => rememberFor(input, plan, about, effects));
    for (const warning of published.warnings) effects.progress.warn(warning);
    return {
      version: published.version,
      sequence: published.sequence,
      asOf: lists.asOf,
      daosScored: lists.daos.length,
      daosUnscored: lists.unscored.length,
      filesWritten: published.filesWritten,
      filesLinked: published.filesLinked,
      daosFailed: failedDaos(warehouse, lists),
      findings,
      stages: clock.stages(),
    };
  });
}

/** Draws up the documents, lets the gates look at them and writes them, DAO by DAO; readers see all of them or nothing. */
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
  }: PublishInput & { readonly loaded: Registry },
  options: PublishOptions & {
    readonly plan: Awaited<ReturnType<typeof computeVersion>>;
    readonly live: LiveOptOuts;
    readonly signManifest: SignManifest | undefined;
    readonly fetched: Pick<FetchResult, "traffic" | "names">;
  },
  effects: RunEffects,
) {
  const { plan, live, overrides, signManifest, fetched } = options;
  const { lists } = plan;
  const { asOf, methodologyVersion } = lists;
  const createdAtMs = effects.nowMs();
  const sources = manifestSources(warehouse, registry);
  const drawing = drawVersion(plan, { registry, threads, effects, isRendered: true });
  let findings: readonly GateFinding[] = [];
  let endStage = clock.begin("documents");
  async function* parts(): AsyncGenerator<RenderedPart> {
    yield* drawing.parts();
    // What they hold is room for the lists, which are made here.
    await threads?.close();
    const about = { settings, registry: loaded, live, warehouse, lists, drawing, overrides };
    const gates = await checkVersion({ ...about, nowMs: effects.nowMs() });
    findings = gates.findings;
    const checked = requirePassed(gates);
    yield renderPart(checked, { as_of: asOf, methodology_version: methodologyVersion }, drawing.certainty);
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
      listingsCount: drawing.gated.filter(({ fetchedAt }) => fetchedAt !== undefined).length,
      registry,
      warehouse,
      findings: [
        // How many opted out is nobody's business but the operator's, who reads it on the terminal.
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

/** What the gates let pass; throws `PipelineError` GATE_REFUSED with a report where they do not. */
export function requirePassed({ findings, checked }: GateResult): CheckedDocuments {
  if (checked !== undefined) return checked;
  const refusals = findings.filter((finding) => finding.severity === "refuse");
  const overrides = [...new Set(refusals.flatMap((finding) => finding.override ?? []))];
  const isHopeless = refusals.some((finding) => finding.override === undefined);
  const hint = isHopeless
    ? "Nothing was published. What cannot be allowed is a fault of ours: please report it."
    : `Nothing was published. If this is right: ${overrides.map((name) => `--allow ${name}`).join(" ")}`;
  const gates = [...new Set(refusals.map(({ code }) => code))];
  const message = `a gate refused this version:${refusalLines(refusals, gates)}`;
  throw new PipelineError("GATE_REFUSED", message, { hint, gates });
}

/** So many of one gate are told; the rest are counted, so that a report of hundreds can still be read. */
const TOLD_MAX = 10;

/** One refusal in a line: what, then what was compared, then the name that lets it pass. */
function refusalLine({ code, message, compared, override }: GateFinding): string {
  const was = compared?.was === undefined ? [] : [`was ${compared.was}`];
  const about = [
    ...(compared === undefined ? [] : [...was, `is ${compared.is}`, `allowed: ${compared.limit}`]),
    ...(override === undefined ? ["cannot be allowed"] : []),
  ];
  return `\n  ${code}: ${message}${about.length === 0 ? "" : ` (${about.join("; ")})`}`;
}

function refusalLines(refusals: readonly GateFinding[], gates: readonly GateCode[]): string {
  return gates
    .flatMap((code) => {
      const own = refusals.filter((finding) => finding.code === code);
      const others = own.length > TOLD_MAX ? [`\n  ${code}: ${own.length - TOLD_MAX} more`] : [];
      return [...own.slice(0, TOLD_MAX).map(refusalLine), ...others];
    })
    .join("");
}
