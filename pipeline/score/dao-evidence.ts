import type { DaoLinks } from "../../snapshots/format/evidence.ts";
import type { ProposalPlace } from "../../snapshots/format/proposal-line.ts";
import type { Proposal } from "../facts/proposal.ts";
import type { DaoMeasures, ProposalMeasures } from "./method/measures.ts";

/** What of a proposal decides whether it is looked at, what it is called and when it took place. */
export type ProposalFacts = Pick<
  Proposal,
  | "proposalId"
  | "title"
  | "link"
  | "isDeleted"
  | "isFlagged"
  | "state"
  | "scoresState"
  | "created"
  | "start"
  | "end"
  | "scoresTotal"
  | "votesCount"
>;

/** One known proposal: why it is in the frame or not, and all that was measured of it. */
export interface ProposalEvidence {
  readonly facts: ProposalFacts;
  /** Proposals of one number have the same voting strategies, and so one scale of power. */
  readonly unit: number;
  readonly place: ProposalPlace;
  /** S. */
  readonly power: number | undefined;
  /** Of the frame's proposals. */
  readonly measures: ProposalMeasures | undefined;
}

/** Everything that the score of one DAO rests on, without a wallet. */
export interface DaoEvidence {
  readonly measures: DaoMeasures;
  /** Every known proposal by (end, id), unknown ends first. */
  readonly proposals: readonly ProposalEvidence[];
  readonly links: DaoLinks;
}

/** Numbers units in the order in which they first appear, by strategies; all proposals without any are of one. */
export function unitNumbers(
  proposals: readonly Pick<Proposal, "strategiesKey">[],
): ReadonlyMap<string | undefined, number> {
  const keys = new Set(proposals.map(({ strategiesKey }) => strategiesKey));
  return new Map([...keys].map((key, at) => [key, at + 1]));
}

// Copied out: evidence outlives the votes it was made of, and goes from one thread to another.
function factsOf(proposal: ProposalFacts): ProposalFacts {
  const { proposalId, title, link, isDeleted, isFlagged, state, scoresState, created, start, end } = proposal;
  const { scoresTotal, votesCount } = proposal;
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
    scoresTotal,
    votesCount,
  };
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

/** Every known proposal with its place and what was measured of it. */
export function placeProposals<Facts extends ProposalFacts>(input: {
  readonly all: readonly Facts[];
  readonly measures: DaoMeasures;
  readonly unitOf: (proposal: Facts) => number;
  readonly powerOf: (proposal: Facts) => number | undefined;
}): readonly ProposalEvidence[] {
  const { all, measures, unitOf, powerOf } = input;
  const members = new Map(measures.proposals.map((member) => [member.proposalId, member]));
  const reasons = new Map(measures.excluded.map(({ proposalId, reason }) => [proposalId, reason]));
  return all.map((proposal) => ({
    facts: factsOf(proposal),
    unit: unitOf(proposal),
    place: reasons.get(proposal.proposalId) ?? "MEMBER",
    power: powerOf(proposal),
    measures: members.get(proposal.proposalId),
  }));
}
