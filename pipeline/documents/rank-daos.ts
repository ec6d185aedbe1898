import type { Category } from "../../snapshots/format/value-sets.ts";
import { type RoundedScore, roundScore } from "./rounded-score.ts";
import type { ScoredDao } from "./scored-dao.ts";

/** A DAO with a score, its published numbers and its place. */
export interface RankedDao {
  readonly scored: ScoredDao;
  readonly rounded: RoundedScore;
  readonly rank: number;
  readonly total: number;
  readonly categoryRank: number;
  readonly categoryTotal: number;
}

type Candidate = Pick<RankedDao, "scored" | "rounded">;

function byPlace(a: Candidate, b: Candidate): number {
  return (
    b.rounded.gvs - a.rounded.gvs ||
    b.rounded.completenessPct - a.rounded.completenessPct ||
    (a.scored.dao.spaceId < b.scored.dao.spaceId ? -1 : 1)
  );
}

/**
 * The DAOs that have a score, best first: gvs desc, completeness desc, space_id asc, so that no place is shared.
 * Compares published numbers only, so that a reader of the files can check every place.
 */
export function rankDaos(daos: readonly ScoredDao[]): readonly RankedDao[] {
  const candidates = daos
    .flatMap((scored): Candidate[] => {
      const rounded = roundScore(scored.current);
      return rounded === undefined ? [] : [{ scored, rounded }];
    })
    .sort(byPlace);
  const categoryTotals = new Map<Category, number>();
  const placed = candidates.map((candidate, index) => {
    const { category } = candidate.scored.dao;
    const categoryRank = (categoryTotals.get(category) ?? 0) + 1;
    categoryTotals.set(category, categoryRank);
    return { ...candidate, rank: index + 1, total: candidates.length, categoryRank };
  });
  return placed.map((dao) => ({
    ...dao,
    categoryTotal: categoryTotals.get(dao.scored.dao.category) ?? 0,
  }));
}
