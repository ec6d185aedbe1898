import { timestampOf } from "../../snapshots/format/ids.ts";
import type { DaoRow, ScoreSummary } from "../documents/dao-row.ts";
import type { GatedDao } from "../gate/gate-input.ts";
import type { GateFinding } from "../gate/gate-rules.ts";
import { withHomeWarehouse } from "../home/home.ts";
import { readLiveOptOuts, withLiveOptOuts } from "../home/opt-outs.ts";
import { readRegistry } from "../home/read-registry.ts";
import type { RunEffects, Settings } from "../home/settings.ts";
import { placeDaos, visitDaos, visitVersion } from "./build-version.ts";
import { checkVersion } from "./check-version.ts";
import { chooseDaos } from "./fetch.ts";
import { withThreads } from "./thread-pool.ts";

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
      const visits = visitVersion({ ...input, registry: shown, threads });
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
