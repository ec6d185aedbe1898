import type { Proposal } from "../facts/proposal.ts";
import type { ProposalVotes } from "../facts/proposal-votes.ts";
import { createAlikeFinder } from "./alike/find-alike.ts";
import { type BallotPower, createBallotMerger } from "./alike/merge-ballot.ts";
import { collectVoterVotes, type VoterVotes } from "./alike/voter-votes.ts";
import { fetchedShareOf, fieldsShareOf } from "./components/completeness.ts";
import { decentralizationMarks, gini, majorityVoters, whaleShare } from "./components/decentralization.ts";
import { castMarks, proposalMarks } from "./components/deliberation.ts";
import { breadthOf, createLoyaltyMeasurer, type Loyalty } from "./components/participation.ts";
import { quorumMark } from "./components/process.ts";
import { type Ballot, type Electorate, readBallot } from "./frame/ballot.ts";
import type { FrameProposal } from "./frame/frame.ts";
import { between, type Mark } from "./method/marks.ts";
import type { Concentration, ProposalMeasures } from "./method/measures.ts";

/** A proposal of the frame with its ballot, if one was fetched. */
interface Member {
  readonly item: FrameProposal;
  readonly measured: MeasuredBallot | undefined;
}

/** Measures of a ballot with power that depend on the other ballots of the frame. */
interface InFrame {
  readonly merged: PowerMarks;
  readonly mergedTopShare: number;
  readonly loyalty: Loyalty;
}

/** The interval between the mark of the unmerged shares and the mark of the merged shares. */
function pair(plain: PowerMarks, merged: PowerMarks, key: keyof PowerMarks): Mark {
  return between(plain[key], merged[key]);
}

/** Measures that depend neither on other proposals nor on power. */
function measureProposal(proposal: Proposal, ballot: Ballot | undefined) {
  return {
    marks: proposalMarks(proposal),
    fetchedShare: fetchedShareOf(proposal, ballot),
    fieldsShare: fieldsShareOf(proposal),
  };
}

/** All ballots with power that later frames may contain, and what is reused from frame to frame. */
interface FrameBallots {
  readonly fromMs: number;
  readonly votes: VoterVotes;
  readonly indexOf: ReadonlyMap<Ballot, number>;
  readonly findAlike: ReturnType<typeof createAlikeFinder>;
  readonly measureLoyalty: ReturnType<typeof createLoyaltyMeasurer>;
}

/**
 * Measures the proposals of consecutive frames. `ballotOf` returns what depends on one ballot alone; this adds what
 * depends on the others: who votes alike, who votes again, what power is usual. `all` holds every proposal that may be
 * in a frame, by (end, id).
 */
export function createFrameMeasurer(
  electorate: Electorate,
  all: readonly Proposal[],
  ballotOf: (proposal: Proposal) => MeasuredBallot | undefined,
  unitOf: (proposal: Proposal) => number,
) {
  /** Measures of a proposal alone, computed when it first enters a frame. */
  const ownFacts = new Map<Proposal, ReturnType<typeof measureProposal>>();
  const factsOf = (proposal: Proposal, ballot: Ballot | undefined) => {
    const facts = ownFacts.get(proposal) ?? measureProposal(proposal, ballot);
    ownFacts.set(proposal, facts);
    return facts;
  };
  const isLabelled = (voter: number): boolean => electorate.entityOfVoter.has(voter);

  let known: FrameBallots | undefined;
  const ballotsFrom = (fromMs: number): FrameBallots => {
    if (known !== undefined && known.fromMs <= fromMs) return known;
    const ballots = all.flatMap((proposal) => {
      const measured = (proposal.end?.atMs ?? 0) < fromMs ? undefined : ballotOf(proposal);
      return measured?.power === undefined ? [] : [measured.ballot];
    });
    const votes = collectVoterVotes(ballots, electorate.voterOfWallet.length);
    const indexOf = new Map(ballots.map((ballot, index) => [ballot, index]));
    const findAlike = createAlikeFinder(votes, isLabelled);
    known = { fromMs, votes, indexOf, findAlike, measureLoyalty: createLoyaltyMeasurer(votes) };
    return known;
  };

  const measureTogether = (members: readonly Member[]): ReadonlyMap<FrameProposal, InFrame> => {
    const { votes, indexOf, findAlike, measureLoyalty } = ballotsFrom(members[0]?.item.endMs ?? Infinity);
    const attentions = new Float64Array(votes.ballots.length);
    const powered = members.flatMap(({ item, measured }) => {
      if (measured?.power === undefined) return [];
      const { ballot, power } = measured;
      const index = indexOf.get(ballot) ?? 0;
      attentions[index] = item.attention;
      return [{ item, ballot, power, index }];
    });
    const alike = findAlike(attentions);
    const merge = alike === undefined ? (ballot: Ballot): BallotPower => ballot : createBallotMerger(alike);
    const merged = powered.map(({ item, ballot, power, index }) => {
      const joint = merge(ballot);
      return { item, ballot, power, index, attention: item.attention, merged: joint };
    });
    const loyalties = measureLoyalty(merged);
    return new Map(
      merged.map(({ item, ballot, power, merged: joint }, at) => [
        item,
        {
          merged: joint === ballot ? power : powerMarks(joint),
          mergedTopShare: joint.ascending.at(-1) ?? 0,
          loyalty: loyalties[at] ?? { attention: 0, mark: undefined },
        },
      ]),
    );
  };

  const measure = ({ item, measured }: Member, inFrame: InFrame | undefined): ProposalMeasures => {
    const { proposal, endMs, power, attention } = item;
    const plain = measured?.power;
    const own = factsOf(proposal, measured?.ballot);
    const of = (key: keyof PowerMarks): Mark | undefined =>
      plain === undefined || inFrame === undefined ? undefined : pair(plain, inFrame.merged, key);
    const concentration: Concentration | undefined =
      measured?.concentration === undefined || inFrame === undefined
        ? undefined
        : { ...measured.concentration, mergedTopShare: inFrame.mergedTopShare };
    return {
      proposalId: proposal.proposalId,
      endMs,
      unit: unitOf(proposal),
      power,
      attention,
      votes: measured?.ballot.fetchedCount ?? 0,
      marks: {
        breadth: of("breadth"),
        loyalty: inFrame?.loyalty.mark,
        effective: of("effective"),
        majority: of("majority"),
        top: of("top"),
        ...own.marks,
        contested: measured?.cast?.contested,
        rationale: measured?.cast?.rationale,
        not_batch: measured?.cast?.not_batch,
        quorum: quorumMark(proposal, item),
      },
      loyaltyAttention: inFrame?.loyalty.attention ?? 0,
      concentration,
      quorum: proposal.quorum,
      fetchedShare: own.fetchedShare,
      fieldsShare: own.fieldsShare,
    };
  };

  return (items: readonly FrameProposal[]): readonly ProposalMeasures[] => {
    const members = items.map((item) => ({ item, measured: ballotOf(item.proposal) }));
    const together = measureTogether(members);
    return members.map((member) => measure(member, together.get(member.item)));
  };
}

/** The marks of a distribution of power, before or after voters are merged. */
export type PowerMarks = Readonly<Record<"breadth" | "effective" | "majority" | "top", number>>;

/** Measures of one fetched ballot that do not depend on the frame. */
export interface MeasuredBallot {
  readonly ballot: Ballot;
  /** This and the following are `undefined` if no power is known. */
  readonly power: PowerMarks | undefined;
  readonly cast: ReturnType<typeof castMarks> | undefined;
  readonly concentration: Omit<Concentration, "mergedTopShare"> | undefined;
}

/** Computes the marks of one distribution of power. */
export function powerMarks(power: BallotPower): PowerMarks {
  return { breadth: breadthOf(power), ...decentralizationMarks(power) };
}

/** Measures a fetched ballot; `batch` holds a value of `BATCH` per row. */
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
