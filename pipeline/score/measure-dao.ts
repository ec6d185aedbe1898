import type { DaoFacts } from "../facts/dao-facts.ts";
import { type BallotVotes, countedVotes } from "./ballot-votes.ts";
import { createBatchCounter } from "./batch-voting.ts";
import { freshness } from "./completeness.ts";
import { createDelegateHistory, type DelegateHistory } from "./delegate-history.ts";
import { drawElectorate, type Electorate } from "./electorate.ts";
import type { Frame } from "./frame.ts";
import { createFrameWindow } from "./frame-window.ts";
import { guardrailMeasures } from "./guardrails.ts";
import { createHeadsWindow } from "./heads-window.ts";
import { createHumansWindow, type Humans } from "./humans-window.ts";
import { measureProposal } from "./measure-proposal.ts";
import type { DaoMeasures } from "./measures.ts";
import { createMemberMemory } from "./member-memory.ts";
import { effectiveProposers } from "./proposers.ts";
import { measureDelegation } from "./rank-delegates.ts";
import { activeVoters } from "./risk.ts";

/** One DAO as of one moment: its frame, who is who in it, and all that is measured. */
export interface MeasuredDao {
  readonly frame: Frame;
  readonly humans: Humans;
  readonly measures: DaoMeasures;
}

/**
 * Measures one DAO as of any moment. What does not depend on the moment is computed once and kept; asked about one day
 * after another, it follows the frame and does again only what changed.
 */
export interface DaoMeasurer {
  /** `isPastDay`: a day-end of the past, whose data are as fresh as they will ever be. */
  measureAt(asOfMs: number, isPastDay: boolean): MeasuredDao;
  readonly electorate: Electorate;
  readonly delegates: DelegateHistory;
  readonly votesOf: (proposalId: string) => BallotVotes | undefined;
}

/** 1 for archives and past day-ends, 0 where nothing was ever fetched whole. */
function freshnessOf(
  { isArchive, lastCompleteFetchMs }: DaoFacts,
  asOfMs: number,
  isPastDay: boolean,
): number {
  if (isPastDay || isArchive) return 1;
  return lastCompleteFetchMs === undefined ? 0 : freshness(lastCompleteFetchMs, asOfMs);
}

/** A measurer of one DAO. `entityIdOfWallet` names the entity of a wallet (lower case), opted out or not. */
export function createDaoMeasurer(
  facts: DaoFacts,
  entityIdOfWallet: (wallet: string) => string | undefined,
): DaoMeasurer {
  const electorate = drawElectorate(facts.ballots.values(), facts.entityIdOfVoter);
  const counted = new Map<string, BallotVotes>();
  const votesOf = (proposalId: string): BallotVotes | undefined => {
    const ballot = facts.ballots.get(proposalId);
    if (ballot === undefined) return undefined;
    const votes = counted.get(proposalId) ?? countedVotes(ballot, electorate.denseVoterOf);
    counted.set(proposalId, votes);
    return votes;
  };
  const { entityHeads } = electorate;
  const frames = createFrameWindow(facts.proposals, votesOf);
  const orderOf = new Map(facts.proposals.map((proposal, order) => [proposal, order]));
  const people = createHumansWindow(entityHeads);
  const humanHeads = createHeadsWindow(entityHeads.length);
  const entitiesOnly = createHeadsWindow(entityHeads.length);
  const batches = createBatchCounter();
  const delegates = createDelegateHistory(facts);
  const memory = createMemberMemory();
  const headOfAuthor = (author: string): string => entityIdOfWallet(author) ?? author;

  const measureMembers = (
    { members, held }: Frame,
    humanOfVoter: Int32Array,
  ): Pick<DaoMeasures, "members" | "expectedHeads"> => {
    const humans = humanHeads.count(members, humanOfVoter);
    const isClustered = humanOfVoter !== entityHeads;
    const unclustered = isClustered ? entitiesOnly.count(members, entityHeads) : humans;
    const firstMember = held.length - members.length;
    return {
      expectedHeads: humans.expected,
      members: members.map((member, index) =>
        memory.measure(member, {
          heads: humans.perProposal[index] ?? 0,
          unclusteredHeads: unclustered.perProposal[index] ?? 0,
          concentration: humans.concentrations[index],
          batch: batches.count(member, held, firstMember + index),
        }),
      ),
    };
  };

  const measureAt = (asOfMs: number, isPastDay: boolean): MeasuredDao => {
    const frame = frames.at(asOfMs);
    const humans = people.at(
      frame.members.map(({ proposal, votes }) => ({ order: orderOf.get(proposal) ?? -1, votes })),
    );
    const measures: DaoMeasures = {
      spaceId: facts.dao.spaceId,
      asOfMs,
      isFetched: facts.lastCompleteFetchMs !== undefined,
      freshness: freshnessOf(facts, asOfMs, isPastDay),
      ...measureMembers(frame, humans.humanOfVoter),
      missing: frame.missing.map((item) => ({
        ...measureProposal(item, undefined),
        attention: item.attention,
      })),
      attended: frame.attended.map(({ endMs, attention }) => ({ endMs, attention })),
      isCoordinationAssessed: humans.coordination.isAssessed,
      activeVoterCount: activeVoters(frame, humans.humanOfVoter, humanHeads.activeCount),
      effectiveProposers: effectiveProposers(
        frame.members.map(({ proposal, attention }) => ({ author: proposal.author, attention })),
        headOfAuthor,
      ),
      guardrails: guardrailMeasures(facts.space),
      delegation: measureDelegation(delegates.at(asOfMs)),
      eligibleCount: frame.eligibleCount,
      excluded: frame.excluded,
    };
    return { frame, humans, measures };
  };
  return { measureAt, electorate, delegates, votesOf };
}
