import type { DaoParticipation, Entity } from "../../snapshots/format/entity.ts";
import { byCase, hiddenNames } from "../../snapshots/format/hidden-entities.ts";
import { cleanText } from "../../snapshots/format/text.ts";
import { invariant } from "../facts/errors.ts";
import type { Registry, TrackedEntity } from "../facts/tracked.ts";
import { type EntityInDao, nullableTime, published, type ScoredDao } from "./scored-dao.ts";

/** An entity that may be named; its wallets are sorted. */
type PublicEntity = Omit<TrackedEntity, "isOptedOut">;

export type PublicEntities = ReturnType<typeof publicEntities>;

/** Separates the entities of the registry into public and opted-out ones; all documents are built from the result. */
export function publicEntities(registry: Registry) {
  // An opted-out entity may have its ENS name as label and own other wallets that the registry does not contain.
  const hidden = hiddenNames(registry.entities.filter((entity) => entity.isOptedOut));
  const named = registry.entities
    .filter((entity) => !entity.isOptedOut)
    .map((entity): PublicEntity => {
      const label = cleanText(entity.label);
      invariant(label !== "", `${entity.entityId} has no label that can be published`);
      const wallets = entity.wallets.map((wallet) => wallet.toLowerCase()).sort();
      return { entityId: entity.entityId, label, wallets };
    })
    .sort((a, b) => (a.entityId < b.entityId ? -1 : 1));
  return {
    /** By entity_id, ascending; without opted-out entities. */
    byId: new Map(named.map((entity) => [entity.entityId, entity])),
    /** The name to publish for a delegate; `undefined` if only the address may be published. */
    delegateName(address: string, ens: string | undefined): string | undefined {
      // A name that needs cleaning is dropped: `a\u200Bb.eth` was confirmed, but `ab.eth` belongs to somebody else.
      if (ens === undefined || ens === "" || cleanText(ens) !== ens) return undefined;
      return hidden.wallets.has(address) || hidden.names.has(byCase(ens)) ? undefined : ens;
    },
  };
}

const percentOf = (share: number | undefined): number | null =>
  share === undefined ? null : published(100 * share);

/** How each public entity takes part in one DAO; entities that do not are left out. */
export function participationsIn(scored: ScoredDao, entities: PublicEntities): EntityInDao[] {
  /** Whether any ballot of the frame has power. If so, an entity without votes has share 0, else its share is unknown. */
  const hasPower = scored.evidence.measures.proposals.some(
    ({ concentration }) => concentration !== undefined,
  );
  const byEntity = new Map(scored.entities.map((entity) => [entity.entityId, entity]));
  const delegates = scored.latestDelegates?.delegates ?? [];
  const rankOfWallet = new Map(delegates.map(({ address, rank }) => [address, rank]));
  return [...entities.byId.values()].flatMap(({ entityId, wallets }) => {
    const voted = byEntity.get(entityId);
    const participation = voted ?? scored.otherEntities;
    const ranks = wallets.flatMap((wallet) => rankOfWallet.get(wallet) ?? []);
    const share = voted === undefined ? (hasPower ? 0 : undefined) : voted.powerShare;
    // Entities that only voted before the frame and hold no delegated power do not take part.
    if (participation === undefined || (participation.proposalsVoted === 0 && ranks.length === 0)) return [];
    const [low, high] = participation.participationEnds;
    return [
      {
        entityId,
        participation: {
          space_id: scored.dao.spaceId,
          name: scored.dao.name,
          proposals_voted: participation.proposalsVoted,
          proposals_known: participation.proposalsKnown,
          proposals_unknown: participation.proposalsUnknown,
          participation_pct: percentOf(participation.participationShare),
          participation_interval_pct: [published(100 * low), published(100 * high)],
          voting_power_share_pct: percentOf(share),
          first_vote_at: nullableTime(voted?.firstVoteAtMs),
          last_vote_at: nullableTime(voted?.lastVoteAtMs),
          delegate_rank: ranks.length === 0 ? null : Math.min(...ranks),
        },
      },
    ];
  });
}

/** Sorts by share desc, unknown shares last; then by space_id. */
function byShare(a: DaoParticipation, b: DaoParticipation): number {
  const [left, right] = [a.voting_power_share_pct ?? -1, b.voting_power_share_pct ?? -1];
  return right - left || (a.space_id < b.space_id ? -1 : 1);
}

/** Builds `entities/<entity_id>.json` of every public entity, by id, even without any participation. */
export function buildEntities(taken: readonly EntityInDao[], entities: PublicEntities): Entity[] {
  const byEntity = new Map<string, DaoParticipation[]>();
  for (const { entityId, participation } of taken) {
    const participations = byEntity.get(entityId);
    if (participations === undefined) byEntity.set(entityId, [participation]);
    else participations.push(participation);
  }
  return [...entities.byId.values()].map((entity) => ({
    entity_id: entity.entityId,
    label: entity.label,
    wallets: [...entity.wallets],
    dao_participations: (byEntity.get(entity.entityId) ?? []).sort(byShare),
  }));
}
