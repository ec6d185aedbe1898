import type { TopEntity } from "../../snapshots/format/dao.ts";
import { TOP_ENTITIES_MAX } from "../../snapshots/format/limits.ts";
import type { EntityParticipation } from "../score/dao-score.ts";
import type { PublicEntities } from "./public-entities.ts";
import { published } from "./rounded-score.ts";

function byStrength(a: TopEntity, b: TopEntity): number {
  return (
    b.voting_power_share_pct - a.voting_power_share_pct ||
    b.proposals_voted - a.proposals_voted ||
    (a.entity_id < b.entity_id ? -1 : 1)
  );
}

/**
 * The strongest entities of a frame, at most 10: share desc, proposals desc, id. Opted-out ones are filtered before
 * anything is counted off, so that no hole shows; one whose power is not known has no place among the strongest.
 */
export function buildTopEntities(
  participations: readonly EntityParticipation[],
  entities: PublicEntities,
): TopEntity[] {
  return participations
    .flatMap((participation): TopEntity[] => {
      const entity = entities.byId.get(participation.entityId);
      if (entity === undefined || participation.powerShare === undefined) return [];
      return [
        {
          entity_id: entity.entityId,
          label: entity.label,
          voting_power_share_pct: published(100 * participation.powerShare),
          proposals_voted: participation.proposalsVoted,
          participation_pct: published(100 * participation.participationShare),
        },
      ];
    })
    .sort(byStrength)
    .slice(0, TOP_ENTITIES_MAX);
}
