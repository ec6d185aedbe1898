import { isDeepStrictEqual } from "node:util";
import { DAY_MS } from "../../snapshots/base/days.ts";
import type { FileKind } from "../../snapshots/format/documents.ts";
import { dayOf, SCORE_DECIMALS } from "../../snapshots/format/ids.ts";
import { PATHS } from "../../snapshots/format/paths.ts";
import type { VersionLists } from "../../snapshots/format/published-set.ts";
import type { Trend } from "../../snapshots/format/value-sets.ts";
import {
  buildDaoDetail,
  buildDaoHistory,
  buildRiskAssessment,
  placeDetail,
} from "../documents/dao-documents.ts";
import {
  buildDaoList,
  buildDgi,
  buildDgiHistory,
  buildRankings,
  buildUnscoredList,
  type DaoRow,
  indexMembers,
  rankRows,
} from "../documents/dao-row.ts";
import { buildEvidence, hasEmptyFrame } from "../documents/evidence-documents.ts";
import type { ScoredDao, Standing } from "../documents/scored-dao.ts";
import { endedDayEndsMs } from "../facts/days.ts";
import { dailyPointOf } from "../score/daily-point.ts";
import { METHODOLOGY } from "../score/method/methodology.ts";
import { median } from "../score/method/statistics.ts";
import { scoreGovernanceIndex } from "../score/ranking/governance-index.ts";
import { type DerivedDao, deriveDao, type ExplainedPart, isDayEnd } from "./derive-dao.ts";

export interface Recomputed {
  readonly numbers: number;
  readonly differences: readonly Difference[];
}

/** A document, or a point of one, as it is published and as it is built again; `undefined` where it is missing. */
type Compared = readonly [path: string, published: unknown, rebuilt: unknown];

function compareAll(compared: readonly Compared[]): Recomputed {
  return {
    numbers: compared.reduce((sum, [, published]) => sum + countLeaves(published), 0),
    differences: compared.flatMap((one) => differencesOf(...one)),
  };
}

/**
 * Builds the score documents of one DAO again, with the code that publishes them, and compares them; `standing` is its rank
 * among scored DAOs. Of a DAO without evidence or in no list, no published score can be recomputed.
 */
export function recomputePart(
  part: ExplainedPart,
  derived: DerivedDao | undefined,
  standing: Standing | undefined,
): Recomputed {
  const { spaceId, asOf, evidence, emptyFrames, details, risks, histories } = part;
  const [published] = evidence;
  if (derived === undefined) {
    return compareAll([
      [PATHS.evidence(spaceId), published?.evidence, undefined],
      [PATHS.proposals(spaceId), emptyFrames[0]?.proposals, undefined],
      [PATHS.dao(spaceId), details[0], undefined],
      [PATHS.risk(spaceId), risks[0], undefined],
    ]);
  }
  const { scored } = derived;
  const rebuilt = buildEvidence(scored.evidence, scored.current);
  const isEmpty = hasEmptyFrame(scored.evidence);
  // Evidence names no entities, so the top entities are copied.
  const detail = standing && placeDetail(buildDaoDetail(scored), standing, details[0]?.top_entities ?? []);
  const compared: Compared[] = [
    [PATHS.evidence(spaceId), published?.evidence, isEmpty ? undefined : rebuilt.evidence],
    [PATHS.proposals(spaceId), (published ?? emptyFrames[0])?.proposals, rebuilt.proposals],
    [PATHS.dao(spaceId), details[0], detail],
    [PATHS.risk(spaceId), risks[0], standing && buildRiskAssessment(scored)],
  ];
  if (isDayEnd(asOf)) {
    const date = asOf.slice(0, 10);
    const point = dailyPointOf(scored.current);
    const last = buildDaoHistory({ ...scored, points: point === undefined ? [] : [point] })?.points[0];
    const publishedLast = histories[0]?.points.find((point) => point.date === date);
    compared.push([`${PATHS.history(spaceId)} ${date}`, publishedLast, last]);
  }
  const { numbers, differences } = compareAll(compared);
  const past = checkPast(part, scored);
  return { numbers: numbers + past.checked, differences: [...differences, ...past.differences] };
}

/** Builds a version's lists again from the evidence of all its DAOs, which names no entities, and compares them. */
export function recomputeLists(
  lists: VersionLists,
  rows: readonly DaoRow[],
  standings: ReadonlyMap<string, Standing>,
): Recomputed {
  // The 24-hour change needs the day before.
  const without = (daos: VersionLists["daos"]) => daos.map(({ delta_24h: _, ...rest }) => rest);
  const asOfMs = Date.parse(lists.asOf);
  const index = scoreGovernanceIndex(indexMembers(rows), asOfMs);
  const compared: Compared[] = [
    [PATHS.daos, without(lists.daos), without(buildDaoList(rows, standings))],
    [PATHS.rankings, lists.rankings, buildRankings(standings)],
    [PATHS.unscored, lists.unscored, buildUnscoredList(rows)],
    [PATHS.dgi, lists.dgi, buildDgi(index)],
  ];
  if (isDayEnd(lists.asOf)) {
    const date = lists.asOf.slice(0, 10);
    const last = buildDgiHistory(asOfMs, undefined, index === undefined ? [] : [index])?.values[0];
    const publishedLast = lists.dgiHistory?.values.find((point) => point.date === date);
    compared.push([`${PATHS.dgiHistory} ${date}`, publishedLast, last]);
  }
  return compareAll(compared);
}

/** Recomputes every score of a version from its evidence and lines only, and lists each difference. */
export function recomputeVersion({
  lists,
  parts,
}: {
  readonly lists: VersionLists;
  readonly parts: (kinds?: readonly FileKind[]) => Iterable<ExplainedPart>;
}) {
  // Each DAO is read twice, as only its row is kept in memory: ranks are known once all rows are.
  const rows: DaoRow[] = [];
  for (const part of parts(["evidence", "proposals"])) {
    const derived = deriveDao(part);
    if (derived !== undefined) rows.push(derived.row);
  }
  const standings = rankRows(rows);
  const differences: Difference[] = [];
  let numbers = 0;
  const add = (part: Recomputed): void => {
    numbers += part.numbers;
    differences.push(...part.differences);
  };
  for (const part of parts()) {
    add(recomputePart(part, deriveDao(part), standings.get(part.spaceId)));
  }
  add(recomputeLists(lists, rows, standings));
  return { daos: rows.length, numbers, differences };
}

/** Published history is rounded: a change of it is known to within this. */
const HALF_STEP = 0.5 * 10 ** -SCORE_DECIMALS;
const RISK_STEP = 0.1;

/** Differences found by one check; `undefined` if there was nothing to check. */
type CheckResult = readonly Difference[] | undefined;

/** Checks what follows from a DAO's published history, within its rounding: daily change and trend. */
function checkPast(part: ExplainedPart, scored: ScoredDao) {
  const checks = [checkDelta(part, scored), checkTrend(part, scored)].filter((check) => check !== undefined);
  return { checked: checks.length, differences: checks.flat() };
}

/** Compares delta_24h with the history's gvs of the day before; only if the version is of a day's end. */
function checkDelta(
  { asOf, listed }: ExplainedPart,
  { current: { gvs, unscored }, points }: ScoredDao,
): CheckResult {
  if (!isDayEnd(asOf) || listed === undefined || unscored !== undefined) return undefined;
  const { rank, delta_24h: published } = listed.summary;
  const dayBefore = dayOf(Date.parse(asOf) - DAY_MS);
  const before = points.find(({ date }) => date === dayBefore)?.gvs;
  const change = before === undefined ? 0 : gvs.point - before;
  const slack = before === undefined ? 0 : 2 * HALF_STEP + 1e-9;
  if (Math.abs(published - change) <= slack) return [];
  return [{ path: `${PATHS.daos} ${rank - 1}.delta_24h`, published, recomputed: change }];
}

/** The trends of a Theil–Sen slope over 30 days, for all possible values before rounding. */
function possibleTrends(points: readonly { readonly x: number; readonly y: number }[]): readonly Trend[] {
  const pairs = (points.length * (points.length - 1)) / 2;
  // Typed arrays: there are 435 pairs for each of a thousand DAOs, and they sort eight times as fast.
  const lows = new Float64Array(pairs);
  const highs = new Float64Array(pairs);
  let pair = 0;
  points.forEach((a, index) => {
    for (const b of points.slice(index + 1)) {
      const slope = (b.y - a.y) / (b.x - a.x);
      const slack = RISK_STEP / (b.x - a.x);
      lows[pair] = slope - slack;
      highs[pair] = slope + slack;
      pair += 1;
    }
  });
  const { trendDays, trendChange } = METHODOLOGY.risk;
  const low = trendDays * median(lows.sort());
  const high = trendDays * median(highs.sort());
  const trends: Trend[] = [];
  if (low <= -trendChange) trends.push("improving");
  if (high > -trendChange && low < trendChange) trends.push("stable");
  if (high >= trendChange) trends.push("declining");
  return trends;
}

/** Compares the trend with the risks of the last ended days, as far as rounding allows. */
function checkTrend({ asOf, risks: [assessed] }: ExplainedPart, scored: ScoredDao): CheckResult {
  const published = assessed?.trend;
  if (published === undefined) return undefined;
  const { trendDays, trendPointsMin } = METHODOLOGY.risk;
  const risks = new Map(scored.points.map(({ date, riskScore }) => [date, riskScore]));
  const points = endedDayEndsMs(Date.parse(asOf), trendDays).flatMap((endMs, x) => {
    const y = risks.get(dayOf(endMs));
    return y === undefined ? [] : [{ x, y }];
  });
  const possible: readonly Trend[] = points.length < trendPointsMin ? ["stable"] : possibleTrends(points);
  if (possible.includes(published)) return [];
  const recomputed = possible.join(" or ");
  return [{ path: `${PATHS.risk(scored.dao.spaceId)} trend`, published, recomputed }];
}

/** A value that differs between the published and the recomputed documents. */
export interface Difference {
  /** Such as `evidence/<space_id>.json components.dei.after.points`. */
  readonly path: string;
  /** `undefined` if missing on that side. */
  readonly published: unknown;
  readonly recomputed: unknown;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** Lists every leaf in which two JSON values differ. Numbers must be the same doubles, as JSON preserves them. */
export function differencesOf(path: string, published: unknown, recomputed: unknown): readonly Difference[] {
  // The usual case: equal values need no paths.
  return isDeepStrictEqual(published, recomputed) ? [] : differencesWithin(path, published, recomputed);
}

function differencesWithin(path: string, published: unknown, recomputed: unknown): readonly Difference[] {
  if (isObject(published) && isObject(recomputed) && Array.isArray(published) === Array.isArray(recomputed)) {
    const keys = new Set([...Object.keys(published), ...Object.keys(recomputed)]);
    const join = path.endsWith("json") ? " " : ".";
    return [...keys].flatMap((key) =>
      differencesWithin(`${path}${join}${key}`, published[key], recomputed[key]),
    );
  }
  return published === recomputed ? [] : [{ path, published, recomputed }];
}

/** Counts the numbers, strings, booleans and nulls of a JSON value. */
function countLeaves(value: unknown): number {
  if (value === undefined) return 0;
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, child) => sum + countLeaves(child), 0);
}
