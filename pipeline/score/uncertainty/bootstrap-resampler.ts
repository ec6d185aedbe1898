import {
  decentralizationIndicators,
  decentralizationPoints,
  valuesOf,
} from "../components/decentralization.ts";
import { deliberationValue } from "../components/deliberation.ts";
import {
  breadthPosition,
  loyaltyPosition,
  nobodyTwice,
  participationOfFrame,
  participationPoints,
  presence,
  returning,
} from "../components/participation.ts";
import { meaningfulQuorumOf, processPoints, scoreProcess } from "../components/process.ts";
import { discountedPoints, evidenceShare, vitalityPoints } from "../components/vitality.ts";
import { INDICATORS } from "../method/indicators.ts";
import type { DaoMeasures, MemberMeasures } from "../method/measures.ts";
import { clamp } from "../method/statistics.ts";

/** One measure of all members by place, NaN where it is not known, and the places where it is in ascending order of value. */
interface MemberColumn {
  readonly values: Float64Array;
  readonly ascending: Int32Array;
}

/** A column, sorted once so that a thousand medians need not. */
function memberColumn(
  members: readonly MemberMeasures[],
  of: (member: MemberMeasures) => number | undefined,
): MemberColumn {
  const values = Float64Array.from(members, (member) => of(member) ?? Number.NaN);
  const known = [...values.keys()].filter((place) => !Number.isNaN(values[place]));
  const ascending = known.sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  return { values, ascending: Int32Array.from(ascending) };
}

// The functions below run a million times over a thousand DAOs; their places come from the columns themselves.

/** The place of the weighted median of a column, with the number of draws as weight; −1 where none of the known was drawn. */
function medianPlace({ ascending }: MemberColumn, counts: Int32Array): number {
  let total = 0;
  for (let at = 0; at < ascending.length; at += 1) total += counts[ascending[at] as number] as number;
  let reached = 0;
  for (let at = 0; at < ascending.length; at += 1) {
    const place = ascending[at] as number;
    reached += counts[place] as number;
    // Whole numbers are summed exactly, so half needs no margin.
    if (reached > 0 && 2 * reached >= total) return place;
  }
  return -1;
}

/** The mean of a column over the draws of members where it is known; NaN where none of them was drawn. */
function countedMean({ values }: MemberColumn, counts: Int32Array): number {
  let sum = 0;
  let drawn = 0;
  for (let place = 0; place < values.length; place += 1) {
    const value = values[place] as number;
    const count = counts[place] as number;
    if (count === 0 || Number.isNaN(value)) continue;
    sum += value * count;
    drawn += count;
  }
  return sum / drawn;
}

// All of this runs a thousand times for each DAO: numbers in columns, NaN for a gap, nothing made on the way.

/** What resamples of the frame's proposals would have scored, a place each; NaN everywhere in one that has a gap. */
export interface Resamples {
  readonly gvs: Float64Array;
  readonly hpr: Float64Array;
  readonly dei: Float64Array;
  readonly pdi: Float64Array;
  readonly gpi: Float64Array;
}

/** How often each member was drawn, by place. */
type Counts = Int32Array;
/** Points (0–10) of one component; NaN for a gap. */
type ScoreResample = (counts: Counts) => number;

/** HPR of resamples: π, A, presence, n_e and what was not assessed stay as they are in the whole frame. */
function participationOf(measures: DaoMeasures): ScoreResample {
  const { members, expectedHeads, isCoordinationAssessed } = measures;
  const { factors, effectiveProposals } = participationOfFrame(measures);
  const independence = clamp(factors.independence ?? 1);
  const fading = clamp(presence(measures.attended, measures.asOfMs));
  const chance = nobodyTwice(effectiveProposals);
  const heads = memberColumn(members, (member) => member.heads);
  const breadths = heads.values.map((value) => clamp(breadthPosition(value)));
  return (counts) => {
    const mean = countedMean(heads, counts);
    if (!(mean > 0)) return Number.NaN;
    const loyal = clamp(loyaltyPosition(returning(expectedHeads, mean, effectiveProposals, chance)));
    const breadth = breadths[medianPlace(heads, counts)] as number;
    return participationPoints(independence, fading, loyal, breadth, isCoordinationAssessed);
  };
}

function decentralizationOf({ members }: DaoMeasures): ScoreResample {
  const effective = memberColumn(members, (member) => member.concentration?.effectiveVoters);
  const majority = memberColumn(members, (member) => member.concentration?.nakamoto);
  const top = memberColumn(members, (member) => member.concentration?.topShare);
  const marks = members.map(({ concentration }) => valuesOf(decentralizationIndicators(concentration ?? {})));
  const [ofEffective, ofMajority, ofTop] = [0, 1, 2].map((at) =>
    Float64Array.from(marks, (values) => values[at] ?? 0),
  );
  return (counts) => {
    const place = medianPlace(effective, counts);
    // All three are known of the same members.
    if (place < 0) return Number.NaN;
    return decentralizationPoints(
      ofEffective?.[place] as number,
      ofMajority?.[medianPlace(majority, counts)] as number,
      ofTop?.[medianPlace(top, counts)] as number,
    );
  };
}

function deliberationOf({ members }: DaoMeasures): ScoreResample {
  const values = memberColumn(members, deliberationValue);
  return (counts) => 10 * countedMean(values, counts);
}

/** The rate of meaningful quorums in a resample; `undefined` where nobody asked for one. */
function quorumRateOf({ members }: DaoMeasures): (counts: Counts) => number | undefined {
  const powers: MemberColumn = memberColumn(members, (member) => member.power);
  const leasts = powers.values.map((power) => meaningfulQuorumOf(power) ?? Number.NaN);
  const asking = members.flatMap(({ quorum, isQuorumRejection, power }, place) =>
    quorum === undefined || isQuorumRejection || power === undefined
      ? []
      : [{ place, quorum, found: power >= quorum ? 1 : 0 }],
  );
  if (asking.length === 0) return () => undefined;
  return (counts) => {
    const least = leasts[medianPlace(powers, counts)] ?? Number.NaN;
    let reached = 0;
    let asked = 0;
    for (const { place, quorum, found } of asking) {
      if (!(quorum >= least)) continue;
      const count = counts[place] as number;
      reached += count * found;
      asked += count;
    }
    return asked === 0 ? undefined : reached / asked;
  };
}

/** GPI of resamples: what is measured of the whole DAO (cadence, proposers, guardrails) stays; the quorum rate is drawn. */
function processOf(measures: DaoMeasures): ScoreResample {
  const [, ...rest] = scoreProcess(measures).indicators;
  const quorum: { weight: number; value: number | undefined } = {
    ...INDICATORS.gpi.quorum,
    value: undefined,
  };
  const rows = [quorum, ...rest];
  const rateOf = quorumRateOf(measures);
  return (counts) => {
    quorum.value = rateOf(counts);
    return processPoints(rows) ?? Number.NaN;
  };
}

/** Scores resamples of one DAO's frame and writes each into its place. λ stays that of the frame. */
export function createResampler(
  measures: DaoMeasures,
  into: Resamples,
): (counts: Counts, place: number) => void {
  const evidence = evidenceShare(measures.members.reduce((sum, member) => sum + member.attention, 0));
  const scoreHpr = participationOf(measures);
  const scoreDei = decentralizationOf(measures);
  const scorePdi = deliberationOf(measures);
  const scoreGpi = processOf(measures);
  return (counts, place) => {
    const hpr = discountedPoints(scoreHpr(counts), evidence);
    const dei = discountedPoints(scoreDei(counts), evidence);
    const pdi = discountedPoints(scorePdi(counts), evidence);
    const gpi = discountedPoints(scoreGpi(counts), evidence);
    const gvs = vitalityPoints(hpr, dei, pdi, gpi);
    // One gap makes NaN of the sum, and the resample is none.
    const isWhole = !Number.isNaN(gvs);
    into.gvs[place] = gvs;
    into.hpr[place] = isWhole ? hpr : gvs;
    into.dei[place] = isWhole ? dei : gvs;
    into.pdi[place] = isWhole ? pdi : gvs;
    into.gpi[place] = isWhole ? gpi : gvs;
  };
}
