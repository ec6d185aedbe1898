import { join } from "node:path";
import type { ScoredDao } from "../../../pipeline/documents/scored-dao.ts";
import type { Registry } from "../../../pipeline/facts/tracked.ts";
import { openHomeWarehouse, readRegistry } from "../../../pipeline/home/home.ts";
import type { RunEffects, Settings } from "../../../pipeline/home/settings.ts";
import type { VersionPlan } from "../../../pipeline/stages/build-version.ts";
import { computeVersion } from "../../../pipeline/stages/compute.ts";
import { putScoredAside, readScored } from "../../../pipeline/stages/score-dao.ts";
import { withScratch } from "../../../pipeline/stages/scratch-file.ts";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { AS_OF, NOW_MS, PACKAGE_DIRECTORY, type Stand } from "../cli/stand.ts";

/** What a version is built from, while its home is open. */
export interface PlannedVersion {
  readonly plan: VersionPlan;
  readonly settings: Settings;
  readonly registry: Registry;
  readonly warehouse: Warehouse;
  readonly effects: RunEffects;
}

/** Scores the DAOs of a stand anew and works with the plan of the version that follows from them. */
export async function withPlan<Result>(
  stand: Pick<Stand, "home" | "snapshots" | "archive">,
  work: (planned: PlannedVersion) => Promise<Result>,
  nowMs = NOW_MS,
): Promise<Result> {
  const settings: Settings = {
    homeDirectory: stand.home,
    snapshotsDirectory: stand.snapshots,
    registryPath: join(stand.archive, "registry.yaml"),
    packageDirectory: PACKAGE_DIRECTORY,
  };
  const registry = readRegistry(settings);
  const progress = { step: () => {}, tick: () => {}, warn: () => {} };
  const effects = { nowMs: () => nowMs, runId: "0123456789abcdef", progress };
  const warehouse = openHomeWarehouse(settings);
  try {
    return await withScratch(settings, async (scratch) => {
      const asOfMs = Date.parse(AS_OF);
      const plan = await computeVersion({ registry, warehouse, asOfMs, effects, scratch });
      return work({ plan, settings, registry, warehouse, effects });
    });
  } finally {
    warehouse.close();
  }
}

/** The plan, where what was scored of a DAO is put aside otherwise than it was when the lists were made. */
export function withScored(
  plan: VersionPlan,
  change: (scored: ScoredDao) => ScoredDao,
  isChanged: (spaceId: string) => boolean = () => true,
): VersionPlan {
  const rows = plan.rows.map((row) => {
    if (!isChanged(row.spaceId)) return row;
    const scored = change(readScored(plan.scratch, row.scored));
    return { ...row, scored: putScoredAside(plan.scratch, scored) };
  });
  return { ...plan, rows };
}
