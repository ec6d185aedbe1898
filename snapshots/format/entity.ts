import { z } from "zod";
import { EntityId, SpaceId, Timestamp, WalletAddress } from "./ids.ts";
import { Count, Percent, Rank } from "./numbers.ts";
import { PublicText } from "./text.ts";

/** One DAO an entity takes part in: it voted in the frame or holds delegated power. */
export const DaoParticipation = z.strictObject({
  space_id: SpaceId,
  name: PublicText,
  proposals_voted: Count,
  participation_pct: Percent,
  /** `null` where no voting power of this DAO is known, which is not the same as having none. */
  voting_power_share_pct: Percent.nullable(),
  first_vote_at: Timestamp.nullable(),
  last_vote_at: Timestamp.nullable(),
  delegate_rank: Rank.nullable(),
});
export type DaoParticipation = z.infer<typeof DaoParticipation>;

/** `entities/<entity_id>.json`: a labelled entity, its wallets and where it takes part. */
export const Entity = z.strictObject({
  entity_id: EntityId,
  label: PublicText,
  wallets: z.array(WalletAddress).min(1),
  dao_participations: z.array(DaoParticipation),
});
export type Entity = z.infer<typeof Entity>;
