import type { Components } from "../../snapshots/format/dao.ts";
import type { DaoParticipation } from "../../snapshots/format/entity.ts";
import { roundTo, SCORE_DECIMALS, timestampOf } from "../../snapshots/format/ids.ts";
import type { Trend } from "../../snapshots/format/value-sets.ts";
import type { DailyPoint } from "../facts/days.ts";
import type { TrackedDao } from "../facts/tracked.ts";
import type { EntityParticipation, Participation } from "../score/components/entities.ts";
import type { DaoEvidence } from "../score/dao-evidence.ts";
import type { DelegateRanking } from "../score/delegates/rank-delegates.ts";
import type { TracedDelegations } from "../score/delegates/trace-delegations.ts";
import type { Rank } from "../score/ranking/rank-daos.ts";
import type { DaoScore } from "../score/score-measures.ts";

/** Rounds to two decimals, as everything published except the risk score. */
export function published(value: number): number {
  return roundTo(value, SCORE_DECIMALS);
}

export function nullableTime(atMs: number | undefined): string | null {
  return atMs === undefined ? null : timestampOf(atMs);
}

export function publishedComponents({ hpr, dei, pdi, gpi }: Components): Components {
  return { hpr: published(hpr), dei: published(dei), pdi: published(pdi), gpi: published(gpi) };
}

/** One tracked DAO with everything computed about it, from which its documents are built. */
export interface ScoredDao {
  readonly dao: TrackedDao;
  /** Computed from the measures of `evidence`. */
  readonly current: DaoScore;
  readonly evidence: DaoEvidence;
  readonly entities: readonly EntityParticipation[];
  /** The participation of entities that never voted; `undefined` if only the evidence is known. */
  readonly otherEntities: Participation | undefined;
  /** As of exactly 24 hours before `current`; `undefined` if it was unscored then. */
  readonly gvsDayBefore: number | undefined;
  /** Every ended day with a score, as far back as known, ascending. */
  readonly points: readonly DailyPoint[];
  readonly trend: Trend;
  /** From the newest complete delegate data at or before the run's `as_of`. */
  readonly latestDelegates: DelegateRanking | undefined;
  /** The delegations behind `latestDelegates`; `undefined` if that does not come from logs. */
  readonly delegations?: TracedDelegations | undefined;
  /** One ranking per day with complete data at or before `as_of`, ascending. */
  readonly datedDelegates: readonly (DelegateRanking & { readonly date: string })[];
}

export interface EntityInDao {
  readonly entityId: string;
  readonly participation: DaoParticipation;
}

export interface Standing extends Rank {
  readonly total: number;
  readonly categoryRank: number;
  readonly categoryTotal: number;
}
