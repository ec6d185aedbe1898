import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { rankDelegates } from "../../pipeline/score/delegates/rank-delegates.ts";
import { realArchive, WITHOUT_REAL_DATA } from "../support/real-archive.ts";
import { readArchive } from "./archive-facts.ts";
import { ARBITRUM_PACK, linesOf, packsDirectory, readArbitrum } from "./packs.ts";

const Proposal = z.object({ id: z.string(), scores: z.array(z.number()), scores_total: z.number() });

const AAVE = "aave-governance-v3";

const archive = realArchive();

describe.skipIf(archive === undefined)(
  `the contract's tallies of Aave${archive === undefined ? ` (${WITHOUT_REAL_DATA})` : ""}`,
  () => {
    it("are what was cast on 473 of 477: of four, rows are missing", async () => {
      const { ballots } = await readArchive(archive ?? "").factsOf(AAVE);
      const sums = new Map<string, [number, number]>();
      for (const { proposalId, choices, choiceIndexes, powers } of ballots.values()) {
        const sum: [number, number] = [0, 0];
        choiceIndexes.forEach((index, position) => {
          const choice = choices[index];
          if (choice?.kind === "single") sum[choice.option === 1 ? 0 : 1] += powers[position] ?? 0;
        });
        sums.set(proposalId, sum);
      }
      const proposals = linesOf(join(archive ?? "", "proposals", `${AAVE}.ndjson`), Proposal);
      expect(proposals).toHaveLength(477);
      const missed = proposals.filter(({ id, scores, scores_total }) =>
        scores.some((score, option) => {
          const difference = Math.abs((sums.get(id)?.[option] ?? 0) - score);
          return difference > 1e-6 * scores_total;
        }),
      );
      expect(missed.map(({ id }) => id)).toEqual(["53", "134", "165", "237"]);
    });
  },
);

const directory = packsDirectory([ARBITRUM_PACK]);

describe.skipIf(directory === undefined)(
  `Arbitrum's delegates${directory === undefined ? ` (${WITHOUT_REAL_DATA})` : ""}`,
  () => {
    it.each([
      { date: "2025-12-19", count: 12_016 },
      { date: "2025-12-27", count: 12_092 },
      { date: "2026-01-06", count: 12_184 },
      { date: "2026-03-20", count: 23_584 },
    ])("as of $date: the power of $count adds up to the declared total, to the wei", ({ date, count }) => {
      const { total, delegates } = readArbitrum(directory ?? "", date);
      const atMs = Date.parse(date);
      const listed = delegates.map((row) => ({ ...row, delegatorsCount: 0, ens: undefined }));
      const ranking = rankDelegates({
        date,
        asOfMs: atMs,
        fetchedAtMs: atMs,
        decimals: 18,
        delegates: listed,
      });
      expect(ranking.delegates).toHaveLength(count);
      expect(ranking.total).toBe(total);
    });
  },
);
