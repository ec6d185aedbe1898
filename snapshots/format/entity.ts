import { z } from "zod";
import { PARTICIPATION_FIELDS, type TopEntity } from "./dao.ts";
import { EntityId, Percent, Rank, SpaceId, Timestamp, WalletAddress } from "./ids.ts";
import { TOP_ENTITIES_MAX } from "./limits.ts";
import { PublicText } from "./text.ts";

/** One DAO an entity takes part in: it voted in the frame or holds delegated power. */
export const DaoParticipation = z
  .strictObject({
    space_id: SpaceId.describe("The DAO's id."),
    name: PublicText.describe("Display name."),
    ...PARTICIPATION_FIELDS,
    participation_pct: PARTICIPATION_FIELDS.participation_pct
      .nullable()
      .describe("Share of the known proposals that it voted on, by weight; `null` if no vote is known."),
    /** `null` if no voting power of this DAO is known, which is not the same as having none. */
    voting_power_share_pct: Percent.nullable().describe(
      "Its share of the voting power; `null` if no power of this DAO is known.",
    ),
    first_vote_at: Timestamp.nullable().describe("Its first vote; `null` if it only holds delegated power."),
    last_vote_at: Timestamp.nullable().describe("Its last vote; `null` if it only holds delegated power."),
    delegate_rank: Rank.nullable().describe("Its rank among the delegates; `null` if it is no delegate."),
  })
  .meta({ id: "DaoParticipation", description: "One DAO that an entity takes part in." });
export type DaoParticipation = z.infer<typeof DaoParticipation>;

/** `entities/<entity_id>.json`: a labelled entity, its wallets and the DAOs it takes part in. */
export const Entity = z
  .strictObject({
    entity_id: EntityId.describe("Its id."),
    label: PublicText.describe("Its name."),
    wallets: z.array(WalletAddress).min(1).describe("Its wallets."),
    dao_participations: z.array(DaoParticipation).describe("The DAOs it takes part in."),
  })
  .meta({ id: "Entity", description: "A labelled entity. Entities that opted out are never returned." });
export type Entity = z.infer<typeof Entity>;

function byStrength(a: TopEntity, b: TopEntity): number {
  return (
    b.voting_power_share_pct - a.voting_power_share_pct ||
    b.proposals_voted - a.proposals_voted ||
    (a.entity_id < b.entity_id ? -1 : 1)
  );
}

/**
 * Computes `top_entities` of every DAO, by space_id, from published entities alone: share desc, proposals desc, ID, at
 * most 10. If an entity opts out, the next one moves up, as if the other had never been there.
 */
export function topEntitiesOf(entities: Iterable<Entity>): ReadonlyMap<string, readonly TopEntity[]> {
  const bySpace = new Map<string, TopEntity[]>();
  for (const { entity_id, label, dao_participations } of entities) {
    for (const row of dao_participations) {
      const { space_id, voting_power_share_pct, proposals_voted, participation_pct } = row;
      // An entity that only holds delegated power did not vote, and unknown power cannot be ranked.
      if (voting_power_share_pct === null || participation_pct === null || proposals_voted === 0) continue;
      const top = {
        entity_id,
        label,
        voting_power_share_pct,
        proposals_voted,
        proposals_known: row.proposals_known,
        proposals_unknown: row.proposals_unknown,
        participation_pct,
        participation_interval_pct: row.participation_interval_pct,
      };
      const rows = bySpace.get(space_id);
      if (rows === undefined) bySpace.set(space_id, [top]);
      else rows.push(top);
    }
  }
  return new Map(
    [...bySpace].map(([spaceId, rows]) => [spaceId, rows.sort(byStrength).slice(0, TOP_ENTITIES_MAX)]),
  );
}
