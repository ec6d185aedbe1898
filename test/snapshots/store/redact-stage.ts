import { DAY_MS } from "../../../snapshots/base/days.ts";
import type { Entity } from "../../../snapshots/format/entity.ts";
import type { PublishedSet } from "../../../snapshots/format/published-set.ts";
import type { redactSnapshot } from "../../../snapshots/store/maintain/redact-snapshot.ts";
import { withGraph } from "../../support/delegation-graph.ts";
import { FIXTURE_AS_OF_MS, FIXTURE_ENTITY_ID, publishedSet, walletOf } from "../../support/published-set.ts";

/** Plainly fictional: the fixture's own entity opts out, this one stays. */
export const STAYING_ID = "ent_00000000000000000000kettle";
export const HIDDEN_LABEL = "Lantern Labs";

const KETTLE: Entity = {
  entity_id: STAYING_ID,
  label: "Kettle Club",
  wallets: [walletOf(2)],
  dao_participations: [
    {
      space_id: "tidewater.example",
      name: "Tidewater",
      proposals_voted: 3,
      proposals_known: 20,
      proposals_unknown: 0,
      participation_pct: 15,
      participation_interval_pct: [15, 15],
      voting_power_share_pct: 1.5,
      first_vote_at: null,
      last_vote_at: null,
      delegate_rank: 2,
    },
  ],
};

/** The fixture `daysLater` days on, with the entity that stays beside the one that opts out. */
export function namingSet(daysLater: number): PublishedSet {
  const set = withGraph(publishedSet(FIXTURE_AS_OF_MS + daysLater * DAY_MS));
  const row = {
    entity_id: STAYING_ID,
    label: KETTLE.label,
    voting_power_share_pct: 1.5,
    proposals_voted: 3,
    proposals_known: 20,
    proposals_unknown: 0,
    participation_pct: 15,
    participation_interval_pct: [15, 15] as [number, number],
  };
  return {
    ...set,
    entities: [...set.entities, KETTLE],
    details: set.details.map((detail) =>
      detail.rankings.overall.rank === 1
        ? { ...detail, top_entities: [...detail.top_entities, row] }
        : detail,
    ),
  };
}

/** The options to take the fixture's own entity out of everything. */
export const WISH: Parameters<typeof redactSnapshot>[1] = {
  runId: "00000000000000ab",
  isHidden: (entityId) => entityId === FIXTURE_ENTITY_ID,
  known: [],
  isDryRun: false,
  whileReadersFollow: async () => {},
};
