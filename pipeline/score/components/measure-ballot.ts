import type { Proposal } from "../../facts/proposal.ts";
import type { ProposalVotes } from "../../facts/proposal-votes.ts";
import type { BallotPower } from "../alike/merge-ballot.ts";
import { type Ballot, readBallot } from "../frame/ballot.ts";
import type { Electorate } from "../frame/electorate.ts";
import type { Concentration } from "../method/measures.ts";
import { decentralizationMarks, gini, majorityVoters, whaleShare } from "./decentralization.ts";
import { castMarks } from "./deliberation.ts";
import { breadthOf } from "./participation.ts";

/** The marks that the distribution of power earns, before or after wallets are merged. */
export type PowerMarks = Readonly<Record<"breadth" | "effective" | "majority" | "top", number>>;

/** What one fetched ballot says whatever the frame: measured once. */
export interface MeasuredBallot {
  readonly ballot: Ballot;
  /** The rest is `undefined` where no power is known. */
  readonly power: PowerMarks | undefined;
  readonly cast: ReturnType<typeof castMarks> | undefined;
  readonly concentration: Omit<Concentration, "mergedTopShare"> | undefined;
}

/** Marks of one distribution of power. */
export function powerMarks(power: BallotPower): PowerMarks {
  return { breadth: breadthOf(power), ...decentralizationMarks(power) };
}

/** Measures a fetched ballot; `batch` by row. */
export function measureBallot(
  proposal: Proposal,
  votes: ProposalVotes,
  electorate: Electorate,
  batch: Uint8Array,
): MeasuredBallot {
  const read = readBallot(votes, electorate);
  const { ballot } = read;
  if (ballot.voters.length === 0)
    return { ballot, power: undefined, cast: undefined, concentration: undefined };
  const { ascending } = ballot;
  return {
    ballot,
    power: powerMarks(ballot),
    cast: castMarks(proposal, votes, read, batch),
    concentration: {
      topShare: ascending.at(-1) ?? 0,
      whaleShare: whaleShare(ascending),
      majorityVoters: majorityVoters(ascending),
      gini: gini(ascending),
    },
  };
}
