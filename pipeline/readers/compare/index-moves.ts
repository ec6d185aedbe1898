import type { DaoHistory, HistoryPoint } from "../../../snapshots/format/dao.ts";
import { readVersion, type WholeSet } from "../../../snapshots/store/read/read-documents.ts";
import type { Settings } from "../../home/settings.ts";
import { withStore } from "../../home/store-errors.ts";

/** What moved the index, in points; the four add up to the move. */
export interface IndexParts {
  /** Scores of the DAOs that are members on both days. */
  readonly scores: number;
  /** Their weights. */
  readonly weights: number;
  /** Who came and who went. */
  readonly members: number;
  /** What is left, as published points are rounded. */
  readonly rounding: number;
}

/** The index from one of its days to the next, or over several of them: both days, both values, and what moved it. */
export interface IndexMove extends IndexParts {
  readonly from: string;
  readonly to: string;
  readonly before: number;
  readonly after: number;
}

/** The published histories of an index and of its members. */
export type IndexHistories = Pick<WholeSet, "dgiHistory" | "histories">;

/** What one member brings to the index of a day. */
type Member = Pick<HistoryPoint, "gvs" | "index_weight">;

/** The moves of the current version's index, by day or by month. Throws `PipelineError`. */
export async function runIndexMoves(settings: Settings, by: "day" | "month"): Promise<readonly IndexMove[]> {
  const { set } = await withStore(() => readVersion(settings.snapshotsDirectory));
  const moves = indexMoves(set);
  return by === "day" ? moves : monthlyMoves(moves);
}

/** What moved the index from each of its days to the next, ascending. */
export function indexMoves({ dgiHistory, histories }: IndexHistories): readonly IndexMove[] {
  const members = membersByDay(histories);
  const values = dgiHistory?.values ?? [];
  return values.slice(1).flatMap(({ date: to, composite: after }, place) => {
    const previous = values[place];
    if (previous === undefined) return [];
    const { date: from, composite: before } = previous;
    const { scores, weights, members: came } = partsOf(members.get(from), members.get(to));
    const rounding = after - before - scores - weights - came;
    return [{ from, to, before, after, scores, weights, members: came, rounding }];
  });
}

/** Moves of days put together by the month in which they end: parts of a month are those of its days, added up. */
export function monthlyMoves(moves: readonly IndexMove[]): readonly IndexMove[] {
  const months = [...new Set(moves.map(monthOf))];
  return months.flatMap((month) => sumOfMoves(moves.filter((move) => monthOf(move) === month)) ?? []);
}

const monthOf = ({ to }: IndexMove): string => to.slice(0, 7);

/** Moves that follow each other as one; nothing of none. */
export function sumOfMoves(moves: readonly IndexMove[]): IndexMove | undefined {
  const [first] = moves;
  const last = moves.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const sum = (part: keyof IndexParts): number => moves.reduce((all, move) => all + move[part], 0);
  return {
    from: first.from,
    to: last.to,
    before: first.before,
    after: last.after,
    scores: sum("scores"),
    weights: sum("weights"),
    members: sum("members"),
    rounding: sum("rounding"),
  };
}

/** Who counts in the index of each day, by space_id, in its order. */
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
 * Over the members of both days, scores count with the mean of their shares of both days, and the rest of the move is by
 * weights. What who came and who went did is what the index is with them less without them.
 */
function partsOf(
  before: ReadonlyMap<string, Member> = new Map(),
  after: ReadonlyMap<string, Member> = new Map(),
): Omit<IndexParts, "rounding"> {
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
