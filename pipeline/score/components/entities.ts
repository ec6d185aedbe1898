import { type ProposalVotes, VOTE_FLAGS } from "../../facts/proposal-votes.ts";
import type { Ballot } from "../frame/ballot.ts";

/** How one entity took part in one DAO; numbers are unrounded. */
export interface EntityParticipation {
  readonly entityId: string;
  /** Proposals of the frame; 0 if it voted only on older ones or only holds delegated power. */
  readonly proposalsVoted: number;
  /** Weight of the proposals on which it voted, as a share (0–1) of the frame's weight. */
  readonly participationShare: number;
  /** Mean share (0–1) of voting power over ballots with power, 0 if absent; `undefined` without such ballots. */
  readonly powerShare: number | undefined;
  /** Over all votes fetched up to t, not only the frame; `undefined` if no vote has a known time. */
  readonly firstVoteAtMs: number | undefined;
  readonly lastVoteAtMs: number | undefined;
}

/** What participation needs of one proposal of the frame. */
export interface EntityBallot {
  /** w. */
  readonly weight: number;
  /** r. */
  readonly fetchedShare: number;
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

/** How each entity that ever voted took part, by entity id; includes those without a vote in the frame. */
export function participationOfEntities(input: {
  readonly ballots: readonly EntityBallot[];
  readonly voterOfEntity: ReadonlyMap<string, number>;
  readonly timesOfEntity: ReadonlyMap<string, Uint32Array>;
  readonly asOfMs: number;
}): EntityParticipation[] {
  const { ballots, voterOfEntity, timesOfEntity, asOfMs } = input;
  const weightSum = ballots.reduce((sum, { weight }) => sum + weight, 0);
  const powered = ballots.filter(({ ballot }) => ballot !== undefined);
  const powerSum = powered.reduce((sum, { weight, fetchedShare }) => sum + weight * fetchedShare, 0);
  const shareOf = ({ ballot }: EntityBallot, voter: number | undefined): number =>
    ballot?.shares[voter === undefined ? -1 : ballot.voters.indexOf(voter)] ?? 0;
  const participations = [...timesOfEntity].map(([entityId, timesS]): EntityParticipation => {
    const voted = ballots.filter(({ entityIds }) => entityIds.has(entityId));
    const voter = voterOfEntity.get(entityId);
    const held = powered.reduce(
      (sum, each) => sum + each.weight * each.fetchedShare * shareOf(each, voter),
      0,
    );
    return {
      entityId,
      proposalsVoted: voted.length,
      participationShare: weightSum > 0 ? voted.reduce((sum, { weight }) => sum + weight, 0) / weightSum : 0,
      powerShare: powerSum > 0 ? held / powerSum : undefined,
      ...voteSpan(timesS, asOfMs),
    };
  });
  return participations.sort((a, b) => (a.entityId < b.entityId ? -1 : 1));
}
