import { describe, expect, it } from "vitest";
import type { Ranking } from "../../../../snapshots/format/rankings.ts";
import { type Change, changeAt, changed, inDao, inDetail } from "../../changed-set.ts";

/** Changes one place of `rankings.json`. */
const inPlace =
  (at: number, change: Partial<Ranking>): Change =>
  ({ rankings }) => ({
    rankings: rankings.map((place, index) => (index === at ? { ...place, ...change } : place)),
  });

describe("checkDaos, and the shapes of DAOs", () => {
  it.each<{ why: string; change: Change; message: RegExp }>([
    { why: "NaN", change: inDao(0, { gvs: Number.NaN }), message: /^daos\.json 0 gvs: / },
    {
      why: "infinity",
      change: inDao(0, { delta_24h: Number.POSITIVE_INFINITY }),
      message: /^daos\.json 0 delta_24h: /,
    },
    { why: "a score above 10", change: inDao(1, { gvs: 10.01 }), message: /^daos\.json 1 gvs: / },
    {
      why: "an unrounded score",
      change: inDao(1, { gvs: 5.501 }),
      message: /^daos\.json 1 gvs: not rounded/,
    },
    {
      why: "a space id that is a path",
      change: inDetail(() => ({ space_id: "../x" })),
      message: /space_id: /,
    },
    {
      why: "a DAO listed twice",
      change: (set) => ({ daos: [...set.daos, { ...set.daos[2]!, rank: 4 }] }),
      message: /^daos\.json: names a DAO twice/,
    },
    { why: "a hole in the ranks", change: inDao(2, { rank: 4 }), message: /ranks are not 1 to n/ },
    {
      why: "a better rank for a lower score",
      change: inDao(2, { gvs: 9 }),
      message: /DAOs are not ranked by gvs/,
    },
    {
      why: "a range of a DAO that is not listed",
      change: inPlace(0, { space_id: "another" }),
      message: /^rankings\.json: does not have the DAOs and ranks of daos\.json/,
    },
    {
      why: "another rank beside its range",
      change: inPlace(0, { rank: 2 }),
      message: /^rankings\.json: does not have the DAOs and ranks/,
    },
    {
      why: "a range beyond the last rank",
      change: inPlace(2, { worst: 4 }),
      message: /^rankings\.json: a range is not one of ranks/,
    },
    {
      why: "a range that ends before it begins",
      change: inPlace(2, { best: 3, worst: 2 }),
      message: /^rankings\.json: a range is not one of ranks/,
    },
    {
      why: "a weight without its ranks",
      change: inPlace(0, { weights: [] }),
      message: /^rankings\.json: does not have a rank for each change/,
    },
    {
      why: "a list of another moment",
      change: inDao(0, { last_calculated: "2026-03-30T23:59:59.999Z" }),
      message: /last_calculated is not as_of/,
    },
    {
      why: "a listed DAO without its detail",
      change: (set) => ({ details: set.details.slice(1) }),
      message: /daos\.json: the listed DAOs and the DAO details/,
    },
    {
      why: "a detail of another DAO",
      change: inDetail(() => ({ space_id: "another" })),
      message: /is listed without its detail/,
    },
    {
      why: "a detail of another name",
      change: inDetail(() => ({ name: "Another" })),
      message: /name is not that of daos\.json/,
    },
    {
      why: "another total of ranked DAOs",
      change: inDetail(({ rankings }) => ({ rankings: { ...rankings, overall: { rank: 1, total: 4 } } })),
      message: /rankings\.overall\.total/,
    },
    {
      why: "a wrong place in its category",
      change: inDetail(({ rankings }) => ({
        rankings: { ...rankings, category: { rank: 2, category: "defi", total: 2 } },
      })),
      message: /rankings\.category\.rank/,
    },
    {
      why: "a risk of a DAO that is not listed",
      change: (set) => ({ risks: changeAt(set.risks, 0, (risk) => ({ ...risk, space_id: "quiet-reef" })) }),
      message: /is of a DAO that is not listed/,
    },
    {
      why: "a risk level of another score",
      change: (set) => ({ risks: changeAt(set.risks, 0, (risk) => ({ ...risk, risk_level: "low" })) }),
      message: /risk_level is not that of risk_score/,
    },
    {
      why: "two risks of one DAO",
      change: (set) => ({ risks: [...set.risks, set.risks[0]!] }),
      message: /two documents have the same path/,
    },
    {
      why: "an unscored DAO that is scored",
      change: (set) => ({ unscored: changeAt(set.unscored, 0, (dao) => ({ ...dao, space_id: "orchard" })) }),
      message: /unscored\.json: names a DAO that is listed/,
    },
    {
      why: "an unscored DAO twice",
      change: (set) => ({ unscored: [...set.unscored, ...set.unscored] }),
      message: /unscored\.json: is not sorted/,
    },
    {
      why: "a name that would lie",
      change: inDao(0, { name: "Tide\u202Ewater" }),
      message: /^daos\.json 0 name: contains characters/,
    },
  ])("refuses $why", ({ change, message }) => {
    expect(changed(change)).toThrow(message);
  });
});
