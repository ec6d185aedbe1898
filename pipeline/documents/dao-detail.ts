import { labelOf } from "../../snapshots/format/cuts.ts";
import type { DaoDetail } from "../../snapshots/format/dao.ts";
import { dayOf, timestampOf } from "../../snapshots/format/ids.ts";
import { GVS_HISTORY_DAYS } from "../../snapshots/format/limits.ts";
import { endedDayEndsMs } from "../base/days.ts";
import type { PublicEntities } from "./public-entities.ts";
import type { RankedDao } from "./rank-daos.ts";
import { published } from "./rounded-score.ts";
import type { ScoredDao } from "./scored-dao.ts";
import { buildTopEntities } from "./top-entities.ts";

const labelled = (score: number) => ({ score, label: labelOf(score) });

/** The gvs of the last 30 ended days, ascending; days without one are left out, never padded. */
function gvsOfLastDays({ current, points }: ScoredDao): number[] {
  const days = new Set(endedDayEndsMs(current.asOfMs, GVS_HISTORY_DAYS).map(dayOf));
  return points.filter(({ date }) => days.has(date)).map(({ gvs }) => published(gvs));
}

/** `daos/<space_id>.json` of a ranked DAO. */
export function buildDaoDetail(ranked: RankedDao, entities: PublicEntities): DaoDetail {
  const { scored, rounded } = ranked;
  const { spaceId, name, category } = scored.dao;
  const { hpr, dei, pdi, gpi } = rounded.components;
  return {
    space_id: spaceId,
    name,
    category,
    gvs: rounded.gvs,
    gvs_confidence: scored.current.confidence,
    last_calculated: timestampOf(scored.current.asOfMs),
    data_completeness: rounded.completenessPct,
    components: { hpr: labelled(hpr), dei: labelled(dei), pdi: labelled(pdi), gpi: labelled(gpi) },
    rankings: {
      overall: { rank: ranked.rank, total: ranked.total },
      category: { rank: ranked.categoryRank, category, total: ranked.categoryTotal },
    },
    history: { gvs_30d: gvsOfLastDays(scored), interval: "daily" },
    top_entities: buildTopEntities(scored.current.entities, entities),
  };
}
