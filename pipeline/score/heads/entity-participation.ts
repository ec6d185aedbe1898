import { type ProposalVotes, VOTE_FLAGS } from "../../facts/proposal-votes.ts";
import type { Frame } from "../frame/frame.ts";
import type { EntityParticipation } from "../method/dao-score.ts";
import { weightedMedian } from "../method/statistics.ts";
import { sharesByHead } from "./heads.ts";

/** Seconds of every vote of each entity over everything fetched, ascending, by entity id; votes without a time are absent. */
export function entityVoteTimes(
  ballots: Iterable<ProposalVotes>,
  entityIdOfVoter: ReadonlyMap<number, string>,
): Map<string, Uint32Array> {
  const times = new Map<string, number[]>();
  for (const ballot of ballots) {
    ballot.voterIds.forEach((voter, place) => {
      const entityId = entityIdOfVoter.get(voter);
      if (entityId === undefined || ((ballot.flags[place] ?? 0) & VOTE_FLAGS.timeKnown) === 0) return;
      const timeS = ballot.timesS[place] ?? 0;
      const known = times.get(entityId);
      if (known === undefined) times.set(entityId, [timeS]);
      else known.push(timeS);
    });
  }
  return new Map([...times].map(([entityId, seconds]) => [entityId, Uint32Array.from(seconds).sort()]));
}

/** First and last of the votes cast by t: what was cast later is not known yet. */
function voteSpan(
  timesS: Uint32Array | undefined,
  asOfMs: number,
): Pick<EntityParticipation, "firstVoteAtMs" | "lastVoteAtMs"> {
  const cast = timesS?.filter((timeS) => timeS * 1000 <= asOfMs) ?? new Uint32Array();
  const ms = (timeS: number | undefined): number | undefined =>
    timeS === undefined ? undefined : timeS * 1000;
  return { firstVoteAtMs: ms(cast.at(0)), lastVoteAtMs: ms(cast.at(-1)) };
}

/** How each entity took part in the frame, by entity id. `headOfVoter` merges entities and nothing else; `entityIdOfHead` names the heads that are one. */
export function participationOfEntities(input: {
  readonly frame: Frame;
  readonly headOfVoter: Int32Array;
  readonly entityIdOfHead: ReadonlyMap<number, string>;
  readonly timesOfEntity: ReadonlyMap<string, Uint32Array>;
}): EntityParticipation[] {
  const { frame, headOfVoter, entityIdOfHead, timesOfEntity } = input;
  const byProposal = frame.members.map((member) => {
    const { heads, shares } = sharesByHead(member.votes, headOfVoter);
    const shareOf = new Map<number, number | undefined>();
    heads.forEach((head, place) => {
      if (entityIdOfHead.has(head)) shareOf.set(head, shares?.[place]);
    });
    return { attention: member.attention, isPowerKnown: shares !== undefined, shareOf };
  });
  const participations: EntityParticipation[] = [];
  for (const [head, entityId] of entityIdOfHead) {
    const voted = byProposal.filter(({ shareOf }) => shareOf.has(head));
    if (voted.length === 0) continue;
    participations.push({
      entityId,
      proposalsVoted: voted.length,
      participationShare: voted.reduce((sum, { attention }) => sum + attention, 0) / frame.attentionSum,
      powerShare: weightedMedian(
        byProposal
          .filter(({ isPowerKnown }) => isPowerKnown)
          .map(({ attention, shareOf }) => ({ value: shareOf.get(head) ?? 0, weight: attention })),
      ),
      ...voteSpan(timesOfEntity.get(entityId), frame.asOfMs),
    });
  }
  return participations.sort((a, b) => (a.entityId < b.entityId ? -1 : 1));
}
