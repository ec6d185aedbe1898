import { describe, expect, it } from "vitest";
import { buildEntities, participationsIn, publicEntities } from "../../../pipeline/documents/entities.ts";
import type { ScoredDao } from "../../../pipeline/documents/scored-dao.ts";
import type { EntityParticipation } from "../../../pipeline/score/components/entities.ts";
import { topEntitiesOf } from "../../../snapshots/format/entity.ts";
import {
  AS_OF_MS,
  type DaoOptions,
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

const VOTED = { entities: [participationOf("lantern", { powerShare: 0.12345, participationShare: 2 / 3 })] };
const POWERLESS = { unscored: "TOO_LITTLE_KNOWN", hasPower: false } as const;

const delegates = (...pairs: readonly (readonly [wallet: number, votes: bigint])[]) => ({
  latestDelegates: rankingOf(pairs.map(([wallet, votes]) => ({ wallet, votes }))),
});
const votedWith = (change: Partial<EntityParticipation>) => ({
  entities: [participationOf("lantern", change)],
});

describe("buildEntities", () => {
  type Row = [voted: number, participation: number, share: number | null, delegateRank: number | null];
  const emptyFrame = { current: noProposals("orchard"), hasPower: false };
  it.each<[why: string, dao: DaoOptions, row: Row | undefined]>([
    ["took no part", {}, undefined],
    ["voted before the frame only", votedWith({ proposalsVoted: 0, powerShare: 0 }), undefined],
    ["voted", VOTED, [3, 66.67, 12.35, null]],
    [
      "voted where no power is known: its share is not known, which is not 0",
      { ...POWERLESS, ...votedWith({ powerShare: undefined }) },
      [3, 50, null, null],
    ],
    ["only holds delegated power: it cast no power", delegates([2, 1n]), [0, 0, 0, 1]],
    [
      "only holds delegated power where none is known",
      { ...POWERLESS, ...delegates([2, 1n]) },
      [0, 0, null, 1],
    ],
    [
      "holds delegated power in a DAO without proposals",
      { ...emptyFrame, ...delegates([2, 1n]) },
      [0, 0, null, 1],
    ],
    [
      "holds it in several wallets: the best rank counts",
      { ...VOTED, ...delegates([1, 9n], [5, 5n], [2, 7n]) },
      [3, 66.67, 12.35, 2],
    ],
    ["is only in a list without power", delegates([2, 0n]), undefined],
  ])("%s", (_, dao, row) => {
    const rows = lanternIn(scoredDao(dao))?.map((each) => [
      each.proposals_voted,
      each.participation_pct,
      each.voting_power_share_pct,
      each.delegate_rank,
    ]);
    expect(rows).toEqual(row === undefined ? [] : [row]);
  });

  it("sorts by share, unknown shares last, then by space_id", () => {
    const share = (spaceId: string, powerShare: number | undefined) =>
      scoredDao({ spaceId, ...votedWith({ powerShare }) });
    const unsorted = [share("b-unknown", undefined), share("a-unknown", undefined), share("c-none", 0)];
    const rows = lanternIn(...unsorted, share("b-half", 0.5), share("a-half", 0.5), share("d-most", 0.9));
    expect(rows?.map((row) => row.space_id)).toEqual([
      "d-most",
      "a-half",
      "b-half",
      "c-none",
      "a-unknown",
      "b-unknown",
    ]);
  });

  it.each([
    {
      why: "known",
      votes: { firstVoteAtMs: 0, lastVoteAtMs: AS_OF_MS },
      first: "1970-01-01T00:00:00.000Z",
      last: "2026-03-31T23:59:59.999Z",
    },
    { why: "null if unknown", votes: {}, first: null, last: null },
  ])("dates its first and last vote: $why", ({ votes, first, last }) => {
    expect(lanternIn(scoredDao(votedWith(votes)))?.[0]).toMatchObject({
      first_vote_at: first,
      last_vote_at: last,
    });
  });

  it("publishes every entity that did not opt out, by id, with sorted wallets in lower case", () => {
    const registry = {
      daos: [],
      entities: [
        entityOf("zephyr", { label: " Zeph\u202Eyr ", wallets: [walletOf(7)] }),
        entityOf("hush", { wallets: [walletOf(8)], isOptedOut: true }),
        { ...LANTERN, wallets: LANTERN.wallets.map((wallet) => wallet.toUpperCase().replace("X", "x")) },
      ],
    };
    const published = (entityId: string, label: string, ...wallets: readonly number[]) => ({
      entity_id: entityId,
      label,
      wallets: wallets.map(walletOf),
      dao_participations: [],
    });
    expect(buildEntities([], publicEntities(registry))).toEqual([
      published(LANTERN.entityId, "lantern", 2, 5, 0xab),
      published(entityOf("zephyr").entityId, "Zephyr", 7),
    ]);
  });

  it("throws on an entity without a label that can be published", () => {
    expect(() => publicEntities({ daos: [], entities: [entityOf("x", { label: "\u200B" })] })).toThrow(
      "no label",
    );
  });
});

const NAMES = Array.from({ length: 12 }, (_, index) => `e${String(index).padStart(2, "0")}`);

const topOf = (entities: readonly EntityParticipation[], optedOut: readonly string[]) => {
  const dao = scoredDao({ entities });
  const registered = NAMES.map((name, index) =>
    entityOf(name, { wallets: [walletOf(index)], isOptedOut: optedOut.includes(name) }),
  );
  const named = publicEntities({ daos: [], entities: registered });
  const built = buildEntities(participationsIn(dao, named), named);
  return (topEntitiesOf(built).get(dao.dao.spaceId) ?? []).map(({ label }) => label);
};

describe("the strongest entities of a DAO", () => {
  const share = (name: string, powerShare: number | undefined, proposalsVoted = 3) =>
    participationOf(name, { powerShare, proposalsVoted });
  const all = NAMES.map((name) => participationOf(name));
  it.each<[why: string, given: EntityParticipation[], optedOut: string[], want: string[]]>([
    ["nobody took part", [], [], []],
    ["share decides first", [share("e01", 0.1), share("e02", 0.2)], [], ["e02", "e01"]],
    [
      "of equal published shares, the proposals",
      [share("e01", 0.10001, 1), share("e02", 0.1, 2)],
      [],
      ["e02", "e01"],
    ],
    ["then the id", [share("e02", 0.1), share("e01", 0.1)], [], ["e01", "e02"]],
    ["a share of 0 is a share", [share("e01", 0)], [], ["e01"]],
    ["not those whose share is unknown", [share("e01", undefined)], [], []],
    ["not those that did not vote in the frame", [share("e01", 0, 0)], [], []],
    ["at most ten", all, [], NAMES.slice(0, 10)],
    [
      "without those that opted out",
      all,
      ["e00", "e09"],
      NAMES.filter((name) => !["e00", "e09"].includes(name)),
    ],
    ["not those that the registry does not know", [share("e99", 0.1)], [], []],
  ])("%s", (_, given, optedOut, want) => {
    expect(topOf(given, optedOut)).toEqual(want);
  });
});
