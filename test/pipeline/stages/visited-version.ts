import { join } from "node:path";
import type { ScoredDao } from "../../../pipeline/documents/scored-dao.ts";
import type { Registry } from "../../../pipeline/facts/tracked.ts";
import { openHomeWarehouse } from "../../../pipeline/home/home.ts";
import { readRegistry } from "../../../pipeline/home/read-registry.ts";
import type { RunEffects, Settings } from "../../../pipeline/home/settings.ts";
import {
  type VersionInput,
  type VisitedVersion,
  visitVersion,
} from "../../../pipeline/stages/build-version.ts";
import { createDaoScoring, type ScoredOne } from "../../../pipeline/stages/score-dao.ts";
import { createDaoBuilding } from "../../../pipeline/stages/visit-dao.ts";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import type { RenderedPart } from "../../../snapshots/store/write/render-part.ts";
import { AS_OF, NOW_MS, PACKAGE_DIRECTORY, type Stand } from "../cli/stand.ts";

/** What a version is built from, while its home is open. */
export interface OpenHome {
  readonly settings: Settings;
  readonly registry: Registry;
  readonly warehouse: Warehouse;
  readonly effects: RunEffects;
  readonly input: VersionInput;
}

/** Works with the open home of a stand. */
export async function withOpenHome<Result>(
  stand: Pick<Stand, "home" | "snapshots" | "archive">,
  work: (home: OpenHome) => Promise<Result>,
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
  const input = { registry, warehouse, asOfMs: Date.parse(AS_OF), effects, isRendered: true };
  try {
    return await work({ settings, registry, warehouse, effects, input });
  } finally {
    warehouse.close();
  }
}

/** The scores of one DAO of the registry. */
export function scoreOf({ registry, warehouse, input }: OpenHome, spaceId: string): ScoredOne {
  const dao = registry.daos.find((each) => each.spaceId === spaceId);
  if (dao === undefined) throw new Error("the stand has that DAO");
  return createDaoScoring(registry, warehouse)(dao, input.asOfMs);
}

/** Visits all DAOs, some of whose scores are changed before their documents are built. */
export async function visitAll(
  home: OpenHome,
  change: (scored: ScoredDao) => ScoredDao = (scored) => scored,
): Promise<{ readonly parts: readonly RenderedPart[]; readonly version: VisitedVersion }> {
  const build = createDaoBuilding(home.registry);
  async function* visits() {
    for (const { spaceId } of home.registry.daos.toSorted((a, b) => (a.spaceId < b.spaceId ? -1 : 1))) {
      const one = scoreOf(home, spaceId);
      yield build({ ...one, scored: change(one.scored) }, home.input.isRendered);
    }
  }
  const parts: RenderedPart[] = [];
  const visiting = visitVersion(home.input, undefined, visits());
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
