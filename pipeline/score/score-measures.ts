import { DAY_MS } from "../../snapshots/base/days.ts";
import { byComponent, type ComponentKey, type Confidence } from "../../snapshots/format/value-sets.ts";
import { completenessPct } from "./components/completeness.ts";
import { type PowerConcentration, scoreConcentration } from "./components/concentration.ts";
import { cadenceOf, guardrailsMark, proposersSum } from "./components/process.ts";
import { type Risk, scoreRisk } from "./components/risk.ts";
import { INDICATORS, type IndicatorId } from "./method/indicators.ts";
import {
  addMark,
  componentOf,
  type Interval,
  knownShareOf,
  type Mark,
  type MarkSum,
  meanMark,
  vitalityInterval,
} from "./method/marks.ts";
import { type DaoMeasures, type ProposalMeasures, weightAt } from "./method/measures.ts";
import { METHODOLOGY } from "./method/methodology.ts";
import { clamp } from "./method/statistics.ts";

const RULES = METHODOLOGY.interval;

/** Why a DAO has only an interval instead of a score. */
export type UnscoredReason = "SPACE_FLAGGED" | "NO_PROPOSALS" | "TOO_LITTLE_KNOWN";

/** One indicator of a component, averaged over the frame. */
interface ScoredIndicator {
  readonly id: IndicatorId;
  /** Low and high end, 0–1. */
  readonly mark: Mark;
  /** k: the weight of the proposals on which it is known; for a fact of the whole DAO 1, or 0 if nothing is known. */
  readonly weight: number;
}

/** A component in points, with its indicators. */
interface ScoredComponent extends Interval {
  readonly indicators: readonly ScoredIndicator[];
}

/** What is computed for every day of the year; numbers are unrounded. */
export interface DayScore {
  readonly spaceId: string;
  readonly asOfMs: number;
  readonly components: Readonly<Record<ComponentKey, ScoredComponent>>;
  readonly gvs: Interval;
  /** κ, 0–1. */
  readonly knownShare: number;
  /** f, 0–1: the high end is larger if the DAO was not fetched lately. */
  readonly presence: Mark;
  /** `undefined` if the DAO is scored. */
  readonly unscored: UnscoredReason | undefined;
  readonly confidence: Confidence;
  /** `undefined` without power on any ballot. */
  readonly risk: Risk | undefined;
  /** 0–100; `undefined` without a frame. */
  readonly completenessPct: number | undefined;
  /** v, 0–1: how much the DAO counts in the index. */
  readonly indexWeight: number;
  /** Indicators about which nothing is known. */
  readonly notKnown: readonly IndicatorId[];
}

/** Everything computed from the measures of one DAO. */
export interface DaoScore extends DayScore {
  /** `undefined` without power on any ballot. */
  readonly concentration: PowerConcentration | undefined;
}

/** u: days since the DAO was last fetched completely, at least 0. */
function unseenDays({ fetchedAtMs, asOfMs }: DaoMeasures): number {
  return fetchedAtMs === undefined ? Infinity : Math.max(0, (asOfMs - fetchedAtMs) / DAY_MS);
}

/**
 * Presence: does the DAO vote at all, now? It multiplies all components. Only the two most present proposals count: if
 * more than two did, those that ended on one day would also fade on the same days, and presence would fall by several
 * sixtieths a day.
 *
 * Range: 0..1; two attended proposals within 120 days give 1, none within 180 days gives 0; falls by 1/60 a day at most.
 * Unit: proposals by ω.
 * Source: the frame, fetched or not.
 * Unknown: the high end rises with the days since the last complete fetch and is 1 after a week.
 */
function presenceOf(
  proposals: readonly Pick<ProposalMeasures, "endMs" | "attention">[],
  asOfMs: number,
  unseen: number,
): Mark {
  let [most, next] = [0, 0];
  for (const { endMs, attention } of proposals) {
    const ageDays = (asOfMs - endMs) / DAY_MS;
    const present = attention * clamp((RULES.presenceDays - ageDays) / RULES.presenceFadeDays);
    if (present > most) [most, next] = [present, most];
    else if (present > next) next = present;
  }
  const presence = (most + next) / 2;
  return [presence, presence + (1 - presence) * clamp(unseen / RULES.staleDays)];
}

type MarkedKind = Extract<(typeof INDICATORS)[number], { readonly of: "ballot" | "proposal" }>;
const MARKED: readonly MarkedKind[] = INDICATORS.filter((kind) => kind.of !== "dao");

/** Sums the marks of every indicator that proposals have, in one pass over the frame. */
function sumMarks({ proposals, asOfMs }: DaoMeasures): ReadonlyMap<IndicatorId, MarkSum> {
  const sums = MARKED.map(({ id, of: counted }) => ({
    id,
    of: counted,
    sum: { weight: 0, low: 0, high: 0 },
  }));
  for (const proposal of proposals) {
    const weight = weightAt(proposal, asOfMs);
    const ofBallot = weight * proposal.fetchedShare;
    const loyaltyShare = proposal.loyaltyAttention / METHODOLOGY.participation.loyaltyAttention;
    for (const { id, of: counted, sum } of sums) {
      const markWeight =
        counted === "proposal" ? weight : id === "loyalty" ? ofBallot * loyaltyShare : ofBallot;
      addMark(sum, proposal.marks[id], markWeight);
    }
  }
  return new Map(sums.map(({ id, sum }) => [id, sum]));
}

/** Every indicator, averaged over the frame, in the order of publication. */
function indicatorsOf(
  measures: DaoMeasures,
  unseen: number,
): readonly (ScoredIndicator & { readonly component: ComponentKey })[] {
  const { proposals, asOfMs, guardrails, authors } = measures;
  const sums = sumMarks(measures);
  const cadence = cadenceOf(proposals, asOfMs);
  const guarded = guardrailsMark(guardrails);
  const scored = (id: IndicatorId): Omit<ScoredIndicator, "id"> => {
    switch (id) {
      case "cadence": {
        const high = Math.min(1, cadence + unseen / METHODOLOGY.process.cadenceWindowDays);
        return { mark: [cadence, high], weight: 1 };
      }
      case "guardrails":
        return { mark: guarded, weight: guarded[1] - guarded[0] < 1 ? 1 : 0 };
      default: {
        const sum = id === "proposers" ? proposersSum(authors) : sums.get(id);
        return { mark: meanMark(sum ?? { weight: 0, low: 0, high: 0 }), weight: sum?.weight ?? 0 };
      }
    }
  };
  return INDICATORS.map(({ id, component }) => ({ id, component, ...scored(id) }));
}

function unscoredBecause(
  { guardrails, proposals }: DaoMeasures,
  knownShare: number,
): UnscoredReason | undefined {
  if (guardrails.isFlagged) return "SPACE_FLAGGED";
  if (proposals.length === 0) return "NO_PROPOSALS";
  return knownShare < RULES.knownShareMin ? "TOO_LITTLE_KNOWN" : undefined;
}

/** The intervals of a DAO, and whether they leave it unscored. */
function scoreIntervals(measures: DaoMeasures) {
  const { proposals, asOfMs } = measures;
  const unseen = unseenDays(measures);
  const presence = presenceOf(proposals, asOfMs, unseen);
  const indicators = indicatorsOf(measures, unseen);
  const scored = (key: ComponentKey): ScoredComponent => {
    const ofComponent = indicators.filter(({ component }) => component === key);
    const { low, point, high } = componentOf(
      presence,
      ofComponent.map(({ mark }) => mark),
    );
    return {
      low,
      point,
      high,
      indicators: ofComponent.map(({ id, mark, weight }) => ({ id, mark, weight })),
    };
  };
  const components = byComponent(scored);
  const gvs = vitalityInterval(components);
  const knownShare = knownShareOf(gvs);
  const unscored = unscoredBecause(measures, knownShare);
  return { components, gvs, knownShare, presence, unscored, indicators };
}

/**
 * Computes everything published about one DAO from its measures alone.
 *
 * Range: components and gvs 0..10 points, risk and completeness 0..100; each with a low and a high end.
 * Unit: points.
 * Source: `DaoMeasures`, which are published as evidence, so that anybody can repeat this.
 * Unknown: widens the interval. A DAO is unscored if its frame is empty, if more than half of the scale is open, or if
 * its platform flagged its space.
 */
export function scoreMeasures(measures: DaoMeasures): DaoScore {
  return {
    ...scoreDay(measures, scoreIntervals(measures)),
    concentration: scoreConcentration(measures),
  };
}

function scoreDay(
  measures: DaoMeasures,
  { indicators, ...intervals }: ReturnType<typeof scoreIntervals>,
): DayScore {
  const { components, gvs, knownShare, presence } = intervals;
  return {
    spaceId: measures.spaceId,
    asOfMs: measures.asOfMs,
    ...intervals,
    confidence: measures.eligibleCount >= METHODOLOGY.frame.highConfidenceProposals ? "high" : "low",
    risk: scoreRisk(measures, components.dei, gvs),
    completenessPct: completenessPct(measures),
    indexWeight: presence[0] * clamp(2 * knownShare - 1),
    notKnown: indicators.filter(({ mark }) => mark[0] === 0 && mark[1] === 1).map(({ id }) => id),
  };
}

/** The score of a past day; `undefined` if it is unscored: then only the intervals are computed. */
export function ifScored(measures: DaoMeasures): DayScore | undefined {
  const intervals = scoreIntervals(measures);
  return intervals.unscored === undefined ? scoreDay(measures, intervals) : undefined;
}
