import type {
  DaoList,
  DaoSummary,
  DgiHistory,
  PublishedDgi,
  UnscoredList,
} from "../../snapshots/format/dao.ts";
import { type Certainty, certaintyOf, roundedEnds } from "../../snapshots/format/envelope.ts";
import { dayOf, timestampOf } from "../../snapshots/format/ids.ts";
import { DGI_PERIOD_DAYS } from "../../snapshots/format/limits.ts";
import type { Rankings } from "../../snapshots/format/rankings.ts";
import { byComponent, type Category, type ComponentKey } from "../../snapshots/format/value-sets.ts";
import { endedDayEndsMs } from "../facts/days.ts";
import type { Interval } from "../score/method/marks.ts";
import type { CurrentIndex, GovernanceIndex, IndexMember } from "../score/ranking/governance-index.ts";
import { rankDaos } from "../score/ranking/rank-daos.ts";
import type { DaoScore } from "../score/score-measures.ts";
import { buildSummary } from "./dao-documents.ts";
import { type PublicEntities, participationsIn } from "./entities.ts";
import { buildConcentration } from "./evidence-documents.ts";
import {
  type EntityInDao,
  published,
  publishedComponents,
  type ScoredDao,
  type Standing,
} from "./scored-dao.ts";
import { buildNotKnown, buildUnscored, type UnscoredLine } from "./unscored.ts";

export interface ScoreSummary
  extends Pick<
    DaoScore,
    | "spaceId"
    | "gvs"
    | "unscored"
    | "knownShare"
    | "presence"
    | "notKnown"
    | "completenessPct"
    | "concentration"
  > {
  readonly components: Readonly<Record<ComponentKey, Interval>>;
  readonly risk: Interval | undefined;
}

/** What ranks, lists, index and entities need of one DAO; small, so that all rows fit into memory. */
export interface DaoRow {
  readonly spaceId: string;
  readonly category: Category;
  readonly score: ScoreSummary;
  /** Its entry in `daos.json` without the rank; `undefined` if it has no score. */
  readonly summary: Omit<DaoSummary, "rank"> | undefined;
  /** `undefined` if it has a score. */
  readonly unscored: UnscoredLine | undefined;
  /** v, 0–1: how much it counts in the index of this moment if it has a score. */
  readonly indexWeight: number;
  readonly participations: readonly EntityInDao[];
}

const endsOf = ({ low, point, high }: Interval): Interval => ({ low, point, high });

/** Extracts the row of a DAO; without `entities`, it contains no participations. */
export function rowOf(scored: ScoredDao, entities?: PublicEntities): DaoRow {
  const { dao, current } = scored;
  const { spaceId, gvs, unscored, knownShare, presence, notKnown, completenessPct, concentration } = current;
  return {
    spaceId: dao.spaceId,
    category: dao.category,
    score: {
      spaceId,
      components: byComponent((key) => endsOf(current.components[key])),
      gvs: endsOf(gvs),
      unscored,
      risk: current.risk === undefined ? undefined : endsOf(current.risk.score),
      knownShare,
      presence,
      notKnown,
      completenessPct,
      concentration,
    },
    summary: unscored === undefined ? buildSummary(scored) : undefined,
    unscored: buildUnscored(scored),
    indexWeight: current.indexWeight,
    participations: entities === undefined ? [] : participationsIn(scored, entities),
  };
}

export function indexMembers(rows: readonly DaoRow[]): readonly IndexMember[] {
  return rows.flatMap(({ score, indexWeight }) =>
    score.unscored === undefined ? [{ ...score, indexWeight }] : [],
  );
}

/** Ranks the scored DAOs, overall and per category; returns standings by space_id, best first. */
export function rankRows(rows: readonly DaoRow[]): ReadonlyMap<string, Standing> {
  const scored = rows.filter((row) => row.score.unscored === undefined);
  const ranks = rankDaos(scored.map(({ score }) => score));
  const placed = scored
    .flatMap(({ spaceId, category }) => {
      const rank = ranks.get(spaceId);
      return rank === undefined ? [] : [{ spaceId, category, rank }];
    })
    .sort((a, b) => a.rank.rank - b.rank.rank);
  const totals = new Map<Category, number>();
  const inCategory = placed.map((dao) => {
    const categoryRank = (totals.get(dao.category) ?? 0) + 1;
    totals.set(dao.category, categoryRank);
    return { ...dao, categoryRank };
  });
  return new Map(
    inCategory.map(({ spaceId, category, rank, categoryRank }) => [
      spaceId,
      { ...rank, total: placed.length, categoryRank, categoryTotal: totals.get(category) ?? 0 },
    ]),
  );
}

/** Builds `daos.json`: every scored DAO, sorted by rank. */
export function buildDaoList(
  rows: readonly DaoRow[],
  standings: ReadonlyMap<string, Pick<Standing, "rank">>,
): DaoList {
  return rows
    .flatMap(({ spaceId, summary }) => {
      const rank = standings.get(spaceId)?.rank;
      return summary === undefined || rank === undefined ? [] : [{ ...summary, rank }];
    })
    .sort((a, b) => a.rank - b.rank);
}

export function certaintyOfRows(
  rows: readonly DaoRow[],
  standings: ReadonlyMap<string, Standing>,
): ReadonlyMap<string, Certainty> {
  return new Map(
    rows.flatMap(({ spaceId, score }) => {
      const standing = standings.get(spaceId);
      if (standing === undefined) return [];
      const [best, worst] = standing.range;
      const [low, high] = score.presence;
      const certainty = certaintyOf(
        {
          gvs: score.gvs,
          components: score.components,
          risk: score.risk ?? null,
          known_share: score.knownShare,
          presence: { low, high },
          not_known: [...score.notKnown],
          concentration: buildConcentration(score.concentration),
        },
        { best, worst },
      );
      return [[spaceId, certainty]];
    }),
  );
}

/** Builds `rankings.json` of standings, best first. */
export function buildRankings(standings: ReadonlyMap<string, Standing>): Rankings {
  return [...standings].map(
    ([
      space_id,
      {
        rank,
        range: [best, worst],
        sensitivity,
      },
    ]) => ({
      space_id,
      rank,
      best,
      worst,
      weights: sensitivity.map((change) => ({ ...change })),
    }),
  );
}

/** Builds `unscored.json`: the tracked DAOs without a score, sorted by space_id. */
export function buildUnscoredList(rows: readonly DaoRow[]): UnscoredList {
  return rows
    .flatMap(({ unscored, score }) =>
      unscored === undefined ? [] : [{ ...unscored, not_known: buildNotKnown(score.notKnown) }],
    )
    .sort((a, b) => (a.space_id < b.space_id ? -1 : 1));
}

/** The longest period that the API offers; shorter periods are its last days. */
const PERIOD = "365d";

/** Builds `dgi.json`; `undefined` with too few DAOs for an index. */
export function buildDgi(index: CurrentIndex | undefined): PublishedDgi | undefined {
  if (index === undefined) return undefined;
  const { ends } = index;
  return {
    composite: published(index.composite),
    components: publishedComponents(index.components),
    dao_count: index.daoCount,
    calculated_at: timestampOf(index.asOfMs),
    interval: { composite: roundedEnds(ends.gvs), ...byComponent((key) => roundedEnds(ends[key])) },
  };
}

/** Builds `dgi-history.json`: the index of the last 365 ended days; `undefined` if there never was one. */
export function buildDgiHistory(
  asOfMs: number,
  index: GovernanceIndex | undefined,
  indexHistory: readonly GovernanceIndex[],
): DgiHistory | undefined {
  const days = new Set(endedDayEndsMs(asOfMs, DGI_PERIOD_DAYS[PERIOD]).map(dayOf));
  const values = indexHistory
    .filter((point) => days.has(dayOf(point.asOfMs)))
    .map(({ asOfMs: dayEndMs, composite, components, gvsEnds: ends }) => ({
      date: dayOf(dayEndMs),
      composite: published(composite),
      components: publishedComponents(components),
      ...(ends && { interval: roundedEnds({ low: ends[0], high: ends[1] }) }),
    }));
  return index === undefined && values.length === 0 ? undefined : { period: PERIOD, values };
}
