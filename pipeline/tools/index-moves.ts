import type { DaoHistory, HistoryPoint } from "../../snapshots/format/dao.ts";
import type { PublishedSet } from "../../snapshots/format/published-set.ts";
import { readVersion } from "../../snapshots/store/read/read-documents.ts";
import type { Settings } from "../home/settings.ts";
import { withStore } from "../home/store-errors.ts";

/** A move of the index between two days, in points; the last four add up to it. */
export interface IndexMove {
  readonly from: string;
  readonly to: string;
  readonly before: number;
  readonly after: number;
  /** Score changes of DAOs that are members on both days. */
  readonly scores: number;
  readonly weights: number;
  /** New and lost members. */
  readonly members: number;
  /** The remainder, as published points are rounded. */
  readonly rounding: number;
}

type Member = Pick<HistoryPoint, "gvs" | "index_weight">;

/** The moves of the current version's index, by day or by month. Throws `PipelineFailure`. */
export async function runIndexMoves(
  settings: Settings,
  unit: "day" | "month",
): Promise<readonly IndexMove[]> {
  const { set } = await withStore(() => readVersion(settings.snapshotsDirectory));
  const moves = indexMoves(set);
  return unit === "day" ? moves : monthlyMoves(moves);
}

/** The moves of the index from each day to the next, ascending. */
export function indexMoves({
  dgiHistory,
  histories,
}: Pick<PublishedSet, "dgiHistory" | "histories">): readonly IndexMove[] {
  const membersOn = membersByDay(histories);
  const values = dgiHistory?.values ?? [];
  return values.slice(1).flatMap(({ date: to, composite: after }, index) => {
    const previous = values[index];
    if (previous === undefined) return [];
    const { date: from, composite: before } = previous;
    const { scores, weights, members } = partsOf(membersOn.get(from), membersOn.get(to));
    const rounding = after - before - scores - weights - members;
    return [{ from, to, before, after, scores, weights, members, rounding }];
  });
}

/** Sums daily moves by the month in which they end. */
export function monthlyMoves(moves: readonly IndexMove[]): readonly IndexMove[] {
  const months = [...new Set(moves.map(monthOf))];
  return months.flatMap((month) => sumOfMoves(moves.filter((move) => monthOf(move) === month)) ?? []);
}

const monthOf = ({ to }: IndexMove): string => to.slice(0, 7);

/** Sums consecutive moves; `undefined` for none. */
export function sumOfMoves([first, ...others]: readonly IndexMove[]): IndexMove | undefined {
  if (first === undefined) return undefined;
  return others.reduce(
    ({ from, before, scores, weights, members, rounding }, next) => ({
      ...next,
      from,
      before,
      scores: scores + next.scores,
      weights: weights + next.weights,
      members: members + next.members,
      rounding: rounding + next.rounding,
    }),
    first,
  );
}

/** The index members of each day, by space_id, in its order. */
function membersByDay(histories: readonly DaoHistory[]): ReadonlyMap<string, ReadonlyMap<string, Member>> {
  const days = new Map<string, Map<string, Member>>();
  for (const { space_id: spaceId, points } of histories) {
    for (const point of points) {
      if (point.index_weight === 0) continue;
      const day = days.get(point.date) ?? new Map<string, Member>();
      days.set(point.date, day.set(spaceId, point));
    }
  }
  return days;
}

const weightOf = (members: readonly Member[]): number =>
  members.reduce((sum, { index_weight: weight }) => sum + weight, 0);

const indexOf = (members: readonly Member[]): number =>
  members.reduce((sum, { gvs, index_weight: weight }) => sum + gvs * weight, 0) / weightOf(members);

/**
 * Splits a move. For members of both days, score changes are weighted by the mean of their shares on both
 * days, and the rest is the effect of weights. The effect of new and lost members is the whole move minus the
 * move of those who stayed.
 */
function partsOf(
  before: ReadonlyMap<string, Member> = new Map(),
  after: ReadonlyMap<string, Member> = new Map(),
): Pick<IndexMove, "scores" | "weights" | "members"> {
  if (before.size === 0 || after.size === 0) return { scores: 0, weights: 0, members: 0 };
  const wholeMove = indexOf([...after.values()]) - indexOf([...before.values()]);
  const stayed = [...before].flatMap(([spaceId, old]) => {
    const now = after.get(spaceId);
    return now === undefined ? [] : [{ old, now }];
  });
  if (stayed.length === 0) return { scores: 0, weights: 0, members: wholeMove };
  const [olds, nows] = [stayed.map(({ old }) => old), stayed.map(({ now }) => now)];
  const [oldWeight, newWeight] = [weightOf(olds), weightOf(nows)];
  const scores = stayed.reduce((sum, { old, now }) => {
    const share = (old.index_weight / oldWeight + now.index_weight / newWeight) / 2;
    return sum + share * (now.gvs - old.gvs);
  }, 0);
  const moveOfStayed = indexOf(nows) - indexOf(olds);
  return { scores, weights: moveOfStayed - scores, members: wholeMove - moveOfStayed };
}
