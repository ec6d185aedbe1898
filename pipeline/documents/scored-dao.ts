import type { Trend } from "../../snapshots/format/value-sets.ts";
import type { DailyPoint } from "../facts/daily-point.ts";
import type { TrackedDao } from "../facts/tracked.ts";
import type { DaoEvidence } from "../score/dao-evidence.ts";
import type { DaoScore } from "../score/dao-score.ts";
import type { DelegateRanking } from "../score/delegate-ranking.ts";
import type { TracedDelegations } from "../score/trace-delegations.ts";

/** One tracked DAO with everything that was computed about it: what its documents are built from. */
export interface ScoredDao {
  readonly dao: TrackedDao;
  readonly current: DaoScore;
  /** What `current` rests on; absent where only the score is wanted. */
  readonly evidence?: DaoEvidence | undefined;
  /** As of exactly 24 hours before `current`. */
  readonly dayBefore: DaoScore;
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
