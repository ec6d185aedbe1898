import { type ProposalVotes, VOTE_FLAGS } from "../../facts/proposal-votes.ts";
import type { Ballot } from "../frame/ballot.ts";
import type { Mark } from "../method/marks.ts";

/** On how much of a frame an entity voted. */
export interface Participation {
  /** Proposals of the frame; 0 if it voted only on older ones or only holds delegated power. */
  readonly proposalsVoted: number;
  /** Proposals of the frame of which at least some votes were fetched, and those of which none were. */
  readonly proposalsKnown: number;
  readonly proposalsUnknown: number;
  /** Σ w·q of the proposals on which it voted, as a share (0–1) of Σ w·q; `undefined` if no vote is known. */
  readonly participationShare: number | undefined;
  /** Share (0–1) of Σ w if it cast none, or one in each proposal, of the votes that were not fetched. */
  readonly participationEnds: Mark;
}

/** How one entity took part in one DAO; numbers are unrounded. */
export interface EntityParticipation extends Participation {
  readonly entityId: string;
  /** Mean share (0–1) of voting power over ballots with power, 0 if absent; `undefined` without such ballots. */
  readonly powerShare: number | undefined;
  /** Over all votes fetched up to t, not only the frame; `undefined` if no vote has a known time. */
  readonly firstVoteAtMs: number | undefined;
  readonly lastVoteAtMs: number | undefined;
}

interface EntityBallot {
  /** w. */
  readonly weight: number;
  /** r. */
  readonly fetchedShare: number;
  /** q: the part of the votes that was fetched. */
  readonly votesShare: number;
  /** Entities that cast a valid vote on it. */
  readonly entityIds: ReadonlySet<string>;
  /** `undefined` if no power is known. */
  readonly ballot: Ballot | undefined;
}

/** Times (seconds, ascending) of all fetched votes of each entity, by entity id; votes without a time are left out. */
export function entityVoteTimes(
  ballots: Iterable<ProposalVotes>,
  entityIdOfVoter: ReadonlyMap<number, string>,
): ReadonlyMap<string, Uint32Array> {
  const times = new Map<string, number[]>();
  if (entityIdOfVoter.size === 0) return new Map();
  for (const ballot of ballots) {
    ballot.voterIds.forEach((voter, row) => {
      const entityId = entityIdOfVoter.get(voter);
      if (entityId === undefined) return;
      const known = times.get(entityId) ?? [];
      times.set(entityId, known);
      if (((ballot.flags[row] ?? 0) & VOTE_FLAGS.timeKnown) !== 0) known.push(ballot.timesS[row] ?? 0);
    });
  }
  return new Map([...times].map(([entityId, seconds]) => [entityId, Uint32Array.from(seconds).sort()]));
}

/** First and last of the votes cast up to t; later ones are not known yet. */
function voteSpan(
  timesS: Uint32Array,
  asOfMs: number,
): Pick<EntityParticipation, "firstVoteAtMs" | "lastVoteAtMs"> {
  const cast = timesS.filter((timeS) => timeS * 1000 <= asOfMs);
  const ms = (timeS: number | undefined): number | undefined =>
    timeS === undefined ? undefined : timeS * 1000;
  return { firstVoteAtMs: ms(cast.at(0)), lastVoteAtMs: ms(cast.at(-1)) };
}

/** Determines participation. What was not fetched is not absence: it only widens the ends. */
function participationIn(
  proposals: readonly (Pick<EntityBallot, "weight" | "votesShare"> & { readonly hasVoted: boolean })[],
): Participation {
  let [voted, known, unknown, proposalsVoted, proposalsKnown] = [0, 0, 0, 0, 0];
  let [weights, votedWeight] = [0, 0];
  for (const { weight, votesShare, hasVoted } of proposals) {
    weights += weight;
    known += weight * votesShare;
    if (votesShare > 0) proposalsKnown += 1;
    if (hasVoted) {
      proposalsVoted += 1;
      votedWeight += weight;
      voted += weight * votesShare;
    } else unknown += weight * (1 - votesShare);
  }
  return {
    proposalsVoted,
    proposalsKnown,
    proposalsUnknown: proposals.length - proposalsKnown,
    participationShare: known > 0 ? voted / known : undefined,
    participationEnds: weights > 0 ? [votedWeight / weights, (votedWeight + unknown) / weights] : [0, 1],
  };
}

export function participationOfEntities(input: {
  readonly ballots: readonly EntityBallot[];
  readonly voterOfEntity: ReadonlyMap<string, number>;
  readonly timesOfEntity: ReadonlyMap<string, Uint32Array>;
  readonly asOfMs: number;
}) {
  const { ballots, voterOfEntity, timesOfEntity, asOfMs } = input;
  const powered = ballots.filter(({ ballot }) => ballot !== undefined);
  const powerSum = powered.reduce((sum, { weight, fetchedShare }) => sum + weight * fetchedShare, 0);
  const shareOf = ({ ballot }: EntityBallot, voter: number | undefined): number =>
    ballot?.shares[voter === undefined ? -1 : ballot.voters.indexOf(voter)] ?? 0;
  const participations = [...timesOfEntity].map(([entityId, timesS]): EntityParticipation => {
    const voter = voterOfEntity.get(entityId);
    const held = powered.reduce(
      (sum, ballot) => sum + ballot.weight * ballot.fetchedShare * shareOf(ballot, voter),
      0,
    );
    return {
      entityId,
      ...participationIn(ballots.map((ballot) => ({ ...ballot, hasVoted: ballot.entityIds.has(entityId) }))),
      powerShare: powerSum > 0 ? held / powerSum : undefined,
      ...voteSpan(timesS, asOfMs),
    };
  });
  return {
    /** Of the entities that ever voted, by entity id; includes those without a vote in the frame. */
    voters: participations.sort((a, b) => (a.entityId < b.entityId ? -1 : 1)),
    /** Of an entity that never voted. */
    others: participationIn(ballots.map((ballot) => ({ ...ballot, hasVoted: false }))),
  };
}
