import { setImmediate as nextTurn } from "node:timers/promises";
import { DAY_MS } from "../../snapshots/base/days.ts";
import { dayEndMs, dayOf, timestampOf } from "../../snapshots/format/ids.ts";
import type { DaoRow, ScoreSummary } from "../documents/dao-row.ts";
import { pipelineFailure } from "../facts/errors.ts";
import { entityOfWallet } from "../facts/tracked.ts";
import type { GatedDao } from "../gate/gate-input.ts";
import type { GateFinding } from "../gate/gate-rules.ts";
import { withHomeWarehouse } from "../home/home.ts";
import { readLiveOptOuts, withLiveOptOuts } from "../home/opt-outs.ts";
import { readRegistry } from "../home/read-registry.ts";
import type { RunEffects, Settings } from "../home/settings.ts";
import { createDaoMeasurer } from "../score/measure-dao.ts";
import { placeDaos, visitDaos, visitVersion } from "./build-version.ts";
import { checkVersion } from "./check-version.ts";
import { chooseDaos } from "./fetch.ts";
import { methodKey, PROVISIONAL_DAYS, scoreDays } from "./score-dao.ts";
import { withThreads } from "./thread-pool.ts";

export interface ComputeResult {
  readonly asOf: string;
  /** With unrounded numbers. */
  readonly daos: readonly ScoreSummary[];
  readonly findings: readonly GateFinding[];
}

/** `govdata compute`: scores and gate findings of all DAOs, or only the scores of some. Publishes nothing. */
export async function runCompute(
  settings: Settings,
  options: { readonly asOfMs: number; readonly spaceIds: readonly string[] },
  effects: RunEffects,
): Promise<ComputeResult> {
  const registry = readRegistry(settings);
  const { asOfMs, spaceIds } = options;
  const asOf = timestampOf(asOfMs);
  const scoresOf = (rows: readonly DaoRow[]) => {
    const scores = new Map(rows.map(({ spaceId, score }) => [spaceId, score]));
    return registry.daos.flatMap(({ spaceId }) => scores.get(spaceId) ?? []);
  };
  return withHomeWarehouse(settings, async (warehouse) => {
    const input = { registry, warehouse, asOfMs, effects, isRendered: false };
    if (spaceIds.length > 0) {
      const rows: DaoRow[] = [];
      for await (const { row } of visitDaos(chooseDaos(registry, spaceIds), input)) rows.push(row);
      return { asOf, daos: scoresOf(rows), findings: [] };
    }
    const live = readLiveOptOuts(settings);
    const shown = withLiveOptOuts(registry, live);
    return withThreads(settings, shown, registry.daos.length, async (threads) => {
      const shownInput = { ...input, registry: shown, threads };
      const visits = visitVersion(shownInput, visitDaos(shown.daos, shownInput));
      let visit = await visits.next();
      while (!visit.done) visit = await visits.next();
      const version = visit.value;
      const gated: GatedDao[] = [];
      for await (const placed of placeDaos(version, shown)) gated.push(placed.gated);
      const nowMs = effects.nowMs();
      const about = { settings, registry, live, warehouse, version, gated, nowMs, overrides: [] };
      const { findings } = await checkVersion(about);
      return { asOf, daos: scoresOf(version.rows), findings };
    });
  });
}

/** Which days of which DAOs to score again; an empty list of ids means all of the registry. */
interface BackfillOptions {
  /** UTC days, both included. */
  readonly from: string;
  readonly to: string;
  readonly spaceIds: readonly string[];
  readonly nowMs: number;
}

interface BackfilledDao {
  readonly spaceId: string;
  readonly days: number;
  readonly scored: number;
  /** Scored days whose score differs from the stored one. */
  readonly changed: number;
}

/** Ten years: no source goes back further. */
const DAYS_MAX = 3660;

function dayEndsMs({ from, to, nowMs }: BackfillOptions): number[] {
  const days = 1 + Math.round((dayEndMs(to) - dayEndMs(from)) / DAY_MS);
  if (days < 1) throw pipelineFailure("BAD_OPTION", `--from ${from} is after --to ${to}`);
  if (days > DAYS_MAX) throw pipelineFailure("BAD_OPTION", `${days} days are more than ${DAYS_MAX}`);
  // Every run scores provisional days again, so there is nothing to store for them.
  const last = dayOf(nowMs - PROVISIONAL_DAYS * DAY_MS - DAY_MS + 1);
  if (to > last) {
    throw pipelineFailure("BAD_OPTION", `--to ${to} is later than ${last}`, {
      hint: `Every run scores later days again. Use --to ${last} or an earlier day.`,
    });
  }
  return Array.from({ length: days }, (_, index) => dayEndMs(from) + index * DAY_MS);
}

/**
 * `govdata backfill`: scores past days again from the warehouse and replaces the stored points; the next
 * publish shows them. Throws `BAD_OPTION` for days that are still provisional.
 */
export async function runBackfill(
  settings: Settings,
  options: BackfillOptions,
  effects: RunEffects,
): Promise<readonly BackfilledDao[]> {
  const { from, to } = options;
  const endsMs = dayEndsMs(options);
  const registry = readRegistry(settings);
  const daos = chooseDaos(registry, options.spaceIds);
  const entityIdOfWallet = entityOfWallet(registry);
  return withHomeWarehouse(settings, async (warehouse) => {
    const results: BackfilledDao[] = [];
    for (const dao of daos) {
      const measurer = createDaoMeasurer(warehouse.daoFacts(dao, registry), (wallet) =>
        entityIdOfWallet.get(wallet),
      );
      const points = [...scoreDays(measurer, endsMs).values()].flatMap((point) => point ?? []);
      const kept = new Map(
        warehouse.dailyPoints.read(dao.spaceId, methodKey()).map((point) => [point.date, point]),
      );
      warehouse.dailyPoints.forget(dao.spaceId, from, to);
      warehouse.dailyPoints.keep(methodKey(), new Map([[dao.spaceId, points]]));
      const changed = points.filter(({ date, gvs, riskScore }) => {
        const before = kept.get(date);
        return before?.gvs !== gvs || before.riskScore !== riskScore;
      }).length;
      results.push({ spaceId: dao.spaceId, days: endsMs.length, scored: points.length, changed });
      effects.progress.step("backfill", results.length, daos.length, dao.spaceId, {
        scored: points.length,
        changed,
      });
      // Scoring never awaits, so interrupts are only seen here.
      await nextTurn();
    }
    return results;
  });
}
