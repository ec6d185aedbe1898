import type { ComponentKey } from "../../snapshots/format/value-sets.ts";
import type { DailyPoint } from "../facts/days.ts";
import { METHODOLOGY } from "./method/methodology.ts";

/** The Decentralized Governance Index as of one moment, unrounded. */
export interface GovernanceIndex {
  readonly asOfMs: number;
  readonly composite: number;
  readonly components: Readonly<Record<ComponentKey, number>>;
  readonly daoCount: number;
}

/** What one DAO brings to an index: its score as of one moment. */
export interface IndexedScore extends Pick<DailyPoint, "gvs" | "components"> {
  readonly spaceId: string;
}

/** The last UTC day before the quarter that a moment lies in: its end is when the quarter's members are chosen. */
export function freezeDayOf(atMs: number): string {
  const at = new Date(atMs);
  const quarterMs = Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - (at.getUTCMonth() % 3), 1);
  return new Date(quarterMs - 1).toISOString().slice(0, 10);
}

/** What decides about membership: a DAO's point of the freeze day, `undefined` where it had no score. */
export type FreezePoint = Pick<DailyPoint, "attentionSum" | "completenessPct"> | undefined;

/** Whether a DAO had enough recent attention and complete data on the freeze day. */
export function isIndexMember(point: FreezePoint): boolean {
  const { memberAttentionMin, memberCompletenessMinPct } = METHODOLOGY.index;
  if (point === undefined || point.attentionSum < memberAttentionMin) return false;
  return point.completenessPct >= memberCompletenessMinPct;
}

/**
 * The members of a quarter's index, by space_id, as of the day before it began. Frozen, so that the index moves when
 * its members do and not when a DAO comes or goes.
 */
export function membersOn(
  points: Iterable<readonly [spaceId: string, freezePoint: FreezePoint]>,
): ReadonlySet<string> {
  return new Set([...points].flatMap(([spaceId, point]) => (isIndexMember(point) ? [spaceId] : [])));
}

/**
 * Decentralized Governance Index (dgi): how healthy is the governance of DAOs as a whole?
 *
 * Range: 0..10 points; a plain mean, every member weighs the same.
 * Unit: DAOs with Σω of at least 5 and completeness of at least 60 % on the day before the calendar quarter.
 * Source: the scores of the members as of the same moment; a member without one then is not counted.
 * Gap: `undefined` with fewer than 5 scored members.
 */
export function scoreGovernanceIndex(
  members: ReadonlySet<string>,
  scores: readonly IndexedScore[],
  asOfMs: number,
): GovernanceIndex | undefined {
  const counted = scores
    .filter(({ spaceId }) => members.has(spaceId))
    .sort((a, b) => (a.spaceId < b.spaceId ? -1 : 1));
  if (counted.length < METHODOLOGY.index.membersMin) return undefined;
  const meanOf = (of: (score: IndexedScore) => number): number =>
    counted.reduce((sum, score) => sum + of(score), 0) / counted.length;
  return {
    asOfMs,
    composite: meanOf(({ gvs }) => gvs),
    components: {
      hpr: meanOf(({ components }) => components.hpr),
      dei: meanOf(({ components }) => components.dei),
      pdi: meanOf(({ components }) => components.pdi),
      gpi: meanOf(({ components }) => components.gpi),
    },
    daoCount: counted.length,
  };
}

/**
 * The index of nobody as of many moments at once: sums by moment, so that a year over a thousand DAOs makes no list for a
 * day. What `scoreGovernanceIndex` says of one moment, it says of each.
 */
export function createIndexSeries(momentsMs: readonly number[]) {
  const column = (): Float64Array => new Float64Array(momentsMs.length);
  const [counts, gvs, hpr, dei, pdi, gpi] = [column(), column(), column(), column(), column(), column()];
  const plus = (sums: Float64Array, place: number, value: number): void => {
    sums[place] = (sums[place] ?? 0) + value;
  };
  return {
    /** Counts a member's score as of the moment at a place. Members must come by space_id, so that every sum is in that order. */
    add(place: number, { gvs: own, components }: Omit<IndexedScore, "spaceId">): void {
      plus(counts, place, 1);
      plus(gvs, place, own);
      plus(hpr, place, components.hpr);
      plus(dei, place, components.dei);
      plus(pdi, place, components.pdi);
      plus(gpi, place, components.gpi);
    },
    /** By place; `undefined` with too few members. */
    indexes: (): readonly (GovernanceIndex | undefined)[] =>
      momentsMs.map((asOfMs, place) => {
        const daoCount = counts[place] ?? 0;
        if (daoCount < METHODOLOGY.index.membersMin) return undefined;
        const mean = (sums: Float64Array): number => (sums[place] ?? 0) / daoCount;
        const components = { hpr: mean(hpr), dei: mean(dei), pdi: mean(pdi), gpi: mean(gpi) };
        return { asOfMs, composite: mean(gvs), components, daoCount };
      }),
  };
}
