import { type Ballot, VOTE_FLAGS } from "../facts/ballot.ts";
import type { EntityParticipation } from "./dao-score.ts";
import type { Frame } from "./frame.ts";
import { sharesByHead } from "./heads.ts";
import { weightedMedian } from "./weighted-statistics.ts";

/** First and last time an entity voted, over everything fetched. */
export interface VoteSpan {
  readonly firstMs: number;
  readonly lastMs: number;
}

/** When each entity first and last voted, by entity id; entities whose votes have no time are absent. */
export function entityVoteSpans(
  ballots: Iterable<Ballot>,
  entityIdOfVoter: ReadonlyMap<number, string>,
): Map<string, VoteSpan> {
  const spans = new Map<string, VoteSpan>();
  for (const ballot of ballots) {
    ballot.voterIds.forEach((voter, place) => {
      const entityId = entityIdOfVoter.get(voter);
      if (entityId === undefined || ((ballot.flags[place] ?? 0) & VOTE_FLAGS.timeKnown) === 0) return;
      const atMs = (ballot.timesS[place] ?? 0) * 1000;
      const span = spans.get(entityId) ?? { firstMs: atMs, lastMs: atMs };
      spans.set(entityId, { firstMs: Math.min(span.firstMs, atMs), lastMs: Math.max(span.lastMs, atMs) });
    });
  }
  return spans;
}

/** How each entity took part in the frame, by entity id. `headOfVoter` merges entities and nothing else; `entityIdOfHead` names the heads that are one. */
export function participationOfEntities(input: {
  readonly frame: Frame;
  readonly headOfVoter: Int32Array;
  readonly entityIdOfHead: ReadonlyMap<number, string>;
  readonly spans: ReadonlyMap<string, VoteSpan>;
}): EntityParticipation[] {
  const { frame, headOfVoter, entityIdOfHead, spans } = input;
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
    const span = spans.get(entityId);
    participations.push({
      entityId,
      proposalsVoted: voted.length,
      participationShare: voted.reduce((sum, { attention }) => sum + attention, 0) / frame.attentionSum,
      powerShare: weightedMedian(
        byProposal
          .filter(({ isPowerKnown }) => isPowerKnown)
          .map(({ attention, shareOf }) => ({ value: shareOf.get(head) ?? 0, weight: attention })),
      ),
      firstVoteAtMs: span?.firstMs,
      lastVoteAtMs: span?.lastMs,
    });
  }
  return participations.sort((a, b) => (a.entityId < b.entityId ? -1 : 1));
}
