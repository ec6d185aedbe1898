import { COMPONENT_KEYS, type ComponentKey } from "../../snapshots/format/value-sets.ts";
import { countedMedian, type MemberColumn, memberColumn } from "./counted-median.ts";
import { decentralizationIndicators, decentralizationPoints } from "./decentralization.ts";
import { deliberationValue } from "./deliberation.ts";
import { INDICATORS, indicator } from "./indicator.ts";
import type { DaoMeasures, MemberMeasures } from "./measures.ts";
import { participationOfFrame, presence } from "./participation.ts";
import {
  breadthPosition,
  loyaltyPosition,
  participationPoints,
  returning,
} from "./participation-indicators.ts";
import { processPoints, scoreProcess } from "./process.ts";
import { meaningfulQuorumOf } from "./quorum-rate.ts";
import { gap, points, type ScoreOrGap } from "./score-or-gap.ts";
import { discountThinEvidence, evidenceShare, scoreVitality } from "./vitality.ts";
import { clamp } from "./weighted-statistics.ts";

/** What one resample of the frame's proposals would have scored. */
export interface Resample {
  readonly gvs: number;
  readonly components: Readonly<Record<ComponentKey, number>>;
}

/** How often each member was drawn, by place. */
type Counts = Uint32Array;
type ScoreResample = (counts: Counts) => ScoreOrGap;

/** Mean of a column over the draws of members where it is known. */
function countedMean({ values }: MemberColumn, counts: Counts): number | undefined {
  let sum = 0;
  let drawn = 0;
  values.forEach((value, place) => {
    const count = counts[place] ?? 0;
    if (value === undefined || count === 0) return;
    sum += value * count;
    drawn += count;
  });
  return drawn === 0 ? undefined : sum / drawn;
}

/** HPR of resamples: π, A, presence, n_e and what was not assessed stay as they are in the whole frame. */
function participationOf(measures: DaoMeasures): ScoreResample {
  const { factors, effectiveProposals } = participationOfFrame(measures);
  const fading = clamp(presence(measures.attended, measures.asOfMs));
  const heads = memberColumn(measures.members, (member) => member.heads);
  return (counts) => {
    const headsMean = countedMean(heads, counts) ?? 0;
    if (headsMean === 0) return gap("NO_VOTERS");
    const found = participationPoints(
      clamp(factors.independence ?? 1),
      fading,
      clamp(loyaltyPosition(returning(measures.expectedHeads, headsMean, effectiveProposals))),
      clamp(breadthPosition(countedMedian(heads, counts) ?? 0)),
      measures.isCoordinationAssessed,
    );
    return points(found);
  };
}

function decentralizationOf({ members }: DaoMeasures): ScoreResample {
  const effective = memberColumn(members, (member) => member.concentration?.effectiveVoters);
  const majority = memberColumn(members, (member) => member.concentration?.nakamoto);
  const top = memberColumn(members, (member) => member.concentration?.topShare);
  return (counts) => {
    const effectiveVoters = countedMedian(effective, counts);
    const nakamoto = countedMedian(majority, counts);
    const topShare = countedMedian(top, counts);
    if (effectiveVoters === undefined || nakamoto === undefined || topShare === undefined)
      return gap("POWER_UNKNOWN");
    return points(
      decentralizationPoints(decentralizationIndicators({ effectiveVoters, nakamoto, topShare })),
    );
  };
}

function deliberationOf({ members }: DaoMeasures): ScoreResample {
  const values = memberColumn(members, deliberationValue);
  return (counts) => {
    const mean = countedMean(values, counts);
    return mean === undefined ? gap("DELIBERATION_UNKNOWN") : points(10 * mean);
  };
}

/** GPI of resamples: what is measured of the whole DAO (cadence, proposers, guardrails) stays; the quorum rate is drawn. */
function processOf(measures: DaoMeasures): ScoreResample {
  const { indicators } = scoreProcess(measures);
  const powers = memberColumn(measures.members, (member) => member.power);
  const isReached = ({ power, quorum }: MemberMeasures): number | undefined =>
    power === undefined || quorum === undefined ? undefined : power >= quorum ? 1 : 0;
  return (counts) => {
    const least = meaningfulQuorumOf(countedMedian(powers, counts));
    let reached = 0;
    let asked = 0;
    measures.members.forEach((member, place) => {
      const { quorum, isQuorumRejection } = member;
      const found = isReached(member);
      if (least === undefined || quorum === undefined || isQuorumRejection || quorum < least) return;
      if (found === undefined) return;
      const count = counts[place] ?? 0;
      reached += count * found;
      asked += count;
    });
    const rate = asked === 0 ? undefined : reached / asked;
    const [, ...rest] = indicators;
    const mean = processPoints([indicator(INDICATORS.gpi.quorum, rate, rate), ...rest]);
    return mean === undefined ? gap("PROCESS_UNKNOWN") : points(mean);
  };
}

/** Scores resamples of one DAO's frame; `undefined` where one has a gap. λ stays that of the frame. */
export function createResampler(measures: DaoMeasures): (counts: Counts) => Resample | undefined {
  const evidence = evidenceShare(measures.members.reduce((sum, member) => sum + member.attention, 0));
  const scorers: Readonly<Record<ComponentKey, ScoreResample>> = {
    hpr: participationOf(measures),
    dei: decentralizationOf(measures),
    pdi: deliberationOf(measures),
    gpi: processOf(measures),
  };
  return (counts) => {
    const scores = { hpr: 0, dei: 0, pdi: 0, gpi: 0 };
    for (const key of COMPONENT_KEYS) {
      const score = discountThinEvidence(scorers[key](counts), evidence);
      if (score.kind === "gap") return undefined;
      scores[key] = score.points;
    }
    const { hpr, dei, pdi, gpi } = scores;
    const gvs = scoreVitality({ hpr: points(hpr), dei: points(dei), pdi: points(pdi), gpi: points(gpi) });
    return gvs.kind === "gap" ? undefined : { gvs: gvs.points, components: scores };
  };
}
