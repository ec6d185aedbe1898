import { describe, expect, it } from "vitest";
import type { RunReport } from "../../../../snapshots/format/manifest.ts";
import { type Change, changeAt, changed, inLatest, inListing } from "../../changed-set.ts";

describe("what may be published", () => {
  it("takes the fixture as it is", () => {
    expect(changed(() => ({}))).not.toThrow();
  });

  it.each<{ why: string; change: Change }>([
    { why: "no DGI", change: () => ({ dgi: undefined }) },
    { why: "no risk document at all", change: () => ({ risks: [] }) },
    { why: "no listing", change: () => ({ listings: [] }) },
    { why: "an empty DGI history", change: () => ({ dgiHistory: { period: "365d", values: [] } }) },
    {
      why: "two equal scores",
      change: (set) => ({
        daos: changeAt(set.daos, 1, (dao) => ({ ...dao, gvs: 7.25 })),
        details: changeAt(set.details, 1, (detail) => ({ ...detail, gvs: 7.25 })),
      }),
    },
    {
      why: "a listing of nobody",
      change: inListing(({ latest }) => ({
        all: [],
        dated: [],
        latest: {
          ...latest,
          total_delegates: 0,
          delegates: [],
          summary: {
            t1_voting_power_pct: 0,
            t2_voting_power_pct: 0,
            t3_voting_power_pct: 0,
            t1_avg_delegators: 0,
            t2_avg_delegators: 0,
          },
        },
      })),
    },
    {
      why: "tiers that miss 100 by rounding",
      change: inLatest(({ summary }) => ({
        summary: { ...summary, t3_voting_power_pct: Number((summary.t3_voting_power_pct - 0.01).toFixed(2)) },
      })),
    },
  ])("takes $why", ({ change }) => {
    expect(changed(change)).not.toThrow();
  });

  it.each<{ why: string; run: Partial<RunReport>; message: RegExp }>([
    { why: "of another moment", run: { as_of: "2026-03-30T23:59:59.999Z" }, message: /run\.json: as_of/ },
    {
      why: "that counts otherwise",
      run: {
        counts: {
          daos_tracked: 4,
          daos_scored: 4,
          daos_unscored: 1,
          entities_published: 1,
          delegate_listings: 2,
        },
      },
      message: /counts\.daos_scored/,
    },
    { why: "without a run id", run: { run_id: "" }, message: /run\.json: run_id/ },
  ])("refuses a run report $why", ({ run, message }) => {
    expect(changed(() => ({}), run)).toThrow(message);
  });
});
