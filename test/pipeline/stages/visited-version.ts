import { join } from "node:path";
import type { ScoredDao } from "../../../pipeline/documents/scored-dao.ts";
import type { Registry, TrackedDao } from "../../../pipeline/facts/tracked.ts";
import { openHomeWarehouse } from "../../../pipeline/home/home.ts";
import { readRegistry } from "../../../pipeline/home/read-registry.ts";
import type { RunEffects, Settings } from "../../../pipeline/home/settings.ts";
import { type VisitedVersion, type visitDaos, visitVersion } from "../../../pipeline/stages/build-version.ts";
import { createDaoScoring } from "../../../pipeline/stages/score-dao.ts";
import { createDaoVisits, type VisitedDao } from "../../../pipeline/stages/visit-dao.ts";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import type { RenderedPart } from "../../../snapshots/store/write/render-part.ts";
import { AS_OF, NOW_MS, PACKAGE_DIRECTORY, type Stand } from "../cli/stand.ts";
import { recordedEffects } from "../home/test-home.ts";

/** What a version is built from, while its home is open. */
export interface OpenHome {
  readonly settings: Settings;
  readonly registry: Registry;
  readonly warehouse: Warehouse;
  readonly effects: RunEffects;
  readonly input: Parameters<typeof visitDaos>[1];
}

/** The settings of commands on a stand. */
export const settingsOf = (stand: Stand): Settings => ({
  homeDirectory: stand.home,
  snapshotsDirectory: stand.snapshots,
  registryPath: join(stand.archive, "registry.yaml"),
  packageDirectory: PACKAGE_DIRECTORY,
});

/** Works with the open home of a stand. */
export async function withOpenHome<Result>(
  stand: Stand,
  work: (home: OpenHome) => Promise<Result>,
  nowMs = NOW_MS,
): Promise<Result> {
  const settings = settingsOf(stand);
  const registry = readRegistry(settings);
  const { effects } = recordedEffects({ nowMs: () => nowMs });
  const warehouse = openHomeWarehouse(settings);
  const input = { registry, warehouse, asOfMs: Date.parse(AS_OF), effects, isRendered: true };
  try {
    return await work({ settings, registry, warehouse, effects, input });
  } finally {
    warehouse.close();
  }
}

export function daoOf({ daos }: Registry, spaceId: string): TrackedDao {
  const dao = daos.find((each) => each.spaceId === spaceId);
  if (dao === undefined) throw new Error(`the registry does not track ${spaceId}`);
  return dao;
}

/** Visits one DAO whose scores are changed before its documents are built. */
export function buildDao(
  { registry, warehouse, input: { asOfMs } }: OpenHome,
  spaceId: string,
  change: (scored: ScoredDao) => ScoredDao = (scored) => scored,
  isRendered = true,
): VisitedDao {
  const score = createDaoScoring(registry, warehouse);
  const visit = createDaoVisits(registry, (...given) => {
    const one = score(...given);
    return { ...one, scored: change(one.scored) };
  });
  return visit({ dao: daoOf(registry, spaceId), asOfMs, isRendered });
}

/** Visits all DAOs, some of whose scores are changed before their documents are built. */
export async function visitAll(
  home: OpenHome,
  change: (scored: ScoredDao) => ScoredDao = (scored) => scored,
): Promise<{ readonly parts: readonly RenderedPart[]; readonly version: VisitedVersion }> {
  async function* visits() {
    for (const { spaceId } of home.registry.daos) yield buildDao(home, spaceId, change);
  }
  const parts: RenderedPart[] = [];
  const visiting = visitVersion(home.input, visits());
  let next = await visiting.next();
  for (; !next.done; next = await visiting.next()) parts.push(next.value);
  return { parts, version: next.value };
}

/** Everything that an iterable yields. */
export async function listOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}
