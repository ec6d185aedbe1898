import { DAY_MS } from "../../../snapshots/base/days.ts";
import type { HistoryPoint } from "../../../snapshots/format/dao.ts";
import { dayEndMs, dayOf, roundTo, SCORE_DECIMALS, timestampOf } from "../../../snapshots/format/ids.ts";
import type { PublishedEvidence } from "../../../snapshots/format/published-set.ts";
import { byComponent, type ComponentKey } from "../../../snapshots/format/value-sets.ts";
import type { WholeVersion } from "../../../snapshots/store/read/read-documents.ts";
import { evidenceOfLines } from "../../documents/read-evidence.ts";
import { endedDayEndsMs } from "../../facts/days.ts";
import { pipelineFailure } from "../../facts/errors.ts";
import { chooseExplained } from "../../home/choose-version.ts";
import type { Settings } from "../../home/settings.ts";
import { withStore } from "../../home/store-errors.ts";
import type { Interval } from "../../score/method/marks.ts";
import { rankDaos } from "../../score/ranking/rank-daos.ts";
import { scoreMeasures } from "../../score/score-measures.ts";
import { readExplainedVersion } from "../read-explained.ts";
import { type DaoSide, type DiffSide, diffSides, type VersionDiff } from "./diff.ts";

/** Two days (`YYYY-MM-DD`), each as of its end. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/** The days to compare: the first by date or by distance from the second, by default the last that has ended. */
export type RequestedDays = ({ readonly from: string } | { readonly days: number }) & {
  readonly to: string | undefined;
};

/** A version with the days asked for, from its files only. Throws `PipelineFailure`, NOT_FOUND if its history lacks them. */
export async function readDays(settings: Settings, wanted: RequestedDays, named: string | undefined) {
  const { version } = await chooseExplained(settings, { version: named });
  const whole = await withStore(() => readExplainedVersion(settings.snapshotsDirectory, version));
  const to = wanted.to ?? lastDayOf(whole);
  const days = { from: "days" in wanted ? daysBefore(to, wanted.days) : wanted.from, to };
  assertDays(whole, days);
  return { whole, days };
}

export function lastDayOf({ manifest }: Pick<WholeVersion, "manifest">): string {
  const [lastMs = 0] = endedDayEndsMs(Date.parse(manifest.as_of), 1);
  return dayOf(lastMs);
}

export function daysBefore(day: string, days: number): string {
  return dayOf(dayEndMs(day) - days * DAY_MS);
}

/** The first day of a version's histories; `undefined` if none has a point. */
export function firstDayOf({ set }: Pick<WholeVersion, "set">): string | undefined {
  return set.histories.flatMap(({ points }) => points[0]?.date ?? []).sort()[0];
}

function assertDays(whole: WholeVersion, { from, to }: Days): void {
  if (from >= to) throw pipelineFailure("BAD_OPTION", `--from ${from} is not before --to ${to}`);
  const first = firstDayOf(whole);
  const last = lastDayOf(whole);
  if (first !== undefined && from >= first && to <= last) return;
  const message = `version ${whole.version} does not have every day from ${from} to ${to}`;
  throw pipelineFailure("NOT_FOUND", message, {
    hint: first === undefined ? "It has no history." : `Its history goes from ${first} to ${last}.`,
  });
}

/**
 * Compares two days of a version's history. Scores, components, ranks and risk are those of the history.
 * Indicators are scored again at each day from the proposals as the version measured them. The rest of a
 * component's change is `unexplained`: later votes also reveal wallets that vote alike, and authors are
 * published only for the current state.
 */
export function diffDays(whole: WholeVersion, { from, to }: Days, minDelta: number): VersionDiff {
  const [before, after] = [pointsOn(whole, from), pointsOn(whole, to)];
  const spaceIds = [...new Set([...before.keys(), ...after.keys()])];
  return diffSides(sideOn(whole, from, before, spaceIds), sideOn(whole, to, after, spaceIds), minDelta);
}

function pointsOn({ set }: WholeVersion, day: string): ReadonlyMap<string, HistoryPoint> {
  return new Map(
    set.histories.flatMap(({ space_id: spaceId, points }) => {
      const point = points.find(({ date }) => date === day);
      return point === undefined ? [] : [[spaceId, point]];
    }),
  );
}

/** One side of the comparison; `spaceIds` are tracked DAOs, with or without a score on that day. */
function sideOn(
  { version, manifest, set }: WholeVersion,
  day: string,
  points: ReadonlyMap<string, HistoryPoint>,
  spaceIds: readonly string[],
): DiffSide {
  const ranks = rankDaos([...points].map(rankedPoint));
  const evidence = new Map(set.evidence.map((item) => [item.evidence.space_id, item]));
  const atMs = dayEndMs(day);
  const [first] = points.values();
  const daoOn = (spaceId: string): DaoSide => {
    const [point, published] = [points.get(spaceId), evidence.get(spaceId)];
    return {
      ...(point && published ? explainedOn(published, point, atMs) : { scores: undefined, proposals: [] }),
      gvs: point?.gvs,
      interval: undefined,
      rank: ranks.get(spaceId)?.rank,
      risk: point?.risk_score,
      completeness: point?.data_completeness,
    };
  };
  return {
    summary: {
      version,
      asOf: timestampOf(atMs),
      methodologyVersion: first?.methodology_version ?? manifest.methodology_version,
      scored: points.size,
      unscored: set.daos.length + set.unscored.length - points.size,
    },
    daos: new Map(spaceIds.map((spaceId) => [spaceId, daoOn(spaceId)])),
  };
}

/** A history point in the form used for ranking, as if exactly known: the history has no intervals. */
function rankedPoint([spaceId, point]: readonly [string, HistoryPoint]) {
  const { gvs, components, data_completeness: completenessPct } = point;
  return {
    spaceId,
    gvs: { low: gvs, point: gvs, high: gvs },
    completenessPct,
    components: byComponent((key) => ({ point: components[key] })),
  };
}

function scoreOn({ evidence, proposals: lines }: PublishedEvidence, atMs: number) {
  const { measures, proposals } = evidenceOfLines({ ...evidence, as_of: timestampOf(atMs) }, lines);
  return { proposals, score: scoreMeasures(measures) };
}

/** Between which ends each score lay as of the end of a day, by the proposals as the version measures them: the history has no ends. */
export function endsOn(published: PublishedEvidence, day: string) {
  const { components, gvs } = scoreOn(published, dayEndMs(day)).score;
  const endsOf = ({ low, high }: Interval): readonly [low: number, high: number] => [
    roundTo(low, SCORE_DECIMALS),
    roundTo(high, SCORE_DECIMALS),
  ];
  return { gvs: endsOf(gvs), ...byComponent((key) => endsOf(components[key])) };
}

/** What a point of the history was made of, as far as the proposals of the version explain it. */
function explainedOn(
  published: PublishedEvidence,
  point: HistoryPoint,
  atMs: number,
): Pick<DaoSide, "scores" | "proposals"> {
  const { proposals, score } = scoreOn(published, atMs);
  const [low, high] = score.presence;
  const componentOn = (key: ComponentKey) => ({
    point: point.components[key],
    unexplained: point.components[key] - score.components[key].point,
    indicators: score.components[key].indicators.map(({ id, mark }) => ({ id, low: mark[0], high: mark[1] })),
  });
  return {
    scores: {
      unscored: null,
      presence: { low, high },
      gvs: { point: point.gvs },
      components: byComponent(componentOn),
    },
    proposals: proposals.map(({ facts, place }) => ({ id: facts.proposalId, place })),
  };
}
