import { setImmediate as nextTurn } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { inOrder } from "../../snapshots/base/concurrency.ts";
import { contextsOf } from "../../snapshots/format/agreement/check-documents.ts";
import { topEntitiesOf } from "../../snapshots/format/entity.ts";
import type { Certainty } from "../../snapshots/format/envelope.ts";
import type { VersionLists } from "../../snapshots/format/published-set.ts";
import type { RenderedPart } from "../../snapshots/store/write/render-part.ts";
import { certaintyOfRows, type DaoRow, rankRows } from "../documents/dao-row.ts";
import type { Standing } from "../documents/scored-dao.ts";
import type { Registry } from "../facts/tracked.ts";
import type { GatedDao } from "../gate/gate-input.ts";
import type { RunEffects } from "../home/settings.ts";
import type { Difference } from "../recompute/differences.ts";
import { recomputeLists } from "../recompute/recompute.ts";
import { type BuildTask, type BuiltDao, createDaoBuilding } from "./build-dao.ts";
import type { ScoredRow } from "./score-dao.ts";
import type { ScratchFile } from "./scratch-file.ts";
import type { ThreadPool } from "./thread-pool.ts";

/** The lists and scores of a version, from which its documents are built. */
export interface VersionPlan {
  readonly asOfMs: number;
  readonly lists: VersionLists;
  readonly rows: readonly ScoredRow[];
  readonly standings: ReadonlyMap<string, Standing>;
  readonly scratch: ScratchFile;
}

/** The documents of a version's DAOs, one by one, and what is kept about those already built. */
export type VersionBuild = ReturnType<typeof buildVersion>;

/** Builds the documents of every DAO, by space_id; starts only when `parts` is iterated. */
export function buildVersion(
  plan: VersionPlan,
  options: {
    /** With current opt-outs. */
    readonly registry: Registry;
    readonly threads: ThreadPool | undefined;
    readonly effects: RunEffects;
    readonly isRendered: boolean;
  },
) {
  const { lists, standings } = plan;
  const gated: GatedDao[] = [];
  const derived: DaoRow[] = [];
  const certainty = certaintyOfRows(plan.rows, standings);
  return {
    /** Documents of the DAOs that passed the gates. */
    parts: async function* (): AsyncGenerator<RenderedPart> {
      for await (const built of buildAll(plan, certainty, options)) {
        const row = plan.rows[gated.length];
        gated.push(built.gated);
        if (built.derived !== undefined) derived.push(sharedWith(row, built.derived));
        options.effects.progress.step(
          "documents",
          gated.length,
          plan.rows.length,
          built.gated.digest.spaceId,
          {},
        );
        if (built.rendered === undefined) continue;
        yield built.rendered;
      }
    },
    /** Gate results of the DAOs so far. */
    gated: gated as readonly GatedDao[],
    /** Certainty of the scores, by space_id. */
    certainty,
    /** Where figures recomputed from all evidence differ from the published lists and ranks. */
    differences(): readonly Difference[] {
      return [...recomputeLists(lists, derived, rankRows(derived)).differences];
    },
  };
}

/**
 * Replaces recomputed parts by equal published ones, so that tens of thousands are held in memory only once.
 */
function sharedWith(row: DaoRow | undefined, derived: DaoRow): DaoRow {
  const shared = <Part>(held: Part | undefined, again: Part): Part =>
    held !== undefined && isDeepStrictEqual(held, again) ? held : again;
  return {
    ...derived,
    score: shared(row?.score, derived.score),
    unscored: shared(row?.unscored, derived.unscored),
    point: shared(row?.point, derived.point),
  };
}

function buildAll(
  { asOfMs, lists, rows, standings, scratch }: VersionPlan,
  certainty: ReadonlyMap<string, Certainty>,
  { registry, threads, isRendered }: Parameters<typeof buildVersion>[1],
): AsyncGenerator<BuiltDao> {
  const contextOf = contextsOf(lists);
  const topEntities = topEntitiesOf(lists.entities);
  const build = threads === undefined ? createDaoBuilding(registry) : undefined;
  return inOrder(rows, threads?.atOnce ?? 1, async ({ spaceId, scored }) => {
    const task: BuildTask = {
      scratch,
      scored,
      asOfMs,
      standing: standings.get(spaceId),
      certainty: certainty.get(spaceId),
      topEntities: topEntities.get(spaceId) ?? [],
      context: contextOf(spaceId),
      isRendered,
    };
    if (threads !== undefined) return threads.run<BuiltDao>({ kind: "build", ...task });
    await nextTurn();
    return (build ?? createDaoBuilding(registry))(task);
  });
}
