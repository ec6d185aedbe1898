import { describe, expect, it } from "vitest";
import type { ScoredDao } from "../../../pipeline/documents/scored-dao.ts";
import { buildUnscored, UNSCORED_MESSAGES } from "../../../pipeline/documents/unscored.ts";
import { AS_OF_MS, DAY_MS, noProposals, riskOf, scoredDao } from "./scored-daos.ts";

const LITTLE = {
  unscored: "TOO_LITTLE_KNOWN" as const,
  gvs: { low: 1.006, point: 3.6, high: 9 },
  components: { dei: { low: 0, point: 2.317, high: 10 } },
};

function lookedAt(fetchedAtMs: number | undefined): ScoredDao {
  const dao = scoredDao({ current: noProposals("orchard") });
  return { ...dao, evidence: { ...dao.evidence, measures: { ...dao.evidence.measures, fetchedAtMs } } };
}

describe("buildUnscored", () => {
  it("says what is known", () => {
    const unscored = buildUnscored(scoredDao({ ...LITTLE, risk: riskOf(41.46), completenessPct: 33.336 }));
    expect(unscored).toEqual({
      space_id: "orchard",
      name: "Orchard",
      category: "defi",
      reason: { code: "TOO_LITTLE_KNOWN", message: UNSCORED_MESSAGES.TOO_LITTLE_KNOWN },
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
    });
  });

  it.each<{ why: string; fetchedAtMs: number | undefined; says: string }>([
    { why: "looked at now", fetchedAtMs: AS_OF_MS, says: "ended in the last two years" },
    { why: "looked at within a day", fetchedAtMs: AS_OF_MS - DAY_MS + 1, says: "in the last two years" },
    {
      why: "the data end before",
      fetchedAtMs: AS_OF_MS - 40 * DAY_MS,
      says: "Votes are known until 2026-02-19",
    },
    { why: "no vote was ever seen", fetchedAtMs: undefined, says: "with a vote on it is known" },
  ])("does not take the end of the data for the end of the DAO: $why", ({ fetchedAtMs, says }) => {
    expect(buildUnscored(lookedAt(fetchedAtMs))?.reason.message).toContain(says);
  });

  it("says where the data end when it may have voted since", () => {
    const { evidence, ...dao } = scoredDao(LITTLE);
    const measures = { ...evidence.measures, fetchedAtMs: AS_OF_MS - 40 * DAY_MS };
    const open = {
      ...dao,
      current: { ...dao.current, presence: [0, 1] as const },
      evidence: { ...evidence, measures },
    };
    expect(buildUnscored(open)?.reason.message).toContain(
      "votes are known until 2026-02-19, and not whether",
    );
  });

  it("gives completeness and risk where they are known", () => {
    const unscored = buildUnscored(scoredDao({ current: noProposals("orchard") }));
    expect(unscored).not.toHaveProperty("data_completeness");
    expect(unscored?.interval).not.toHaveProperty("risk");
  });

  it("says nothing of a DAO that has a score", () => {
    expect(buildUnscored(scoredDao())).toBeUndefined();
  });

  it.each(Object.entries(UNSCORED_MESSAGES))("says in one plain sentence what %s means", (_, message) => {
    expect(message).toMatch(/^[A-Z][^_]{20,160}\.$/);
  });
});
