import type { Ballot } from "../facts/ballot.ts";
import type { DaoFacts } from "../facts/dao-facts.ts";
import { type BallotVotes, countedVotes } from "./ballot-votes.ts";
import { createBatchCounter } from "./batch-voting.ts";
import { dataCompletenessPct, freshness } from "./completeness.ts";
import { findCoordination, humanEquivalents } from "./coordination.ts";
import type { DaoScore } from "./dao-score.ts";
import { scoreDecentralization } from "./decentralization.ts";
import { createDelegateHistory, type DelegateHistory } from "./delegate-history.ts";
import { scoreDeliberation } from "./deliberation.ts";
import { entityVoteTimes, participationOfEntities } from "./entity-participation.ts";
import { drawFrame, type Frame, type FrameProposal } from "./frame.ts";
import { countHeads } from "./heads.ts";
import { METHODOLOGY } from "./methodology.ts";
import { scoreParticipation } from "./participation.ts";
import { scoreProcess } from "./process.ts";
import { scoreDelegateCentralization } from "./rank-delegates.ts";
import { scoreRisk } from "./risk.ts";
import { type GapReason, gap } from "./score-or-gap.ts";
import { discountThinEvidence, evidenceShare, scoreVitality } from "./vitality.ts";

/** Scores one DAO as of any moment. What does not depend on the moment is computed once and kept. */
export interface DaoScorer {
  /** `isPastDay`: a day-end of the past, whose data are as fresh as they will ever be. */
  scoreAt(asOfMs: number, isPastDay: boolean): DaoScore;
  readonly delegates: DelegateHistory;
}

/** Voters numbered from 0 in this DAO, and who among them is one entity. */
interface Electorate {
  readonly denseVoterOf: (voterId: number) => number;
  /** By dense voter: the smallest dense voter of its entity, or itself. */
  readonly entityHeads: Int32Array;
  readonly entityIdOfHead: ReadonlyMap<number, string>;
}

function drawElectorate(ballots: Iterable<Ballot>, entityIdOfVoter: ReadonlyMap<number, string>): Electorate {
  const dense = new Map<number, number>();
  for (const ballot of ballots) {
    for (const voter of ballot.voterIds) if (!dense.has(voter)) dense.set(voter, dense.size);
  }
  const entityHeads = Int32Array.from({ length: dense.size }, (_, index) => index);
  const headOfEntity = new Map<string, number>();
  for (const [voter, index] of dense) {
    const entityId = entityIdOfVoter.get(voter);
    if (entityId === undefined) continue;
    const head = headOfEntity.get(entityId) ?? index;
    headOfEntity.set(entityId, head);
    entityHeads[index] = head;
  }
  return {
    denseVoterOf: (voter) => dense.get(voter) ?? -1,
    entityHeads,
    entityIdOfHead: new Map([...headOfEntity].map(([entityId, head]) => [head, entityId])),
  };
}

/** Who is one human-equivalent in a frame, and whether that was looked at. */
interface Humans {
  readonly isCoordinationAssessed: boolean;
  readonly humanOfVoter: Int32Array;
}

/** The human-equivalents in the frames of one DAO; frames of neighbouring days mostly hold the same ballots. */
function createHumansMemory(entityHeads: Int32Array): (members: readonly FrameProposal[]) => Humans {
  let lastKey = "";
  let last: Humans | undefined;
  return (members) => {
    const key = JSON.stringify(members.map((member) => member.proposal.proposalId));
    if (last === undefined || key !== lastKey) {
      const coordination = findCoordination(members.map((member) => member.votes));
      last = {
        isCoordinationAssessed: coordination.isAssessed,
        humanOfVoter: humanEquivalents(entityHeads, coordination),
      };
    }
    lastKey = key;
    return last;
  };
}

/** Nothing could be looked at: every part is a gap for the same reason. */
function nothingScored(reason: GapReason): Pick<DaoScore, "components" | "gvs" | "risk"> {
  const none = gap(reason);
  return { components: { hpr: none, dei: none, pdi: none, gpi: none }, gvs: none, risk: none };
}

/** A scorer of one DAO. `entityIdOfWallet` names the entity of a wallet (lower case), opted out or not. */
export function createDaoScorer(
  facts: DaoFacts,
  entityIdOfWallet: (wallet: string) => string | undefined,
): DaoScorer {
  const electorate = drawElectorate(facts.ballots.values(), facts.entityIdOfVoter);
  const timesOfEntity = entityVoteTimes(facts.ballots.values(), facts.entityIdOfVoter);
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
  const headOfAuthor = (author: string): string => entityIdOfWallet(author) ?? author;

  const scoreAt = (asOfMs: number, isPastDay: boolean): DaoScore => {
    const frame = drawFrame({ asOfMs, proposals: facts.proposals, votesOf });
    const fetchedMs = facts.lastCompleteFetchMs;
    const fresh =
      isPastDay || facts.isArchive ? 1 : fetchedMs === undefined ? 0 : freshness(fetchedMs, asOfMs);
    const common = {
      spaceId: facts.dao.spaceId,
      asOfMs,
      confidence:
        frame.eligibleCount >= METHODOLOGY.frame.highConfidenceProposals
          ? ("high" as const)
          : ("low" as const),
      completenessPct: dataCompletenessPct(frame, fresh),
      attentionSum: frame.attentionSum,
      entities: participationOfEntities({
        frame,
        headOfVoter: electorate.entityHeads,
        entityIdOfHead: electorate.entityIdOfHead,
        timesOfEntity,
      }),
    };
    if (fetchedMs === undefined) return { ...common, ...nothingScored("NOT_FETCHED") };
    if (frame.members.length === 0) {
      const reason = frame.missing.length === 0 ? "NO_PROPOSALS" : "BALLOTS_MISSING";
      return { ...common, ...nothingScored(reason) };
    }
    return { ...common, ...scoreFrame(frame, asOfMs) };
  };

  const scoreFrame = (frame: Frame, asOfMs: number): Pick<DaoScore, "components" | "gvs" | "risk"> => {
    const { humanOfVoter, isCoordinationAssessed } = humansOf(frame.members);
    const place = new Map(frame.held.map((member, index) => [member.proposal.proposalId, index]));
    const batchOf = (member: FrameProposal) =>
      batches.count(member, frame.held.slice(0, place.get(member.proposal.proposalId) ?? 0));
    const participation = scoreParticipation({
      frame,
      humans: countHeads(frame.members, humanOfVoter),
      unclustered: countHeads(frame.members, electorate.entityHeads),
      isCoordinationAssessed,
    });
    const decentralization = scoreDecentralization(frame.members, humanOfVoter);
    const evidence = evidenceShare(frame.attentionSum);
    const components = {
      hpr: discountThinEvidence(participation.score, evidence),
      dei: discountThinEvidence(decentralization.score, evidence),
      pdi: discountThinEvidence(scoreDeliberation(frame.members, batchOf), evidence),
      gpi: discountThinEvidence(scoreProcess({ frame, space: facts.space, headOfAuthor }), evidence),
    };
    const delegateCentralization = scoreDelegateCentralization(delegates.at(asOfMs), asOfMs);
    return {
      components,
      gvs: scoreVitality(components),
      risk: scoreRisk({ frame, components, decentralization, humanOfVoter, delegateCentralization, batchOf }),
    };
  };
  return { scoreAt, delegates };
}
