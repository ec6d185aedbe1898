import type { DaoLinks } from "../../snapshots/format/evidence.ts";
import type { ProposalPlace } from "../../snapshots/format/proposal-line.ts";
import type { Proposal } from "../facts/proposal.ts";
import type { DaoMeasures, ProposalMeasures } from "./method/measures.ts";

/** The fields of a proposal that decide whether it is scored, and that name and date it; not its author's wallet. */
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

/** One known proposal: why it is in the frame or not, and everything measured on it. */
export interface ProposalEvidence {
  readonly facts: ProposalFacts;
  /** Proposals with the same number have the same voting strategies and so the same scale of power. */
  readonly unit: number;
  readonly place: ProposalPlace;
  /** S. */
  readonly power: number | undefined;
  /** `undefined` for proposals outside the frame. */
  readonly measures: ProposalMeasures | undefined;
}

/** Everything that the score of one DAO is computed from; contains no wallet. */
export interface DaoEvidence {
  readonly measures: DaoMeasures;
  /** Every known proposal by (end, id), unknown ends first. */
  readonly proposals: readonly ProposalEvidence[];
  readonly links: DaoLinks;
}

/** Numbers units from 1, by strategies, in the order of their first proposal; proposals without strategies share one. */
export function unitNumbers(
  proposals: readonly Pick<Proposal, "strategiesKey">[],
): ReadonlyMap<string | undefined, number> {
  const keys = new Set(proposals.map(({ strategiesKey }) => strategiesKey));
  return new Map([...keys].map((key, index) => [key, index + 1]));
}

/** Links to the DAO's pages. Its page on the platform is the start of the latest proposal link of the usual form. */
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

/** Combines every known proposal with its `place` (in the frame, or why not) and its measures. */
export function placeProposals<Facts extends ProposalFacts>(input: {
  readonly all: readonly Facts[];
  readonly measures: DaoMeasures;
  readonly unitOf: (proposal: Facts) => number;
  readonly powerOf: (proposal: Facts) => number | undefined;
}): readonly ProposalEvidence[] {
  const { all, measures, unitOf, powerOf } = input;
  const members = new Map(measures.proposals.map((member) => [member.proposalId, member]));
  return all.map((proposal) => ({
    facts: proposal,
    unit: unitOf(proposal),
    place: measures.excluded.get(proposal.proposalId) ?? "MEMBER",
    power: powerOf(proposal),
    measures: members.get(proposal.proposalId),
  }));
}
