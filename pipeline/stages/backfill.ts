import { setImmediate as nextTurn } from "node:timers/promises";
import { DAY_MS } from "../../snapshots/base/days.ts";
import { dayEndMs, dayOf } from "../../snapshots/format/ids.ts";
import { pipelineFailure } from "../facts/errors.ts";
import { entityOfWallet } from "../facts/tracked.ts";
import { withHomeWarehouse } from "../home/home.ts";
import { readRegistry } from "../home/read-registry.ts";
import type { RunEffects, Settings } from "../home/settings.ts";
import { createDaoMeasurer } from "../score/measure-dao.ts";
import { chooseDaos } from "./fetch.ts";
import { methodKey, PROVISIONAL_DAYS, scoreDays } from "./score-dao.ts";

/** Which days of which DAOs to score again; an empty list of ids means all of the registry. */
export interface BackfillOptions {
  /** UTC days, both included. */
  readonly from: string;
  readonly to: string;
  readonly spaceIds: readonly string[];
  readonly nowMs: number;
}

export interface BackfilledDao {
  readonly spaceId: string;
  readonly days: number;
  /** Days that have a score. */
  readonly scored: number;
  /** Scored days whose score differs from the stored one. */
  readonly changed: number;
}

/** Ten years: no source goes back further. */
const DAYS_MAX = 3660;

function dayEndsMs(from: string, to: string): number[] {
  const days = 1 + Math.round((dayEndMs(to) - dayEndMs(from)) / DAY_MS);
  if (days < 1) throw pipelineFailure("BAD_OPTION", `--from ${from} is after --to ${to}`);
  if (days > DAYS_MAX) throw pipelineFailure("BAD_OPTION", `${days} days are more than ${DAYS_MAX}`);
  return Array.from({ length: days }, (_, index) => dayEndMs(from) + index * DAY_MS);
}

/** Every run scores provisional days again, so there is nothing to store for them. */
function assertFinal(to: string, nowMs: number): void {
  const last = dayOf(nowMs - PROVISIONAL_DAYS * DAY_MS - DAY_MS + 1);
  if (to <= last) return;
  throw pipelineFailure("BAD_OPTION", `--to ${to} is later than ${last}`, {
    hint: `Every run scores later days again. Use --to ${last} or an earlier day.`,
  });
}

/**
 * `govdata backfill`: scores past days again from the warehouse and replaces the stored points; the next
 * publish shows them. Throws `BAD_OPTION` for days that are still provisional.
 */
export async function runBackfill(
  settings: Settings,
  { from, to, spaceIds, nowMs }: BackfillOptions,
  effects: RunEffects,
): Promise<readonly BackfilledDao[]> {
  const endsMs = dayEndsMs(from, to);
  assertFinal(to, nowMs);
  const registry = readRegistry(settings);
  const daos = chooseDaos(registry, spaceIds);
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
