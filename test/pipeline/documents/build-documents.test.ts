import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ScoredDao } from "../../../pipeline/documents/scored-dao.ts";
import type { TrackedEntity } from "../../../pipeline/facts/tracked.ts";
import { checkGates } from "../../../pipeline/gate/check-gates.ts";
import { checkPrivacy } from "../../../pipeline/gate/check-privacy.ts";
import { METHODOLOGY } from "../../../pipeline/score/method/methodology.ts";
import type { CurrentIndex } from "../../../pipeline/score/ranking/governance-index.ts";
import type { DelegateItem } from "../../../snapshots/format/delegates.ts";
import type { PublishedSet } from "../../../snapshots/format/published-set.ts";
import { cleanText } from "../../../snapshots/format/text.ts";
import { documentsOf, gateInput } from "../gate/valid-set.ts";
import { arbitraryInput } from "./arbitrary-input.ts";
import { buildPublishedSet, type PublishedSetInput } from "./published-set.ts";
import {
  AS_OF_MS,
  DAY_MS,
  daoScore,
  entityIdOf,
  evidenceOf,
  scoredDao,
  setInput,
  smallWorld,
  walletOf,
} from "./scored-daos.ts";

const AS_OF = "2026-03-31T23:59:59.999Z";

const WHOLE = { low: 0, high: 10 };

describe("the documents of a small world", () => {
  const set = buildPublishedSet(smallWorld());

  it("states its moment and its method", () => {
    expect([set.asOf, set.methodologyVersion]).toEqual([AS_OF, METHODOLOGY.version]);
    expect([set.dgi, set.dgiHistory]).toEqual([undefined, undefined]);
  });

  it("lists the DAOs with a score, by rank", () => {
    expect(set.daos).toEqual([
      {
        space_id: "tidewater",
        name: "Tidewater",
        category: "defi",
        gvs: 7.25,
        gvs_confidence: "high",
        rank: 1,
        components: { hpr: 8, dei: 5.99, pdi: 1.23, gpi: 10 },
        delta_24h: -0.25,
        last_calculated: AS_OF,
      },
      {
        space_id: "orchard",
        name: "Orchard",
        category: "public_goods",
        // 3.005 as a double lies just below; toFixed on the exact double rounds it down.
        gvs: 3,
        gvs_confidence: "high",
        rank: 2,
        components: { hpr: 3, dei: 3, pdi: 3, gpi: 3 },
        delta_24h: 0,
        last_calculated: AS_OF,
      },
    ]);
  });

  it("details them, without opted-out entities", () => {
    expect(set.details[0]).toEqual({
      space_id: "tidewater",
      name: "Tidewater",
      category: "defi",
      gvs: 7.25,
      gvs_confidence: "high",
      last_calculated: AS_OF,
      data_completeness: 97.5,
      components: {
        hpr: { score: 8, label: "Excellent" },
        dei: { score: 5.99, label: "Moderate" },
        // Its interval reaches up to 3.
        pdi: { score: 1.23, label: "Weak" },
        gpi: { score: 10, label: "Excellent" },
      },
      rankings: { overall: { rank: 1, total: 2 }, category: { rank: 1, category: "defi", total: 1 } },
      history: { gvs_30d: [7.4, 7.25], interval: "daily" },
      gvs_30d_dates: ["2026-03-30", "2026-03-31"],
      top_entities: [
        {
          entity_id: entityIdOf("lantern"),
          label: "Lantern Labs",
          voting_power_share_pct: 12.35,
          proposals_voted: 3,
          proposals_known: 20,
          proposals_unknown: 0,
          participation_pct: 50,
          participation_interval_pct: [50, 50],
        },
      ],
    });
  });

  it("lists the delegates of each DAO, with a bare address for the opted-out wallet", () => {
    expect(set.listings.map((listing) => listing.spaceId)).toEqual(["quiet-reef", "tidewater"]);
    expect(set.listings[1]?.latest).toEqual({
      dao: "tidewater",
      fetched_at: "2026-04-01T00:59:59.999Z",
      total_delegates: 3,
      delegates: [
        {
          rank: 1,
          address: walletOf(9),
          display_name: "0x0000…0009",
          votes_human: 900,
          votes_share_pct: 90,
          delegators_count: 12,
          weight_tier: "T1",
        },
        {
          rank: 2,
          address: walletOf(2),
          ens: "lantern.example",
          display_name: "lantern.example",
          votes_human: 99.5,
          votes_share_pct: 9.95,
          delegators_count: 2,
          weight_tier: "T1",
        },
        {
          rank: 3,
          address: walletOf(7),
          display_name: "0x0000…0007",
          votes_human: 0.5,
          votes_share_pct: 0.05,
          delegators_count: 1,
          weight_tier: "T3",
        },
      ],
      summary: {
        t1_voting_power_pct: 99.95,
        t2_voting_power_pct: 0,
        t3_voting_power_pct: 0.05,
        t1_avg_delegators: 7,
        t2_avg_delegators: 0,
      },
    });
    expect(set.listings[1]?.dated.map(({ date }) => date)).toEqual(["2026-03-30"]);
  });

  it("publishes the entity that did not opt out, with every DAO it takes part in", () => {
    expect(set.entities).toEqual([
      {
        entity_id: entityIdOf("lantern"),
        label: "Lantern Labs",
        wallets: [walletOf(2), walletOf(5)],
        dao_participations: [
          {
            space_id: "tidewater",
            name: "Tidewater",
            proposals_voted: 3,
            proposals_known: 20,
            proposals_unknown: 0,
            participation_pct: 50,
            participation_interval_pct: [50, 50],
            voting_power_share_pct: 12.35,
            first_vote_at: "2026-03-22T23:59:59.999Z",
            last_vote_at: "2026-03-30T23:59:59.999Z",
            delegate_rank: 2,
          },
          {
            space_id: "quiet-reef",
            name: "Quiet Reef",
            proposals_voted: 0,
            proposals_known: 1,
            proposals_unknown: 0,
            participation_pct: 0,
            participation_interval_pct: [0, 0],
            voting_power_share_pct: null,
            first_vote_at: null,
            last_vote_at: null,
            delegate_rank: 1,
          },
        ],
      },
    ]);
  });

  it("has the documents of each DAO that its data allow", () => {
    expect(
      set.details.map(({ space_id: id, rankings: { overall, category } }) => [id, overall, category]),
    ).toEqual([
      ["tidewater", { rank: 1, total: 2 }, { rank: 1, category: "defi", total: 1 }],
      ["orchard", { rank: 2, total: 2 }, { rank: 1, category: "public_goods", total: 1 }],
    ]);
    expect(set.rankings.map(({ space_id: id, rank }) => [id, rank])).toEqual([
      ["tidewater", 1],
      ["orchard", 2],
    ]);
    expect(set.risks).toMatchObject([
      { space_id: "tidewater", risk_score: 41.5, risk_level: "moderate", trend: "improving" },
    ]);
    expect(set.histories).toMatchObject([
      { space_id: "tidewater", points: [{ date: "2026-03-30" }, { date: "2026-03-31" }] },
    ]);
    expect(set.unscored).toMatchObject([
      { space_id: "ghost-ship", reason: { code: "NO_PROPOSALS" }, interval: { gvs: [0, 10] } },
      { space_id: "quiet-reef", reason: { code: "TOO_LITTLE_KNOWN" }, interval: { gvs: [1, 8.1] } },
    ]);
    expect(set.unscored[1]?.not_known.map(({ id }) => id)).toEqual(["effective", "majority", "top"]);
  });

  it("has the evidence of every DAO with a frame, and an entry in a list for the others", () => {
    const listed = set.unscored.flatMap(({ space_id: id, empty_frame: frame }) => (frame ? [id] : []));
    const explained = set.evidence.map(({ evidence }) => evidence.space_id);
    expect(listed).toEqual(set.emptyFrames.map(({ spaceId }) => spaceId));
    expect([...explained, ...listed].sort()).toEqual(["ghost-ship", "orchard", "quiet-reef", "tidewater"]);
  });
});

describe("building documents throws on the impossible", () => {
  const dao = scoredDao();
  const index: CurrentIndex = {
    asOfMs: AS_OF_MS - DAY_MS,
    composite: 1,
    components: { hpr: 1, dei: 1, pdi: 1, gpi: 1 },
    daoCount: 5,
    gvsEnds: undefined,
    ends: { gvs: WHOLE, hpr: WHOLE, dei: WHOLE, pdi: WHOLE, gpi: WHOLE },
  };
  const ofDao = (change: Partial<ScoredDao>) => setInput([{ ...dao, ...change }]);
  it.each<[why: string, input: PublishedSetInput, message: string]>([
    [
      "a score of another moment",
      ofDao({ current: daoScore({ asOfMs: AS_OF_MS - 1 }) }),
      "orchard was scored as of another moment",
    ],
    [
      "the evidence of another moment",
      ofDao({ evidence: evidenceOf("orchard", AS_OF_MS - 1) }),
      "orchard was scored as of another moment",
    ],
    [
      "the score of another DAO",
      ofDao({ current: daoScore({ spaceId: "tidewater" }) }),
      "orchard carries the score of another DAO",
    ],
    ["an index of another moment", setInput([], [], { index }), "index is of another moment"],
  ])("%s", (_, input, message) => {
    expect(() => buildPublishedSet(input)).toThrow(message);
  });
});

const optedOutOf = ({ registry }: PublishedSetInput) =>
  registry.entities.filter((entity) => entity.isOptedOut);

/** The input with one entity's options changed. */
function withOptOut(input: PublishedSetInput, entityId: string, isOptedOut: boolean): PublishedSetInput {
  const entities = input.registry.entities.map((entity) =>
    entity.entityId === entityId ? { ...entity, isOptedOut } : entity,
  );
  return { ...input, registry: { ...input.registry, entities } };
}

const rowsOf = ({ listings }: PublishedSet): readonly DelegateItem[] =>
  listings.flatMap(({ latest, dated, all }) => [
    ...latest.delegates,
    ...dated.flatMap(({ listing }) => listing.delegates),
    ...all,
  ]);

const nameless = ({ ens: _, display_name: __, ...row }: DelegateItem) => row;

/** A set without what may change when `entity` opts out: its document, who stands among the strongest, names of delegates. */
function without(entity: TrackedEntity, set: PublishedSet) {
  return {
    ...set,
    details: set.details.map(({ top_entities: _, ...detail }) => detail),
    listings: set.listings.map(({ spaceId, latest, dated, all }) => ({
      spaceId,
      latest: { ...latest, delegates: latest.delegates.map(nameless) },
      dated: dated.map(({ date, listing }) => ({
        date,
        ...listing,
        delegates: listing.delegates.map(nameless),
      })),
      all: all.map(nameless),
    })),
    entities: set.entities.filter((each) => each.entity_id !== entity.entityId),
  };
}

/** The rows as they must be once `entity` has opted out: those of its wallets, and those called like it, have no name. */
function bareRows(entity: TrackedEntity, rows: readonly DelegateItem[]): DelegateItem[] {
  const label = cleanText(entity.label).toLowerCase();
  return rows.map((row) =>
    entity.wallets.includes(row.address) || row.ens?.toLowerCase() === label
      ? { ...nameless(row), display_name: `${row.address.slice(0, 6)}…${row.address.slice(-4)}` }
      : row,
  );
}

describe("the documents of anything", () => {
  it("gives documents that parse and pass every gate, one of two kinds for each DAO", () => {
    fc.assert(
      fc.property(arbitraryInput, (input) => {
        const set = buildPublishedSet(input);
        const { findings } = checkGates(
          gateInput({ set, optedOut: optedOutOf(input), nowMs: Number.MAX_SAFE_INTEGER / 2 }),
        );
        expect(findings).toEqual([]);
        expect([...set.daos, ...set.unscored].map((dao) => dao.space_id).sort()).toEqual(
          input.daos.map(({ dao }) => dao.spaceId),
        );
      }),
      { numRuns: 75 },
    );
  });

  it("does not depend on the order of its input", () => {
    fc.assert(
      fc.property(arbitraryInput, (input) => {
        const reversed = {
          ...input,
          daos: input.daos.map((dao) => ({ ...dao, entities: dao.entities.toReversed() })).reverse(),
          registry: { daos: [], entities: input.registry.entities.toReversed() },
        };
        expect(JSON.stringify(buildPublishedSet(reversed))).toBe(JSON.stringify(buildPublishedSet(input)));
      }),
      { numRuns: 25 },
    );
  });

  it("loses every mention of an entity that opts out, and not one number changes", () => {
    fc.assert(
      fc.property(arbitraryInput, fc.nat(), (input, pick) => {
        const entity = input.registry.entities[pick % (input.registry.entities.length || 1)];
        if (entity === undefined) return;
        const named = buildPublishedSet(withOptOut(input, entity.entityId, false));
        const hidden = buildPublishedSet(withOptOut(input, entity.entityId, true));
        expect(without(entity, hidden)).toEqual(without(entity, named));
        expect(rowsOf(hidden)).toEqual(bareRows(entity, rowsOf(named)));
        named.details.forEach(({ top_entities: top }, index) => {
          const others = top.filter((each) => each.entity_id !== entity.entityId);
          expect(hidden.details[index]?.top_entities.slice(0, others.length)).toEqual(others);
        });
        expect(checkPrivacy(documentsOf(named), [entity])).not.toEqual([]);
        expect(checkPrivacy(documentsOf(hidden), [entity])).toEqual([]);
        const text = JSON.stringify(hidden);
        expect(text).not.toContain(entity.entityId);
        const bare = (wallet: string) =>
          `"address":"${wallet}","display_name":"${wallet.slice(0, 6)}…${wallet.slice(-4)}"`;
        for (const wallet of entity.wallets) expect(text.replaceAll(bare(wallet), "")).not.toContain(wallet);
      }),
      { numRuns: 75 },
    );
  });
});
