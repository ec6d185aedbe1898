import type { DaoList } from "../../snapshots/format/dao.ts";
import { timestampOf } from "../../snapshots/format/ids.ts";
import type { RankedDao } from "./rank-daos.ts";
import { published } from "./rounded-score.ts";
import type { ScoredDao } from "./scored-dao.ts";

/** Change of the unrounded gvs within 24 hours; 0, as the contract has no gap here, where one of the two is missing. */
function deltaOf({ current, dayBefore }: ScoredDao): number {
  if (current.gvs.kind === "gap" || dayBefore.gvs.kind === "gap") return 0;
  return published(current.gvs.points - dayBefore.gvs.points);
}

/** `daos.json`: every ranked DAO, in the order of the ranks. */
export function buildDaoList(daos: readonly RankedDao[]): DaoList {
  return daos.map(({ scored, rounded, rank }) => ({
    space_id: scored.dao.spaceId,
    name: scored.dao.name,
    category: scored.dao.category,
    gvs: rounded.gvs,
    gvs_confidence: scored.current.confidence,
    rank,
    components: rounded.components,
    delta_24h: deltaOf(scored),
    last_calculated: timestampOf(scored.current.asOfMs),
  }));
}
