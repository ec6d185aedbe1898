import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { createDaoMeasurer } from "../../pipeline/score/measure-dao.ts";
import { rankDaos } from "../../pipeline/score/ranking/rank-daos.ts";
import { type DaoScore, scoreMeasures } from "../../pipeline/score/score-measures.ts";
import { dayOf } from "../../snapshots/format/ids.ts";
import { expectSame, plainScore } from "../pipeline/score/plain-score.ts";
import { realArchive, WITHOUT_REAL_DATA } from "../support/real-archive.ts";
import { readArchive } from "./archive-facts.ts";

const archive = realArchive();

/** The DAOs of the method's table. Decentraland's day is that of its last ballot, the others' their last of all. */
const NAMES: Readonly<Record<string, string>> = {
  "arbitrumfoundation.eth": "Arbitrum",
  "uniswapgovernance.eth": "Uniswap",
  "aave-governance-v3": "Aave V3",
  "snapshot.dcl.eth": "Decentraland",
  "lido-snapshot.eth": "Lido",
  "dimo.eth": "DIMO",
  "comp-vote.eth": "Compound",
};

/** What the method's text says of them: name, day, gvs, interval and risk. */
function statedRows(): readonly (readonly string[])[] {
  const text = readFileSync(new URL("../../pipeline/score/METHODOLOGY.md", import.meta.url), "utf8");
  const rows = text.match(/^\|[^|`]+\|\d{4}-\d\d-\d\d\|(.+\|){5}$/gm) ?? [];
  return rows.map((row) => {
    const [name = "", day = "", , , gvs = "", interval = "", risk = ""] = row.split("|").slice(1);
    return [name, day, gvs, interval, risk];
  });
}

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

    it("scores seven, as the method's text says", () => {
      const scored = [...scores.values()].filter(({ unscored }) => unscored === undefined);
      const rows = scored
        .sort((a, b) => b.gvs.point - a.gvs.point)
        .map(({ spaceId, asOfMs, gvs, risk }) => [
          NAMES[spaceId],
          dayOf(asOfMs),
          gvs.point.toFixed(2),
          `${gvs.low.toFixed(2)}–${gvs.high.toFixed(2)}`,
          risk?.score.point.toFixed(1),
        ]);
      expect(rows).toEqual(statedRows());
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
