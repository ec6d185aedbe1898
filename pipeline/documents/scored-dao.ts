import type { Components } from "../../snapshots/format/dao.ts";
import type { DaoParticipation } from "../../snapshots/format/entity.ts";
import { roundTo, SCORE_DECIMALS, timestampOf } from "../../snapshots/format/ids.ts";
import type { Trend } from "../../snapshots/format/value-sets.ts";
import type { DailyPoint } from "../facts/days.ts";
import type { TrackedDao } from "../facts/tracked.ts";
import type { EntityParticipation } from "../score/components/entities.ts";
import type { DaoEvidence } from "../score/dao-evidence.ts";
import type { DelegateRanking } from "../score/delegates/rank-delegates.ts";
import type { TracedDelegations } from "../score/delegates/trace-delegations.ts";
import type { Rank } from "../score/ranking/rank-daos.ts";
import type { DaoScore } from "../score/score-measures.ts";

/** A number with the two decimals of everything published but the risk score. */
export function published(value: number): number {
  return roundTo(value, SCORE_DECIMALS);
}

/** A moment as documents have it; `null` where it is not known. */
export function nullableTime(atMs: number | undefined): string | null {
  return atMs === undefined ? null : timestampOf(atMs);
}

/** The four components with the decimals of `published`. */
export function publishedComponents({ hpr, dei, pdi, gpi }: Components): Components {
  return { hpr: published(hpr), dei: published(dei), pdi: published(pdi), gpi: published(gpi) };
}

/** One tracked DAO with everything that was computed about it: what its documents are built from. */
export interface ScoredDao {
  readonly dao: TrackedDao;
  /** Made of the measures of `evidence`. */
  readonly current: DaoScore;
  readonly evidence: DaoEvidence;
  readonly entities: readonly EntityParticipation[];
  /** As of exactly 24 hours before `current`; `undefined` where it was unscored then. */
  readonly gvsDayBefore: number | undefined;
  /** Every day that has ended and has a score, as far back as is known, ascending. */
  readonly points: readonly DailyPoint[];
  readonly trend: Trend;
  /** Newest complete delegate data at or before the run's `as_of`. */
  readonly latestDelegates: DelegateRanking | undefined;
  /** Who delegates to whom behind `latestDelegates`; absent where that does not come from logs. */
  readonly delegations?: TracedDelegations | undefined;
  /** One ranking per day with complete data at or before `as_of`, ascending. */
  readonly datedDelegates: readonly (DelegateRanking & { readonly date: string })[];
}

/** The part that one entity takes in one DAO. */
export interface EntityInDao {
  readonly entityId: string;
  readonly participation: DaoParticipation;
}

/** The place of a DAO with a score among all, and among those of its category. */
export interface Standing extends Rank {
  readonly total: number;
  readonly categoryRank: number;
  readonly categoryTotal: number;
}
