import type { DaoFacts } from "../facts/dao-facts.ts";
import { type BallotVotes, countedVotes } from "./ballot-votes.ts";
import { type BatchVoting, createBatchCounter } from "./batch-voting.ts";
import { freshness } from "./completeness.ts";
import { type Coordination, findCoordination, humanEquivalents } from "./coordination.ts";
import { concentrationOf } from "./decentralization.ts";
import { createDelegateHistory, type DelegateHistory } from "./delegate-history.ts";
import { drawElectorate, type Electorate } from "./electorate.ts";
import { drawFrame, type Frame, type FrameProposal } from "./frame.ts";
import { countHeads } from "./heads.ts";
import { measureBallot, measureProposal } from "./measure-proposal.ts";
import type { DaoMeasures } from "./measures.ts";
import { expectedHeads } from "./participation.ts";
import { authorNumbers, guardrailMeasures } from "./process.ts";
import { measureDelegation } from "./rank-delegates.ts";
import { activeVoters } from "./risk.ts";

/** Who is one human-equivalent in a frame, and what was looked at to say so. */
export interface Humans {
  readonly coordination: Coordination;
  readonly humanOfVoter: Int32Array;
}

/** One DAO as of one moment: its frame, who is who in it, and all that is measured. */
export interface MeasuredDao {
  readonly frame: Frame;
  readonly humans: Humans;
  readonly measures: DaoMeasures;
}

/** Measures one DAO as of any moment. What does not depend on the moment is computed once and kept. */
export interface DaoMeasurer {
  /** `isPastDay`: a day-end of the past, whose data are as fresh as they will ever be. */
  measureAt(asOfMs: number, isPastDay: boolean): MeasuredDao;
  readonly electorate: Electorate;
  readonly delegates: DelegateHistory;
  /** The author of a proposal (entities merged) as a number within the DAO. */
  readonly proposerOf: (author: string | undefined) => number | undefined;
  readonly votesOf: (proposalId: string) => BallotVotes | undefined;
}

/** The human-equivalents in the frames of one DAO; frames of neighbouring days mostly hold the same ballots. */
function createHumansMemory(entityHeads: Int32Array): (members: readonly FrameProposal[]) => Humans {
  let lastKey = "";
  let last: Humans | undefined;
  return (members) => {
    const key = JSON.stringify(members.map((member) => member.proposal.proposalId));
    if (last === undefined || key !== lastKey) {
      const coordination = findCoordination(members.map((member) => member.votes));
      last = { coordination, humanOfVoter: humanEquivalents(entityHeads, coordination) };
    }
    lastKey = key;
    return last;
  };
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

/** Numbers the proposers of a DAO by (end, id) of their first proposal, so that another day changes no number. */
function numberProposers(
  facts: DaoFacts,
  entityIdOfWallet: (wallet: string) => string | undefined,
): (author: string | undefined) => number | undefined {
  const numberOf = authorNumbers((author) => entityIdOfWallet(author) ?? author);
  for (const { author, end } of facts.proposals) if (end !== undefined) numberOf(author);
  return numberOf;
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
  const humansOf = createHumansMemory(electorate.entityHeads);
  const batches = createBatchCounter();
  const delegates = createDelegateHistory(facts);
  const proposerOf = numberProposers(facts, entityIdOfWallet);

  const measureMembers = (
    frame: Frame,
    humanOfVoter: Int32Array,
  ): Pick<DaoMeasures, "members" | "expectedHeads"> => {
    const place = new Map(frame.held.map((member, index) => [member.proposal.proposalId, index]));
    const batchOf = (member: FrameProposal): BatchVoting =>
      batches.count(member, frame.held.slice(0, place.get(member.proposal.proposalId) ?? 0));
    const humans = countHeads(frame.members, humanOfVoter);
    const unclustered = countHeads(frame.members, electorate.entityHeads);
    const members = frame.members.map((member, index) => {
      const { overlappingCount, batchCount } = batchOf(member);
      return {
        ...measureProposal(member, member.votes, proposerOf),
        ...measureBallot(member.votes),
        attention: member.attention,
        heads: humans.perProposal[index] ?? 0,
        unclusteredHeads: unclustered.perProposal[index] ?? 0,
        concentration: concentrationOf(member.votes, humanOfVoter),
        overlappingVotes: overlappingCount,
        batchVotes: batchCount,
      };
    });
    return { members, expectedHeads: expectedHeads(humans) };
  };

  const measureAt = (asOfMs: number, isPastDay: boolean): MeasuredDao => {
    const frame = drawFrame({ asOfMs, proposals: facts.proposals, votesOf });
    const humans = humansOf(frame.members);
    const measures: DaoMeasures = {
      spaceId: facts.dao.spaceId,
      asOfMs,
      isFetched: facts.lastCompleteFetchMs !== undefined,
      freshness: freshnessOf(facts, asOfMs, isPastDay),
      ...measureMembers(frame, humans.humanOfVoter),
      missing: frame.missing.map((item) => ({
        ...measureProposal(item, undefined, proposerOf),
        attention: item.attention,
      })),
      attended: frame.attended.map(({ endMs, attention }) => ({ endMs, attention })),
      isCoordinationAssessed: humans.coordination.isAssessed,
      activeVoterCount: activeVoters(frame, humans.humanOfVoter),
      guardrails: guardrailMeasures(facts.space),
      delegation: measureDelegation(delegates.at(asOfMs)),
      eligibleCount: frame.eligibleCount,
      excluded: frame.excluded,
    };
    return { frame, humans, measures };
  };
  return { measureAt, electorate, delegates, proposerOf, votesOf };
}
