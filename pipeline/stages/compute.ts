import { timestampOf } from "../../snapshots/format/ids.ts";
import { COMPONENT_KEYS, type ComponentKey } from "../../snapshots/format/value-sets.ts";
import { buildPublishedSet } from "../documents/build-published-set.ts";
import type { ScoredDao } from "../documents/scored-dao.ts";
import { PipelineError } from "../facts/errors.ts";
import type { Registry } from "../facts/tracked.ts";
import type { GateFinding } from "../gate/gate-rules.ts";
import { readRegistry, withHomeWarehouse } from "../home/home.ts";
import { readLiveOptOuts, withLiveOptOuts } from "../home/opt-outs.ts";
import type { RunEffects, Settings } from "../home/settings.ts";
import type { Interval, Mark } from "../score/method/marks.ts";
import { METHODOLOGY } from "../score/method/methodology.ts";
import type { UnscoredReason } from "../score/score-measures.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { checkVersion } from "./check-version.ts";
import { chooseDaos } from "./fetch.ts";
import { scoreDaos } from "./score-daos.ts";
import { createStageClock, type StageClock } from "./stage-clock.ts";
import { type ThreadPool, withThreads } from "./thread-pool.ts";

/** Throws `PipelineError` NOTHING_TO_SCORE where a version would hold nothing but excuses. */
function assertSomething(registry: Registry, warehouse: Warehouse): void {
  if (registry.daos.length === 0) {
    throw new PipelineError("NOTHING_TO_SCORE", "the registry tracks no DAO", {
      hint: "Add one under `daos:`.",
    });
  }
  const held = new Set(warehouse.holdings().map((holding) => holding.spaceId));
  if (!registry.daos.some((dao) => held.has(dao.spaceId))) {
    throw new PipelineError("NOTHING_TO_SCORE", "no tracked DAO was ever fetched into this home", {
      hint: `\`govdata fetch\` first, or \`govdata run\`; --home says which home, --registry which DAOs${
        held.size === 0 ? "" : `: ${held.size} others are in it`
      }.`,
    });
  }
}

/** Every document of one version as of one moment: the same warehouse, registry and moment give the same set. */
export async function computeVersion(input: {
  readonly registry: Registry;
  readonly warehouse: Warehouse;
  readonly asOfMs: number;
  readonly effects: RunEffects;
  readonly threads?: ThreadPool | undefined;
  readonly clock?: StageClock;
}) {
  const { registry, warehouse, asOfMs, clock = createStageClock(input.effects) } = input;
  assertSomething(registry, warehouse);
  const { daos, index, indexHistory, standing, findings } = await clock.timed("score", () =>
    scoreDaos({ ...input, daos: registry.daos }),
  );
  const methodologyVersion = METHODOLOGY.version;
  const set = await clock.timed("documents", () =>
    buildPublishedSet({ asOfMs, methodologyVersion, daos, registry, index, indexHistory }),
  );
  return { set, scored: daos, standing, findings };
}

/** One DAO as `compute` prints it; numbers unrounded. */
export interface ComputedDao {
  readonly spaceId: string;
  readonly components: Readonly<Record<ComponentKey, Interval>>;
  readonly gvs: Interval;
  /** Absent where the DAO is scored. */
  readonly unscored: UnscoredReason | undefined;
  readonly risk: Interval | undefined;
  readonly knownShare: number;
  readonly presence: Mark;
  readonly notKnown: readonly string[];
  readonly completenessPct: number | undefined;
}

/** What `compute` found out, without publishing it. */
export interface ComputeResult {
  readonly asOf: string;
  readonly daos: readonly ComputedDao[];
  readonly findings: readonly GateFinding[];
}

function computedDao({ current }: ScoredDao): ComputedDao {
  const { spaceId, gvs, unscored, risk, knownShare, presence, notKnown, completenessPct } = current;
  const intervals = COMPONENT_KEYS.map((key) => {
    const { low, point, high } = current.components[key];
    return [key, { low, point, high }] as const;
  });
  return {
    spaceId,
    components: Object.fromEntries(intervals) as ComputedDao["components"],
    gvs,
    unscored,
    risk: risk?.score,
    knownShare,
    presence,
    notKnown,
    completenessPct,
  };
}

/** `govdata compute`: scores and gate findings of all DAOs, or the scores alone of some. Publishes nothing. */
export async function runCompute(
  settings: Settings,
  options: { readonly asOfMs: number; readonly spaceIds: readonly string[] },
  effects: RunEffects,
): Promise<ComputeResult> {
  const registry = readRegistry(settings);
  const { asOfMs, spaceIds } = options;
  const asOf = timestampOf(asOfMs);
  return withHomeWarehouse(settings, async (warehouse) => {
    if (spaceIds.length > 0) {
      const daos = chooseDaos(registry, spaceIds);
      const scored = await scoreDaos({ daos, registry, warehouse, asOfMs, effects });
      return { asOf, daos: scored.daos.map(computedDao), findings: [] };
    }
    const live = readLiveOptOuts(settings);
    const shown = withLiveOptOuts(registry, live);
    const { set, scored } = await withThreads(settings, registry, registry.daos.length, (threads) =>
      computeVersion({ registry: shown, warehouse, asOfMs, effects, threads }),
    );
    const nowMs = effects.nowMs();
    const { findings } = await checkVersion({
      settings,
      registry,
      live,
      warehouse,
      set,
      nowMs,
      overrides: [],
    });
    return { asOf, daos: scored.map(computedDao), findings };
  });
}
