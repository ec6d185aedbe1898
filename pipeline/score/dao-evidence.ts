import type { DaoLinks } from "../../snapshots/format/evidence.ts";
import type { ProposalPlace } from "../../snapshots/format/proposal-line.ts";
import type { Proposal } from "../facts/proposal.ts";
import { measureProposal, measureVotes } from "./components/measure-proposal.ts";
import type { ScoredMeasures } from "./components/score-measures.ts";
import type { Coordination } from "./coordination/humans.ts";
import type { CountedVotes } from "./frame/counted-votes.ts";
import { type Frame, type FrameFacts, type FrameVotes, powerCast } from "./frame/frame.ts";
import { type Diagnostics, measureDiagnostics } from "./heads/diagnostics.ts";
import type { DaoMeasures, MemberMeasures, ProposalMeasures, VotesMeasures } from "./method/measures.ts";
import type { Chances } from "./uncertainty/uncertainty.ts";

/** What only a member of the frame is measured by. */
export type MemberOnly = Omit<MemberMeasures, keyof ProposalMeasures | keyof VotesMeasures | "attention">;

/** What of a proposal decides whether it is looked at, what it is called and when it took place. */
export type ProposalFacts = FrameFacts & Pick<Proposal, "title" | "link" | "created" | "start" | "end">;

/** One known proposal: why it is in the frame or not, and all that was measured of it. */
export interface ProposalEvidence {
  readonly facts: ProposalFacts;
  /** Proposals of one number have the same voting strategies, and so one scale of power. */
  readonly unit: number;
  /** Of the fetched ballot; `undefined` where there is none. */
  readonly held: FrameVotes | undefined;
  readonly place: ProposalPlace;
  /** S. */
  readonly power: number | undefined;
  /** ω; `undefined` where the proposal is not even looked at. */
  readonly attention: number | undefined;
  /** Of attended proposals. */
  readonly measures: ProposalMeasures | undefined;
  readonly ballot: VotesMeasures | undefined;
  readonly member: MemberOnly | undefined;
  readonly diagnostics: Diagnostics | undefined;
}

/** Likely coordinated wallets, as numbers only. */
interface ClusterCounts {
  readonly clusters: number;
  readonly wallets: number;
}

/** Everything that the score of one DAO rests on. */
export interface DaoEvidence {
  readonly measures: DaoMeasures;
  readonly scored: ScoredMeasures;
  /** Every known proposal by (end, id), unknown ends first. */
  readonly proposals: readonly ProposalEvidence[];
  readonly clusters: ClusterCounts;
  readonly links: DaoLinks;
  /** Drawn with the score, so that whoever compares DAOs need not; absent where nobody drew them. */
  readonly chances?: Chances | undefined;
}

/** Numbers units in the order in which they first appear; all proposals without strategies are of one. */
export function unitNumbers(): (strategiesKey: string | undefined) => number {
  const numbers = new Map<string, number>();
  return (strategiesKey) => {
    const unit = strategiesKey ?? "";
    const number = numbers.get(unit) ?? numbers.size + 1;
    numbers.set(unit, number);
    return number;
  };
}

/** How many clusters the links make, and how many wallets are in them. */
export function countClusters({ links }: Coordination, humanOfVoter: Int32Array): ClusterCounts {
  const clusters = new Set(links.map(([voter]) => humanOfVoter[voter] ?? voter));
  return { clusters: clusters.size, wallets: humanOfVoter.filter((human) => clusters.has(human)).length };
}

/** Why each proposal stands where it does, by id. */
export function placesOf(frame: Frame<FrameFacts, FrameVotes>): ReadonlyMap<string, ProposalPlace> {
  return new Map([
    ...frame.members.map(({ proposal }) => [proposal.proposalId, "MEMBER"] as const),
    ...frame.excluded.map(({ proposalId, reason }) => [proposalId, reason] as const),
  ]);
}

/** ω by proposal id: 0 where it was looked at and ignored, absent where it was not looked at. */
export function attentionsOf(frame: Frame<FrameFacts, FrameVotes>): ReadonlyMap<string, number> {
  return new Map([
    ...frame.excluded
      .filter(({ reason }) => reason === "IGNORED")
      .map((each) => [each.proposalId, 0] as const),
    ...frame.attended.map(({ proposal, attention }) => [proposal.proposalId, attention] as const),
  ]);
}

function memberOnly(member: MemberMeasures): MemberOnly {
  const { heads, unclusteredHeads, concentration, overlappingVotes, batchVotes } = member;
  return { heads, unclusteredHeads, concentration, overlappingVotes, batchVotes };
}

// Copied out: evidence outlives the votes it was made of, and goes from one thread to another.

function factsOf(proposal: Proposal): ProposalFacts {
  const { proposalId, title, link, isDeleted, isFlagged, state, scoresState, created, start, end } = proposal;
  const { strategiesKey, scoresTotal, votesCount } = proposal;
  return {
    proposalId,
    title,
    link,
    isDeleted,
    isFlagged,
    state,
    scoresState,
    created,
    start,
    end,
    strategiesKey,
    scoresTotal,
    votesCount,
  };
}

function heldOf({ fetchedCount, countedCount, fetchedPower }: FrameVotes): FrameVotes {
  return { fetchedCount, countedCount, fetchedPower };
}

/** The DAO's own pages. The platform's is what the link of a proposal, the latest that has one, says before the proposal. */
export function linksOf(
  space: Pick<DaoLinks, "website" | "forum"> | undefined,
  proposals: readonly Pick<Proposal, "link" | "proposalId">[],
): DaoLinks {
  const platforms = proposals.flatMap(({ link, proposalId }) => {
    const end = `/proposal/${proposalId}`;
    return link?.endsWith(end) ? [link.slice(0, -end.length)] : [];
  });
  const links = { website: space?.website, forum: space?.forum, platform: platforms.at(-1) };
  return Object.fromEntries(Object.entries(links).filter(([, link]) => link !== undefined));
}

/** Every known proposal with what was measured of it. */
export function collectProposals(input: {
  readonly proposals: readonly Proposal[];
  readonly frame: Frame;
  readonly members: readonly MemberMeasures[];
  readonly humanOfVoter: Int32Array;
  readonly votesOf: (proposalId: string) => CountedVotes | undefined;
}): readonly ProposalEvidence[] {
  const { proposals, frame, humanOfVoter, votesOf } = input;
  const members = new Map(input.members.map((member) => [member.proposalId, member]));
  const attended = new Map(frame.attended.map((item) => [item.proposal.proposalId, item]));
  const places = placesOf(frame);
  const attentions = attentionsOf(frame);
  const unitOf = unitNumbers();
  return proposals.map((proposal) => {
    const { proposalId } = proposal;
    const votes = votesOf(proposalId);
    const item = attended.get(proposalId);
    const member = members.get(proposalId);
    return {
      facts: factsOf(proposal),
      unit: unitOf(proposal.strategiesKey),
      held: votes && heldOf(votes),
      place: places.get(proposalId) ?? "END_UNKNOWN",
      power: powerCast(proposal, votes),
      attention: attentions.get(proposalId),
      measures: item && measureProposal(item, votes),
      ballot: item && votes && measureVotes(votes),
      member: member && memberOnly(member),
      diagnostics: member && votes && measureDiagnostics(votes, humanOfVoter),
    };
  });
}
