import { describe, expect, it } from "vitest";
import {
  buildDaoList,
  buildDgi,
  buildDgiHistory,
  buildUnscoredList,
  indexMembers,
  rankRows,
  rowOf,
} from "../../../pipeline/documents/dao-row.ts";
import type { ScoredDao } from "../../../pipeline/documents/scored-dao.ts";
import { type CurrentIndex, scoreGovernanceIndex } from "../../../pipeline/score/ranking/governance-index.ts";
import { dayEndMs, dayOf } from "../../../snapshots/format/ids.ts";
import type { Category } from "../../../snapshots/format/value-sets.ts";
import {
  AS_OF_MS,
  DAY_MS,
  type DaoOptions,
  daoScore,
  noProposals,
  riskOf,
  scoredDao,
} from "./scored-daos.ts";

function listOf(...daos: readonly ScoredDao[]) {
  const rows = daos.map((scored) => rowOf(scored));
  return buildDaoList(rows, rankRows(rows));
}

describe("buildDaoList", () => {
  it.each<[why: string, gvs: number, before: number | undefined, delta: number]>([
    ["a rise", 5.5, 5.25, 0.25],
    ["the largest fall there is", 0, 10, -10],
    ["the difference of unrounded scores, not of rounded ones", 5.004, 4.996, 0.01],
    ["too small a fall is 0, not -0", 5, 5.001, 0],
    ["no score the day before", 5, undefined, 0],
  ])("delta_24h: %s", (_, gvs, gvsDayBefore, delta) => {
    expect(listOf(scoredDao({ gvs, gvsDayBefore }))[0]?.delta_24h).toBe(delta);
  });

  it("lists the DAOs that have a score, best first, whatever the order of the rows", () => {
    const daos = [
      scoredDao({ spaceId: "low", gvs: 2 }),
      scoredDao({ spaceId: "none", current: noProposals("none") }),
      scoredDao({ spaceId: "high", gvs: 9 }),
    ];
    for (const given of [daos, daos.toReversed()])
      expect(listOf(...given).map(({ space_id, rank }) => `${rank} ${space_id}`)).toEqual([
        "1 high",
        "2 low",
      ]);
  });
});

describe("rankRows", () => {
  it("counts ranks and totals overall and per category, ranked DAOs only", () => {
    const row = (spaceId: string, category: Category, gvs: number | undefined) =>
      rowOf(
        scoredDao({ spaceId, category, ...(gvs === undefined ? { unscored: "NO_PROPOSALS" } : { gvs }) }),
      );
    const standings = rankRows([
      row("a", "defi", 9),
      row("b", "social", 8),
      row("c", "defi", 7),
      row("d", "social", undefined),
      row("e", "defi", 5),
    ]);
    expect(
      [...standings.values()].map(
        ({ rank, total, categoryRank, categoryTotal }) => `${rank}/${total} ${categoryRank}/${categoryTotal}`,
      ),
    ).toEqual(["1/4 1/3", "2/4 1/1", "3/4 2/3", "4/4 3/3"]);
  });
});

describe("buildUnscoredList", () => {
  const listed = (...daos: readonly ScoredDao[]) => buildUnscoredList(daos.map((scored) => rowOf(scored)));
  const LITTLE = {
    unscored: "TOO_LITTLE_KNOWN" as const,
    gvs: { low: 1.006, point: 3.6, high: 9 },
    components: { dei: { low: 0, point: 2.317, high: 10 } },
    notKnown: ["top", "cadence"] as const,
  };

  it("lists the DAOs without a score, by space_id", () => {
    const unscored = ["b", "a", "c"].map((spaceId) => scoredDao({ spaceId, current: noProposals(spaceId) }));
    expect(listed(...unscored, scoredDao()).map((dao) => dao.space_id)).toEqual(["a", "b", "c"]);
  });

  it("contains everything that is known, and the sources of the rest", () => {
    expect(listed(scoredDao({ ...LITTLE, risk: riskOf(41.46), completenessPct: 33.336 }))).toEqual([
      {
        space_id: "orchard",
        name: "Orchard",
        category: "defi",
        reason: { code: "TOO_LITTLE_KNOWN", message: expect.stringMatching(/^[A-Z][^_]{20,160}\.$/) },
        interval: {
          gvs: [1.01, 9],
          hpr: [1.01, 9],
          dei: [0, 10],
          pdi: [1.01, 9],
          gpi: [1.01, 9],
          risk: [41.5, 41.5],
        },
        known_share: 1,
        presence: [1, 1],
        data_completeness: 33.34,
        assessed_at: "2026-03-31T23:59:59.999Z",
        not_known: [
          { id: "top", component: "dei", source: expect.stringContaining("power of each vote") },
          { id: "cadence", component: "gpi", source: expect.stringContaining("ends of the proposals") },
        ],
      },
    ]);
    const [empty] = listed(scoredDao({ current: noProposals("orchard") }));
    expect(empty).not.toHaveProperty("data_completeness");
    expect(empty?.interval).not.toHaveProperty("risk");
  });

  const fetchedDaysAgo = (daysAgo: number | undefined, dao: ScoredDao): ScoredDao => {
    const fetchedAtMs = daysAgo === undefined ? undefined : AS_OF_MS - daysAgo * DAY_MS;
    return { ...dao, evidence: { ...dao.evidence, measures: { ...dao.evidence.measures, fetchedAtMs } } };
  };
  const none = scoredDao({ current: noProposals("orchard") });
  const little = scoredDao(LITTLE);
  const open = { ...little, current: { ...little.current, presence: [0, 1] as const } };
  const flagged = scoredDao({ unscored: "SPACE_FLAGGED" });
  it.each<[why: string, dao: ScoredDao, says: string]>([
    ["fetched now", fetchedDaysAgo(0, none), "ended in the last two years"],
    ["fetched within a day", fetchedDaysAgo(1 - 1 / DAY_MS, none), "ended in the last two years"],
    ["fetched a day before", fetchedDaysAgo(1, none), "Votes are known until 2026-03-30"],
    ["no vote was ever fetched", fetchedDaysAgo(undefined, none), "with a vote on it is known"],
    [
      "it may have voted since",
      fetchedDaysAgo(40, open),
      "votes are known until 2026-02-19, and not whether",
    ],
    ["it cannot have voted since", fetchedDaysAgo(40, little), "too little is known"],
    ["its space is flagged", fetchedDaysAgo(40, flagged), "flagged its space"],
  ])("does not take the end of the data for the end of the DAO: %s", (_, dao, says) => {
    expect(listed(dao)[0]?.reason.message).toContain(says);
  });
});

describe("the governance index", () => {
  const ends = (low: number, high: number) => ({ low, high });
  const indexAt = (asOfMs: number): CurrentIndex => ({
    asOfMs,
    composite: 5.125_1,
    components: { hpr: 1.004, dei: 2, pdi: 3.3333, gpi: 9.999 },
    daoCount: 5,
    gvsEnds: [4.125_1, 6],
    ends: {
      gvs: ends(4.125_1, 6),
      hpr: ends(1, 2),
      dei: ends(0, 10),
      pdi: ends(3.3333, 4),
      gpi: ends(9, 9.999),
    },
  });
  const rounded = { composite: 5.13, components: { hpr: 1, dei: 2, pdi: 3.33, gpi: 10 } };

  it("is of the DAOs with a score, by their weights", () => {
    const row = (gvs: number, indexWeight: number, rest: DaoOptions = {}) => {
      const spaceId = `dao-${gvs}`;
      return rowOf(scoredDao({ spaceId, current: { ...daoScore({ spaceId, gvs, ...rest }), indexWeight } }));
    };
    const rows = [
      row(2, 1),
      row(4, 1),
      row(6, 1),
      row(8, 1),
      row(10, 0.5),
      row(1, 1, { unscored: "NO_PROPOSALS" }),
    ];
    const index = scoreGovernanceIndex(indexMembers(rows), AS_OF_MS);
    expect(index).toMatchObject({ composite: 25 / 4.5, daoCount: 5, ends: { dei: { low: 25 / 4.5 } } });
    expect(scoreGovernanceIndex(indexMembers(rows.slice(1)), AS_OF_MS)).toBeUndefined();
  });

  it("is rounded, with its ends and its moment; no document without an index", () => {
    expect(buildDgi(indexAt(AS_OF_MS))).toEqual({
      ...rounded,
      dao_count: 5,
      calculated_at: "2026-03-31T23:59:59.999Z",
      interval: { composite: [4.13, 6], hpr: [1, 2], dei: [0, 10], pdi: [3.33, 4], gpi: [9, 10] },
    });
    expect(buildDgi(undefined)).toBeUndefined();
  });

  it.each<
    [why: string, days: string[], agoMs: number, now: CurrentIndex | undefined, want: string[] | undefined]
  >([
    ["there never was an index", [], 0, undefined, undefined],
    ["there is one for the first time", [], 0, indexAt(AS_OF_MS), []],
    ["there was one, but is not now", ["2026-03-31"], 0, undefined, ["2026-03-31"]],
    [
      "the 365th day back is in, the 366th is not",
      ["2025-03-31", "2025-04-01"],
      0,
      undefined,
      ["2025-04-01"],
    ],
    [
      "the day of as_of has not ended",
      ["2025-03-31", "2026-03-30", "2026-03-31"],
      1,
      undefined,
      ["2025-03-31", "2026-03-30"],
    ],
    ["a gap stays a gap", ["2026-03-28", "2026-03-31"], 0, undefined, ["2026-03-28", "2026-03-31"]],
    ["only old points", ["2020-01-01"], 0, undefined, undefined],
  ])("has the history of 365 ended days: %s", (_, days, agoMs, now, want) => {
    const history = days.map((day) => indexAt(dayEndMs(day)));
    expect(buildDgiHistory(AS_OF_MS - agoMs, now, history)?.values.map(({ date }) => date)).toEqual(want);
  });

  it("has rounded points in its history, without an interval where the ends of a member are not kept", () => {
    const yesterday = AS_OF_MS - DAY_MS;
    const before = { ...indexAt(yesterday - DAY_MS), gvsEnds: undefined };
    expect(buildDgiHistory(AS_OF_MS, undefined, [before, indexAt(yesterday)])).toEqual({
      period: "365d",
      values: [
        { date: dayOf(yesterday - DAY_MS), ...rounded },
        { date: dayOf(yesterday), ...rounded, interval: [4.13, 6] },
      ],
    });
  });
});
