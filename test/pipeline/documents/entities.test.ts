import { describe, expect, it } from "vitest";
import { buildEntities, participationsIn, publicEntities } from "../../../pipeline/documents/entities.ts";
import type { ScoredDao } from "../../../pipeline/documents/scored-dao.ts";
import type { EntityParticipation } from "../../../pipeline/score/components/entities.ts";
import { topEntitiesOf } from "../../../snapshots/format/entity.ts";
import {
  AS_OF_MS,
  entityOf,
  noProposals,
  participationOf,
  rankingOf,
  scoredDao,
  walletOf,
} from "./scored-daos.ts";

const LANTERN = entityOf("lantern", { wallets: [walletOf(5), walletOf(0xab), walletOf(2)] });

const ENTITIES = publicEntities({ daos: [], entities: [LANTERN] });

const lanternIn = (...daos: ScoredDao[]) =>
  buildEntities(
    daos.flatMap((dao) => participationsIn(dao, ENTITIES)),
    ENTITIES,
  )[0]?.dao_participations;

const VOTED = [participationOf("lantern", { powerShare: 0.12345, participationShare: 2 / 3 })];
const POWERLESS = { unscored: "TOO_LITTLE_KNOWN", hasPower: false } as const;

describe("buildEntities", () => {
  it.each<{ why: string; dao: ScoredDao; want: [number, number, number | null, number | null] | undefined }>([
    { why: "took no part", dao: scoredDao(), want: undefined },
    {
      why: "voted before the frame only",
      dao: scoredDao({ entities: [participationOf("lantern", { proposalsVoted: 0, powerShare: 0 })] }),
      want: undefined,
    },
    { why: "voted", dao: scoredDao({ entities: VOTED }), want: [3, 66.67, 12.35, null] },
    {
      why: "voted where no power is known: its share is not known, which is not 0",
      dao: scoredDao({ ...POWERLESS, entities: [participationOf("lantern", { powerShare: undefined })] }),
      want: [3, 50, null, null],
    },
    {
      why: "only holds delegated power: it cast no power",
      dao: scoredDao({ latestDelegates: rankingOf([{ wallet: 2, votes: 1n }]) }),
      want: [0, 0, 0, 1],
    },
    {
      why: "only holds delegated power where no power is known",
      dao: scoredDao({ ...POWERLESS, latestDelegates: rankingOf([{ wallet: 2, votes: 1n }]) }),
      want: [0, 0, null, 1],
    },
    {
      why: "holds delegated power in a DAO without proposals",
      dao: scoredDao({
        current: noProposals("orchard"),
        hasPower: false,
        latestDelegates: rankingOf([{ wallet: 2, votes: 1n }]),
      }),
      want: [0, 0, null, 1],
    },
    {
      why: "holds it in several wallets: the best rank counts",
      dao: scoredDao({
        entities: VOTED,
        latestDelegates: rankingOf([
          { wallet: 1, votes: 9n },
          { wallet: 5, votes: 5n },
          { wallet: 2, votes: 7n },
        ]),
      }),
      want: [3, 66.67, 12.35, 2],
    },
    {
      why: "is only in a list without power",
      dao: scoredDao({ latestDelegates: rankingOf([{ wallet: 2, votes: 0n }]) }),
      want: undefined,
    },
  ])("$why", ({ dao, want }) => {
    const rows = lanternIn(dao)?.map((row) => [
      row.proposals_voted,
      row.participation_pct,
      row.voting_power_share_pct,
      row.delegate_rank,
    ]);
    expect(rows).toEqual(want === undefined ? [] : [want]);
  });

  it("sorts by share, unknown shares last, then by space_id", () => {
    const withShare = (spaceId: string, powerShare: number | undefined) =>
      scoredDao({ spaceId, entities: [participationOf("lantern", { powerShare })] });
    const rows = lanternIn(
      withShare("b-unknown", undefined),
      withShare("a-unknown", undefined),
      withShare("c-none", 0),
      withShare("b-half", 0.5),
      withShare("a-half", 0.5),
      withShare("d-most", 0.9),
    );
    expect(rows?.map((row) => row.space_id)).toEqual([
      "d-most",
      "a-half",
      "b-half",
      "c-none",
      "a-unknown",
      "b-unknown",
    ]);
  });

  it("says when it voted, and null where nobody knows", () => {
    const timed = { firstVoteAtMs: 0, lastVoteAtMs: AS_OF_MS };
    const rows = lanternIn(scoredDao({ entities: [participationOf("lantern", timed)] }));
    expect(rows?.[0]).toMatchObject({
      first_vote_at: "1970-01-01T00:00:00.000Z",
      last_vote_at: "2026-03-31T23:59:59.999Z",
    });
    expect(lanternIn(scoredDao({ entities: VOTED }))?.[0]).toMatchObject({
      first_vote_at: null,
      last_vote_at: null,
    });
  });

  it("publishes whoever did not opt out, also who takes part nowhere, by id, wallets sorted and in lower case", () => {
    const registry = {
      daos: [],
      entities: [
        entityOf("zephyr", { label: " Zeph\u202Eyr ", wallets: [walletOf(7)] }),
        entityOf("hush", { wallets: [walletOf(8)], isOptedOut: true }),
        { ...LANTERN, wallets: LANTERN.wallets.map((wallet) => wallet.toUpperCase().replace("X", "x")) },
      ],
    };
    expect(buildEntities([], publicEntities(registry))).toEqual([
      {
        entity_id: LANTERN.entityId,
        label: "lantern",
        wallets: [2, 5, 0xab].map(walletOf),
        dao_participations: [],
      },
      {
        entity_id: entityOf("zephyr").entityId,
        label: "Zephyr",
        wallets: [walletOf(7)],
        dao_participations: [],
      },
    ]);
  });

  it("stops on an entity without a label that can be shown", () => {
    expect(() => publicEntities({ daos: [], entities: [entityOf("x", { label: "\u200B" })] })).toThrow(
      "no label",
    );
  });
});

const NAMES = Array.from({ length: 12 }, (_, index) => `e${String(index).padStart(2, "0")}`);

const topOf = (entities: readonly EntityParticipation[], optedOut: readonly string[] = []) => {
  const dao = scoredDao({ entities });
  const registered = NAMES.map((name, index) =>
    entityOf(name, { wallets: [walletOf(index)], isOptedOut: optedOut.includes(name) }),
  );
  const named = publicEntities({ daos: [], entities: registered });
  const built = buildEntities(participationsIn(dao, named), named);
  return (topEntitiesOf(built).get(dao.dao.spaceId) ?? []).map(({ label }) => label);
};

describe("the strongest entities of a DAO", () => {
  it.each<{ why: string; given: EntityParticipation[]; optedOut?: string[]; want: string[] }>([
    { why: "nobody took part", given: [], want: [] },
    {
      why: "share decides first",
      given: [participationOf("e01", { powerShare: 0.1 }), participationOf("e02", { powerShare: 0.2 })],
      want: ["e02", "e01"],
    },
    {
      why: "of equal published shares, the number of proposals",
      given: [
        participationOf("e01", { powerShare: 0.10001, proposalsVoted: 1 }),
        participationOf("e02", { powerShare: 0.1, proposalsVoted: 2 }),
      ],
      want: ["e02", "e01"],
    },
    { why: "then the id", given: [participationOf("e02"), participationOf("e01")], want: ["e01", "e02"] },
    {
      why: "a share of 0 is a share",
      given: [participationOf("e01", { powerShare: 0 })],
      want: ["e01"],
    },
    {
      why: "no known power is no place among the strongest",
      given: [participationOf("e01", { powerShare: undefined })],
      want: [],
    },
    {
      why: "who did not vote in the frame is not among them",
      given: [participationOf("e01", { proposalsVoted: 0, powerShare: 0 })],
      want: [],
    },
    { why: "at most ten", given: NAMES.map((name) => participationOf(name)), want: NAMES.slice(0, 10) },
    {
      why: "the opted-out are filtered before ten are counted off",
      given: NAMES.map((name) => participationOf(name)),
      optedOut: ["e00", "e09"],
      want: NAMES.filter((name) => name !== "e00" && name !== "e09"),
    },
    { why: "an id that the registry does not know is not named", given: [participationOf("e99")], want: [] },
  ])("$why", ({ given, optedOut, want }) => {
    expect(topOf(given, optedOut)).toEqual(want);
  });
});
