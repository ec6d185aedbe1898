import { describe, expect, test } from "vitest";
import type { DerivedDao } from "../../../../pipeline/readers/recompute/derive-daos.ts";
import { compareIndex } from "../../../../pipeline/readers/recompute/derive-documents.ts";
import { dailyPointOf } from "../../../../pipeline/score/daily-point.ts";
import type { FreezePoint } from "../../../../pipeline/score/governance-index.ts";
import { timestampOf } from "../../../../snapshots/format/ids.ts";
import type { WholeSet } from "../../../../snapshots/store/read/read-documents.ts";
import { publishedEvidenceOf, variedDao } from "../../documents/evidence-world.ts";
import { AS_OF_MS, noProposals, scoredDao } from "../../documents/scored-daos.ts";

const ENOUGH = { attentionSum: 5, completenessPct: 60 };
const [template] = publishedEvidenceOf([variedDao("varied.eth")]);
if (template === undefined) throw new Error("one DAO makes one evidence");
const { evidence: sample } = template;

interface Dao {
  readonly gvs?: number;
  readonly freeze: FreezePoint;
}

/** A version of such DAOs; only what the index is made of is real. */
function compared(daos: readonly Dao[], asOfMs = AS_OF_MS) {
  const named = daos.map((dao, index) => ({ ...dao, spaceId: `dao-${index}` }));
  const evidence = named.map(({ spaceId, freeze }) => ({
    proposals: [],
    evidence: {
      ...sample,
      space_id: spaceId,
      measures: {
        ...sample.measures,
        index_freeze:
          freeze === undefined
            ? null
            : { attention_sum: freeze.attentionSum, completeness_pct: freeze.completenessPct },
      },
    },
  }));
  const derived = named.map(({ spaceId, gvs }): DerivedDao => {
    const scored =
      gvs === undefined ? scoredDao({ spaceId, current: noProposals(spaceId) }) : scoredDao({ spaceId, gvs });
    return { scored, dayEndPoint: dailyPointOf(scored.current) };
  });
  const set = { asOf: timestampOf(asOfMs), evidence, dgi: undefined, dgiHistory: undefined };
  return compareIndex(set as unknown as WholeSet, derived);
}

/** Four members, and a fifth that had so much on the freeze day. */
const five = (freeze: FreezePoint): Dao[] => [
  ...[2, 4, 6, 8].map((gvs) => ({ gvs, freeze: ENOUGH })),
  { gvs: 10, freeze },
];

describe("the index, from the evidence", () => {
  test.each<{ why: string; daos: Dao[]; count: number | undefined; composite: number | undefined }>([
    { why: "boundary: five members, just enough of both", daos: five(ENOUGH), count: 5, composite: 6 },
    {
      why: "low: a hair too little Σω is no member, so there is no index",
      daos: five({ ...ENOUGH, attentionSum: 5 - 2 ** -50 }),
      count: undefined,
      composite: undefined,
    },
    {
      why: "low: a completeness that is 60.00 only once it is rounded",
      daos: five({ ...ENOUGH, completenessPct: 59.999 }),
      count: undefined,
      composite: undefined,
    },
    { why: "gap: no score on the freeze day", daos: five(undefined), count: undefined, composite: undefined },
    {
      why: "one that came after the freeze does not count",
      daos: [...five(ENOUGH), { gvs: 0, freeze: undefined }],
      count: 5,
      composite: 6,
    },
    {
      why: "a member without a score now is not counted",
      daos: [...five(ENOUGH), { freeze: ENOUGH }],
      count: 5,
      composite: 6,
    },
    { why: "high: six members", daos: [...five(ENOUGH), { gvs: 0, freeze: ENOUGH }], count: 6, composite: 5 },
  ])("$why", ({ daos, count, composite }) => {
    const [index, last] = compared(daos);
    expect(index?.derived).toEqual(
      count === undefined ? undefined : expect.objectContaining({ dao_count: count, composite }),
    );
    expect(last?.derived).toEqual(
      count === undefined ? undefined : expect.objectContaining({ date: "2026-03-31", composite }),
    );
  });

  test("within a day there is no last point to compare", () => {
    expect(compared(five(ENOUGH), AS_OF_MS - 1).map(({ path }) => path)).toEqual(["dgi.json"]);
  });
});
