import { DAY_MS } from "../../snapshots/base/days.ts";
import type { DaoFacts } from "../facts/dao-facts.ts";
import { dayStartMs } from "../facts/days.ts";
import type { Proposal } from "../facts/proposal.ts";
import { votesShareOf } from "./components/completeness.ts";
import { entityVoteTimes, participationOfEntities } from "./components/entities.ts";
import { guardrailMeasures, weighAuthors } from "./components/process.ts";
import { type DaoEvidence, linksOf, placeProposals, unitNumbers } from "./dao-evidence.ts";
import { createDelegateHistory } from "./delegates/delegate-history.ts";
import { measureDelegation } from "./delegates/rank-delegates.ts";
import { type Ballot, createElectorate, fetchedPowerOf, isValid } from "./frame/ballot.ts";
import { findBatchVotes } from "./frame/batch-voting.ts";
import { createContinuity } from "./frame/continuity.ts";
import { createFrameWindow, type FrameProposal, powerCast, unitKeyOf } from "./frame/frame.ts";
import { createFrameMeasurer, measureAlone } from "./measure-frame.ts";
import { type DaoMeasures, ineligibleBecause, weightAt } from "./method/measures.ts";
import { METHODOLOGY } from "./method/methodology.ts";

/** Measures one DAO as of any moment. Whatever does not depend on the moment is computed once. */
export type DaoMeasurer = ReturnType<typeof createDaoMeasurer>;

/** Remembers the result of `find` for each key. */
function memoize<Key extends object, Found>(find: (key: Key) => Found): (key: Key) => Found {
  const known = new WeakMap<Key, { readonly found: Found }>();
  return (key) => {
    const item = known.get(key) ?? { found: find(key) };
    known.set(key, item);
    return item.found;
  };
}

/**
 * When the DAO was last fetched completely. The time at which an archive was read says nothing about its data, so an
 * archive counts as fetched at the end of the last day on which an eligible proposal with a valid vote ended.
 */
function fetchedAtMs({ isArchive, lastCompleteFetchMs, proposals, ballots }: DaoFacts): number | undefined {
  if (!isArchive || lastCompleteFetchMs === undefined) return lastCompleteFetchMs;
  const last = proposals.findLast((proposal) => {
    const votes = ballots.get(proposal.proposalId);
    if (votes === undefined || ineligibleBecause(proposal, Infinity) !== undefined) return false;
    return votes.flags.some((_, row) => isValid(votes, row));
  });
  return last?.end === undefined ? undefined : dayStartMs(last.end.atMs) + DAY_MS - 1;
}

/** Counts the voters that hold at least a millionth of any of the ballots; a later call only processes the difference. */
function createActiveCounter(votersCount: number): (ballots: ReadonlySet<Ballot>) => number {
  const ballotsOf = new Int32Array(votersCount);
  let counted: ReadonlySet<Ballot> = new Set();
  let count = 0;
  const add = ({ voters, shares }: Ballot, step: 1 | -1): void => {
    for (let index = 0; index < voters.length; index += 1) {
      if ((shares[index] as number) < METHODOLOGY.risk.activeShare) continue;
      const voter = voters[index] as number;
      const before = ballotsOf[voter] as number;
      ballotsOf[voter] = before + step;
      if (before === 0 || before + step === 0) count += step;
    }
  };
  return (ballots) => {
    for (const ballot of counted) if (!ballots.has(ballot)) add(ballot, -1);
    for (const ballot of ballots) if (!counted.has(ballot)) add(ballot, 1);
    counted = ballots;
    return count;
  };
}

/** Creates the measurer of one DAO. `entityIdOfWallet` returns the entity of a lower-case wallet, opted out or not. */
export function createDaoMeasurer(facts: DaoFacts, entityIdOfWallet: (wallet: string) => string | undefined) {
  const electorate = createElectorate(facts.ballots.values(), facts.entityIdOfVoter);
  const ended = facts.proposals.flatMap((proposal) => {
    const votes = facts.ballots.get(proposal.proposalId);
    const isEligible = ineligibleBecause(proposal, Infinity) === undefined;
    return votes === undefined || !isEligible ? [] : [{ proposal, endMs: proposal.end?.atMs ?? 0, votes }];
  });
  const batches = findBatchVotes(ended, electorate);
  const ownOf = memoize((proposal: Proposal) => {
    const votes = facts.ballots.get(proposal.proposalId);
    const batch = batches.get(proposal.proposalId);
    const isFetched = votes !== undefined && batch !== undefined;
    return measureAlone(proposal, isFetched ? { votes, batch } : undefined, electorate);
  });
  const powerOf = memoize((proposal: Proposal) => {
    const votes = facts.ballots.get(proposal.proposalId);
    const isNeeded = votes !== undefined && proposal.scoresTotal === undefined;
    return powerCast(proposal, isNeeded ? fetchedPowerOf(votes) : undefined, votes !== undefined);
  });
  const units = unitNumbers(facts.proposals);
  const unitOf = ({ strategiesKey }: Pick<Proposal, "strategiesKey">): number =>
    units.get(strategiesKey) ?? 0;
  const votedOn = ended.map(({ proposal }) => proposal);
  const continuitiesOf = createContinuity(
    votedOn,
    (proposal) => ownOf(proposal).powered?.ballot,
    electorate.voterOfWallet.length,
  );
  const frameAt = createFrameWindow(facts.proposals, powerOf, continuitiesOf);
  const measureMembers = memoize(createFrameMeasurer(electorate, votedOn, ownOf, unitOf));
  const delegates = createDelegateHistory(facts);
  const ownerOf = (author: string): string => entityIdOfWallet(author) ?? author;
  const seenAtMs = fetchedAtMs(facts);
  const guardrails = guardrailMeasures(facts.space);
  const voterOfEntity = new Map([...electorate.entityOfVoter].map(([voter, entityId]) => [entityId, voter]));
  const timesOfEntity = entityVoteTimes(facts.ballots.values(), facts.entityIdOfVoter);

  const countActive = createActiveCounter(electorate.voterOfWallet.length);
  const activeVotersAt = (members: readonly FrameProposal[], asOfMs: number): number | undefined => {
    const fromMs = asOfMs - METHODOLOGY.risk.activityDays * DAY_MS;
    const recent = members.filter(({ endMs }) => endMs > fromMs);
    const ballots = recent.flatMap(({ proposal }) => ownOf(proposal).powered?.ballot ?? []);
    return recent.length > 0 && ballots.length === 0 ? undefined : countActive(new Set(ballots));
  };

  /** Consecutive moments are cheap: only what changed since the last call is computed again. */
  const measureAt = (asOfMs: number): DaoMeasures => {
    const frame = frameAt(asOfMs);
    return {
      spaceId: facts.dao.spaceId,
      asOfMs,
      fetchedAtMs: seenAtMs,
      proposals: measureMembers(frame.members),
      authors: weighAuthors(frame.members, ownerOf, asOfMs),
      guardrails,
      delegation: measureDelegation(delegates.at(asOfMs)),
      activeVoterCount: activeVotersAt(frame.members, asOfMs),
      eligibleCount: frame.eligibleCount,
      excluded: frame.excluded,
      continuities: [...units].flatMap(([key, unit]) => {
        const continuity = frame.continuities.get(unitKeyOf({ strategiesKey: key }));
        return continuity === undefined ? [] : [{ unit, continuity }];
      }),
    };
  };

  /** Entities that cast a valid vote, even one of unknown power. */
  const entitiesOn = (proposal: Proposal): ReadonlySet<string> => {
    const votes = facts.ballots.get(proposal.proposalId);
    const authors = new Set<string>();
    if (facts.entityIdOfVoter.size === 0) return authors;
    votes?.voterIds.forEach((voterId, row) => {
      const entityId = facts.entityIdOfVoter.get(voterId);
      if (entityId !== undefined && isValid(votes, row)) authors.add(entityId);
    });
    return authors;
  };
  const entitiesAt = (asOfMs: number) => {
    const ballots = frameAt(asOfMs).members.map((item) => {
      const { fetchedShare, votes, powered } = ownOf(item.proposal);
      return {
        weight: weightAt(item, asOfMs),
        fetchedShare,
        votesShare: votesShareOf(item.proposal, votes),
        entityIds: entitiesOn(item.proposal),
        ballot: powered?.ballot,
      };
    });
    return participationOfEntities({ ballots, voterOfEntity, timesOfEntity, asOfMs });
  };

  /** The measures together with every known proposal, in the frame or not. */
  const evidenceAt = (asOfMs: number): DaoEvidence => {
    const measures = measureAt(asOfMs);
    return {
      measures,
      proposals: placeProposals({ all: facts.proposals, measures, unitOf, powerOf }),
      links: linksOf(facts.space, facts.proposals),
    };
  };
  return { measureAt, entitiesAt, evidenceAt, delegates };
}
