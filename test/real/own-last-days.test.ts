import { beforeAll, describe, expect, it } from "vitest";
import { createDaoMeasurer } from "../../pipeline/score/measure-dao.ts";
import { rankDaos } from "../../pipeline/score/ranking/rank-daos.ts";
import { type DaoScore, scoreMeasures } from "../../pipeline/score/score-measures.ts";
import { dayOf } from "../../snapshots/format/ids.ts";
import { expectSame } from "../pipeline/score/expect-same.ts";
import { plainScore } from "../pipeline/score/plain-score.ts";
import { realArchive, WITHOUT_REAL_DATA } from "../support/real-archive.ts";
import { readArchive } from "./archive-facts.ts";

const archive = realArchive();

/** The figures that the method states, by gvs. Decentraland's day is that of its last ballot, the others' their last of all. */
const SCORED = [
  { space: "arbitrumfoundation.eth", day: "2025-07-31", gvs: [3.48, 5.32, 7.91] },
  { space: "uniswapgovernance.eth", day: "2025-12-07", gvs: [2.84, 5, 8.36] },
  { space: "aave-governance-v3", day: "2026-04-21", gvs: [3.9, 4.67, 5.56] },
  { space: "snapshot.dcl.eth", day: "2022-12-14", gvs: [3.38, 4.18, 5.13] },
  { space: "lido-snapshot.eth", day: "2025-07-28", gvs: [2.34, 4.12, 6.86] },
  { space: "comp-vote.eth", day: "2026-02-06", gvs: [2.18, 3.83, 6.32] },
  { space: "dimo.eth", day: "2025-08-29", gvs: [1.64, 3.52, 6.74] },
] as const;

/** The spaces of 2021 have no power on any ballot; this one has it, on four proposals. */
const TOO_FEW = "weatherxm.eth";

/** The day on which the last proposal with a vote ended, and no later. */
function ownLastDayMs(facts: Awaited<ReturnType<ReturnType<typeof readArchive>["factsOf"]>>) {
  return createDaoMeasurer(facts, () => undefined).measureAt(0).fetchedAtMs;
}

describe.skipIf(archive === undefined)(
  `each real DAO at its own last day${archive === undefined ? ` (${WITHOUT_REAL_DATA})` : ""}`,
  () => {
    const scores = new Map<string, DaoScore>();
    const without: string[] = [];

    beforeAll(async () => {
      const { registry, factsOf, entityIdOfWallet } = readArchive(archive ?? "");
      for (const { spaceId } of registry.daos) {
        const facts = await factsOf(spaceId);
        const lastMs = ownLastDayMs(facts);
        if (lastMs === undefined) {
          without.push(spaceId);
          continue;
        }
        const score = scoreMeasures(createDaoMeasurer(facts, entityIdOfWallet).measureAt(lastMs));
        expectSame(
          score,
          plainScore(facts, lastMs, (author) => entityIdOfWallet(author) ?? author),
        );
        scores.set(spaceId, score);
      }
    });

    it("has an interval where there was ever a vote, and every number of the second implementation", () => {
      expect(scores.size).toBe(33);
      expect(without).toEqual(["nouns.eth"]);
    });

    it("scores seven", () => {
      const scored = [...scores.values()].filter(({ unscored }) => unscored === undefined);
      const rows = scored
        .sort((a, b) => b.gvs.point - a.gvs.point)
        .map(({ spaceId, asOfMs, gvs }) => ({
          space: spaceId,
          day: dayOf(asOfMs),
          gvs: [gvs.low, gvs.point, gvs.high].map((points) => Number(points.toFixed(2))),
        }));
      expect(rows).toEqual(SCORED);
    });

    it("ranks none of the seven for sure", () => {
      const scored = [...scores.values()].filter(({ unscored }) => unscored === undefined);
      for (const { range } of rankDaos(scored).values()) expect(range).toEqual([1, 7]);
    });

    it("leaves the others open for want of power, or of proposals", () => {
      const open = [...scores.values()].filter(({ unscored }) => unscored !== undefined);
      expect(open).toHaveLength(26);
      for (const { spaceId, unscored, risk, notKnown, knownShare } of open) {
        expect(unscored, spaceId).toBe("TOO_LITTLE_KNOWN");
        expect(risk === undefined, spaceId).toBe(spaceId !== TOO_FEW);
        if (spaceId !== TOO_FEW) expect(notKnown).toEqual(expect.arrayContaining(["breadth", "effective"]));
        expect(knownShare, spaceId).toBeLessThan(0.5);
      }
    });
  },
);
