import { attentionOf } from "./attention.ts";
import type { MemberMeasures } from "./measures.ts";
import { METHODOLOGY } from "./methodology.ts";
import { meanOver, medianOver } from "./weighted-statistics.ts";

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
  return meaningfulQuorumOf(medianOver(members, ({ power }) => power, attentionOf));
}

/** Rate at which meaningful quorums were reached, over all choices; a rejection quorum is a veto and no quorum. */
export function quorumRate(
  members: readonly QuorumProposal[],
  least: number | undefined = meaningfulQuorum(members),
): number | undefined {
  if (least === undefined) return undefined;
  const isReached = ({ quorum, isQuorumRejection, power }: QuorumProposal): number | undefined => {
    if (quorum === undefined || isQuorumRejection || quorum < least || power === undefined) return undefined;
    return power >= quorum ? 1 : 0;
  };
  return meanOver(members, isReached, attentionOf);
}
