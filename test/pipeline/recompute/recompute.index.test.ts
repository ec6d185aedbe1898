import { describe, expect, test } from "vitest";
import { rowOf } from "../../../pipeline/documents/dao-row.ts";
import { recomputeLists } from "../../../pipeline/recompute/recompute.ts";
import { timestampOf } from "../../../snapshots/format/ids.ts";
import type { VersionLists } from "../../../snapshots/format/published-set.ts";
import { AS_OF_MS, daoScore, noProposals, scoredDao } from "../documents/scored-daos.ts";

interface Dao {
  readonly gvs?: number;
  /** v. */
  readonly weight: number;
}

/** What the index of such DAOs is, by its path; nothing of it is published, and only what it is made of is real. */
function recomputed(daos: readonly Dao[], asOfMs = AS_OF_MS) {
  const derived = daos.map(({ gvs, weight }, index) => {
    const spaceId = `dao-${index}`;
    const score = gvs === undefined ? noProposals(spaceId) : daoScore({ spaceId, gvs });
    return rowOf(scoredDao({ spaceId, current: { ...score, indexWeight: weight } }));
  });
  const lists: VersionLists = {
    asOf: timestampOf(asOfMs),
    methodologyVersion: "1.0.0",
    daos: [],
    rankings: [],
    unscored: [],
    entities: [],
    dgi: undefined,
    dgiHistory: undefined,
  };
  const { differences } = recomputeLists(lists, derived, new Map());
  const ofIndex = differences.filter(({ path }) => path.startsWith("dgi"));
  return Object.fromEntries(ofIndex.map(({ path, recomputed }) => [path, recomputed]));
}

/** Four DAOs, and a fifth that counts so much. */
const five = (weight: number): Dao[] => [
  ...[2, 4, 6, 8].map((gvs) => ({ gvs, weight: 1 })),
  { gvs: 10, weight },
];

describe("the index, from the evidence", () => {
  test.each<{ why: string; daos: Dao[]; count: number | undefined; composite: number | undefined }>([
    { why: "boundary: five that count", daos: five(1), count: 5, composite: 6 },
    { why: "one that counts half", daos: five(0.5), count: 5, composite: 5.56 },
    { why: "one that hardly counts moves it by nothing", daos: five(1e-9), count: 5, composite: 5 },
    { why: "low: four and one that does not count", daos: five(0), count: undefined, composite: undefined },
    {
      why: "one without a score is not counted",
      daos: [...five(1), { weight: 1 }],
      count: 5,
      composite: 6,
    },
    { why: "high: six", daos: [...five(1), { gvs: 0, weight: 1 }], count: 6, composite: 5 },
  ])("$why", ({ daos, count, composite }) => {
    expect(recomputed(daos)).toEqual(
      count === undefined
        ? {}
        : {
            "dgi.json": expect.objectContaining({ dao_count: count, composite }),
            "dgi-history.json 2026-03-31": expect.objectContaining({ date: "2026-03-31", composite }),
          },
    );
  });

  test("within a day there is no last point to compare", () => {
    expect(Object.keys(recomputed(five(1), AS_OF_MS - 1))).toEqual(["dgi.json"]);
  });
});
