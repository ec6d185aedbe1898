import { timestampOf } from "../../snapshots/format/ids.ts";
import { buildLists } from "../documents/build-documents.ts";
import { type DaoRow, rankRows, type ScoreSummary } from "../documents/dao-row.ts";
import { publicEntities } from "../documents/entities.ts";
import { pipelineFailure } from "../facts/errors.ts";
import type { Registry } from "../facts/tracked.ts";
import type { GateFinding } from "../gate/gate-rules.ts";
import { readRegistry, withHomeWarehouse } from "../home/home.ts";
import { readLiveOptOuts, withLiveOptOuts } from "../home/opt-outs.ts";
import type { RunEffects, Settings } from "../home/settings.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { buildVersion, type VersionPlan } from "./build-version.ts";
import { checkVersion } from "./check-version.ts";
import { chooseDaos } from "./fetch.ts";
import { type ScoredDaos, type ScoringInput, scoreDaos } from "./score-daos.ts";
import { withScratch } from "./scratch-file.ts";
import { createStageClock, type StageClock } from "./stage-clock.ts";
import { withThreads } from "./thread-pool.ts";

/** Throws `NOTHING_TO_SCORE` if a version would have no data at all. */
function assertSomething(registry: Registry, warehouse: Warehouse): void {
  if (registry.daos.length === 0) {
    throw pipelineFailure("NOTHING_TO_SCORE", "the registry tracks no DAO", {
      hint: "Add DAOs under `daos:`.",
    });
  }
  const held = new Set(warehouse.holdings().map((holding) => holding.spaceId));
  if (!registry.daos.some((dao) => held.has(dao.spaceId))) {
    throw pipelineFailure("NOTHING_TO_SCORE", "no tracked DAO was ever fetched into this home", {
      hint: `Run \`govdata fetch\` or \`govdata run\` first. Check --home and --registry${
        held.size === 0 ? "" : `: this home has data of ${held.size} other DAOs`
      }.`,
    });
  }
}

/**
 * Computes the scores and lists of one version. Deterministic: the same warehouse, registry (with its current
 * opt-outs) and moment give the same result.
 */
export async function computeVersion(
  input: Omit<ScoringInput, "daos"> & { readonly clock?: StageClock },
): Promise<VersionPlan & Pick<ScoredDaos, "findings">> {
  const { registry, warehouse, asOfMs, scratch, clock = createStageClock(input.effects) } = input;
  assertSomething(registry, warehouse);
  const { rows, findings, index, indexHistory } = await clock.timed("score", () =>
    scoreDaos({ ...input, daos: registry.daos }),
  );
  const standings = rankRows(rows);
  const entities = publicEntities(registry);
  const lists = buildLists({ asOfMs, rows, standings, entities, index, indexHistory });
  return { asOfMs, lists, rows, standings, scratch, findings };
}

/** One DAO as `compute` prints it, with unrounded numbers. */
export type ComputedDao = ScoreSummary;

export interface ComputeResult {
  readonly asOf: string;
  readonly daos: readonly ComputedDao[];
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
  return withHomeWarehouse(settings, (warehouse) =>
    withScratch(settings, async (scratch) => {
      if (spaceIds.length > 0) {
        const daos = chooseDaos(registry, spaceIds);
        const { rows } = await scoreDaos({ daos, registry, warehouse, asOfMs, effects, scratch });
        return { asOf, daos: scoresOf(rows), findings: [] };
      }
      const live = readLiveOptOuts(settings);
      const shown = withLiveOptOuts(registry, live);
      return withThreads(settings, shown, registry.daos.length, async (threads) => {
        const plan = await computeVersion({ registry: shown, warehouse, asOfMs, effects, threads, scratch });
        const build = buildVersion(plan, { registry: shown, threads, effects, isRendered: false });
        const parts = build.parts();
        while (!(await parts.next()).done);
        const nowMs = effects.nowMs();
        const { lists } = plan;
        const about = { settings, registry, live, warehouse, lists, build, nowMs };
        const { findings } = await checkVersion({ ...about, overrides: [] });
        return { asOf, daos: scoresOf(plan.rows), findings };
      });
    }),
  );
}
