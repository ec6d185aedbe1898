import type { DaoFacts } from "../facts/dao-facts.ts";
import { freshness } from "./components/completeness.ts";
import { measureProposal, measureVotes } from "./components/measure-proposal.ts";
import { effectiveProposers, guardrailMeasures } from "./components/process.ts";
import { activeVoters } from "./components/risk.ts";
import { createHumansWindow, type Humans } from "./coordination/humans.ts";
import { createDelegateHistory } from "./delegates/delegate-history.ts";
import { measureDelegation } from "./delegates/rank-delegates.ts";
import { type BatchVoting, createBatchCounter } from "./frame/batch-voting.ts";
import { type CountedVotes, countedVotes } from "./frame/counted-votes.ts";
import { drawElectorate } from "./frame/electorate.ts";
import type { Frame, FrameProposal } from "./frame/frame.ts";
import { createFrameWindow } from "./frame/frame-window.ts";
import { createHeadsWindow } from "./heads/heads-window.ts";
import type {
  ClockMeasures,
  DaoMeasures,
  FrameMeasures,
  MemberMeasures,
  ProposalMeasures,
  VotesMeasures,
} from "./method/measures.ts";

/** What can be said of a member within its frame only. */
export type InFrame = Pick<MemberMeasures, "heads" | "unclusteredHeads" | "concentration"> & {
  readonly batch: BatchVoting;
};

interface Known {
  readonly always: ProposalMeasures & VotesMeasures;
  member: MemberMeasures;
}

/** Whether what was said of a member in its last frame is said again. */
function isUnchanged(known: MemberMeasures, attention: number, inFrame: InFrame): boolean {
  return (
    known.attention === attention &&
    known.heads === inFrame.heads &&
    known.unclusteredHeads === inFrame.unclusteredHeads &&
    known.concentration === inFrame.concentration &&
    known.overlappingVotes === inFrame.batch.overlappingCount &&
    known.batchVotes === inFrame.batch.batchCount
  );
}

/** Measures members of one DAO in one frame after another: the same object as in the last where nothing changed. */
export function createMemberMemory() {
  const known = new Map<string, Known>();
  return {
    measure(member: FrameProposal, inFrame: InFrame): MemberMeasures {
      const { attention, proposal, votes } = member;
      const found = known.get(proposal.proposalId);
      if (found !== undefined && isUnchanged(found.member, attention, inFrame)) return found.member;
      const always = found?.always ?? {
        ...measureProposal(member, votes),
        ...measureVotes(votes),
      };
      const measures = {
        ...always,
        attention,
        heads: inFrame.heads,
        unclusteredHeads: inFrame.unclusteredHeads,
        concentration: inFrame.concentration,
        overlappingVotes: inFrame.batch.overlappingCount,
        batchVotes: inFrame.batch.batchCount,
      };
      known.set(proposal.proposalId, { always, member: measures });
      return measures;
    },
  };
}

/** One DAO as of one moment: its frame, who is who in it, and all that is measured. */
export interface MeasuredDao extends MeasuredFrame {
  readonly measures: DaoMeasures;
}

/** What of that stays as it is until a proposal ends or becomes too old. */
interface MeasuredFrame {
  readonly frame: Frame;
  readonly humans: Humans;
  /** The same object for as long as nothing of it changes. */
  readonly lasting: FrameMeasures;
}

/** Written out: for every day of a history, and spreading takes several times as long. */
function joinMeasures(lasting: FrameMeasures, clock: ClockMeasures): DaoMeasures {
  return {
    spaceId: lasting.spaceId,
    asOfMs: clock.asOfMs,
    isFetched: lasting.isFetched,
    freshness: clock.freshness,
    expectedHeads: lasting.expectedHeads,
    members: lasting.members,
    missing: lasting.missing,
    attended: lasting.attended,
    isCoordinationAssessed: lasting.isCoordinationAssessed,
    activeVoterCount: clock.activeVoterCount,
    effectiveProposers: lasting.effectiveProposers,
    guardrails: lasting.guardrails,
    delegation: clock.delegation,
    eligibleCount: lasting.eligibleCount,
    excluded: lasting.excluded,
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

/**
 * Measures one DAO as of any moment. What does not depend on the moment is computed once and kept; asked about one day
 * after another, it follows the frame and does again only what changed. `entityIdOfWallet` names the entity of a wallet
 * (lower case), opted out or not.
 */
export function createDaoMeasurer(facts: DaoFacts, entityIdOfWallet: (wallet: string) => string | undefined) {
  const electorate = drawElectorate(facts.ballots.values(), facts.entityIdOfVoter);
  const counted = new Map<string, CountedVotes>();
  const votesOf = (proposalId: string): CountedVotes | undefined => {
    const ballot = facts.ballots.get(proposalId);
    if (ballot === undefined) return undefined;
    const votes =
      counted.get(proposalId) ?? countedVotes(ballot, electorate.denseVoterOf, electorate.votersOf(ballot));
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

  const measureFrame = (frame: Frame): MeasuredFrame => {
    const humans = people.at(
      frame.members.map(({ proposal, votes }) => ({ order: orderOf.get(proposal) ?? -1, votes })),
    );
    const lasting: FrameMeasures = {
      spaceId: facts.dao.spaceId,
      isFetched: facts.lastCompleteFetchMs !== undefined,
      ...measureMembers(frame, humans.humanOfVoter),
      missing: frame.missing.map((item) => ({
        ...measureProposal(item, undefined),
        attention: item.attention,
      })),
      attended: frame.attended.map(({ endMs, attention }) => ({ endMs, attention })),
      isCoordinationAssessed: humans.coordination.isAssessed,
      effectiveProposers: effectiveProposers(
        frame.members.map(({ proposal, attention }) => ({ author: proposal.author, attention })),
        headOfAuthor,
      ),
      guardrails: guardrailMeasures(facts.space),
      eligibleCount: frame.eligibleCount,
      excluded: frame.excluded,
    };
    return { frame, humans, lasting };
  };
  let last: MeasuredFrame | undefined;

  /** `isPastDay`: a day-end of the past, whose data are as fresh as they will ever be. */
  const measureAt = (asOfMs: number, isPastDay: boolean): MeasuredDao => {
    const frame = frames.at(asOfMs);
    if (last === undefined || last.frame.excluded !== frame.excluded) last = measureFrame(frame);
    const { humans, lasting } = last;
    const clock: ClockMeasures = {
      asOfMs,
      freshness: freshnessOf(facts, asOfMs, isPastDay),
      activeVoterCount: activeVoters(frame, humans.humanOfVoter, humanHeads.activeCount),
      delegation: measureDelegation(delegates.at(asOfMs)),
    };
    return { frame, humans, lasting, measures: joinMeasures(lasting, clock) };
  };
  return { measureAt, electorate, delegates, votesOf };
}
