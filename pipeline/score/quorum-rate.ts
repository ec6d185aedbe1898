import type { MemberMeasures } from "./measures.ts";
import { METHODOLOGY } from "./methodology.ts";
import { weightedMean, weightedMedian } from "./weighted-statistics.ts";

/** What quorums are judged by. */
export type QuorumProposal = Pick<MemberMeasures, "power" | "attention" | "quorum" | "isQuorumRejection">;

/** Power a quorum must at least ask for to mean anything, by the median S; `undefined` where no power is known. */
export function meaningfulQuorumOf(medianPower: number | undefined): number | undefined {
  return medianPower === undefined || medianPower === 0
    ? undefined
    : medianPower * METHODOLOGY.process.meaningfulQuorumShare;
}

/** The same of members of a frame. */
export function meaningfulQuorum(
  members: readonly Pick<QuorumProposal, "power" | "attention">[],
): number | undefined {
  const known = members.flatMap(({ power, attention }) =>
    power === undefined ? [] : [{ value: power, weight: attention }],
  );
  return meaningfulQuorumOf(weightedMedian(known));
}

/** Rate at which meaningful quorums were reached, over all choices; a rejection quorum is a veto and no quorum. */
export function quorumRate(members: readonly QuorumProposal[]): number | undefined {
  const least = meaningfulQuorum(members);
  if (least === undefined) return undefined;
  return weightedMean(
    members.flatMap(({ quorum, isQuorumRejection, power, attention }) => {
      if (quorum === undefined || isQuorumRejection || quorum < least || power === undefined) return [];
      return [{ value: power >= quorum ? 1 : 0, weight: attention }];
    }),
  );
}
