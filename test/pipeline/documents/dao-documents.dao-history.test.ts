import { describe, expect, it } from "vitest";
import { buildDaoHistory } from "../../../pipeline/documents/dao-documents.ts";
import { dailyPointOf } from "../../../pipeline/score/daily-point.ts";
import { METHODOLOGY } from "../../../pipeline/score/method/methodology.ts";
import { dayEndMs } from "../../../snapshots/format/ids.ts";
import { daoScore, pointsOf, scoredDao } from "./scored-daos.ts";

describe("buildDaoHistory", () => {
  it("holds the day ends that have a gvs, rounded, with their method; no risk where there is none", () => {
    const last = dailyPointOf(daoScore({ asOfMs: dayEndMs("2026-03-31"), gvs: 2, risk: undefined }));
    const points = [
      ...pointsOf("orchard", { "2026-03-29": 1.239, "2026-03-30": "TOO_LITTLE_KNOWN" }),
      ...(last === undefined ? [] : [last]),
    ];
    const same = (value: number) => ({ hpr: value, dei: value, pdi: value, gpi: value });
    expect(buildDaoHistory(scoredDao({ points }))).toEqual({
      space_id: "orchard",
      points: [
        {
          date: "2026-03-29",
          methodology_version: METHODOLOGY.version,
          gvs: 1.24,
          components: same(1.24),
          risk_score: 41.5,
          data_completeness: 97.5,
          index_weight: 1,
        },
        {
          date: "2026-03-31",
          methodology_version: METHODOLOGY.version,
          gvs: 2,
          components: same(2),
          data_completeness: 97.5,
          index_weight: 1,
        },
      ],
    });
  });

  it.each([
    { why: "no day", points: [] },
    { why: "no day with a gvs", points: pointsOf("orchard", { "2026-03-31": "NO_PROPOSALS" }) },
  ])("makes no document of $why", ({ points }) => {
    expect(buildDaoHistory(scoredDao({ points }))).toBeUndefined();
  });

  it("keeps the past of a DAO that has no score now", () => {
    const points = pointsOf("orchard", { "2026-03-30": 4 });
    expect(buildDaoHistory(scoredDao({ unscored: "TOO_LITTLE_KNOWN", points }))?.points).toHaveLength(1);
  });
});
