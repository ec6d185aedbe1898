import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { rankDelegates } from "../../pipeline/score/delegates/rank-delegates.ts";
import { realArchive, WITHOUT_REAL_DATA } from "../support/real-archive.ts";
import { readArchive } from "./archive-facts.ts";
import { packsDirectory, unpackPack } from "./unpack-pack.ts";

const Proposal = z.object({ id: z.string(), scores: z.array(z.number()), scores_total: z.number() });
const Vote = z.object({ proposal: z.string(), choice: z.int().min(1).max(2), vp: z.number() });

const AAVE = "aave-governance-v3";
const WHERE_ROWS_ARE_MISSING = ["53", "134", "165", "237"];

const archive = realArchive();

function linesOf<Shape extends z.ZodType>(path: string, shape: Shape): z.infer<Shape>[] {
  const lines = readFileSync(join(archive ?? "", path), "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => shape.parse(JSON.parse(line)));
}

/** Ids of the proposals whose sums by choice miss the contract's tallies by more than a millionth. */
function mismatches(
  proposals: readonly z.infer<typeof Proposal>[],
  sums: ReadonlyMap<string, readonly number[]>,
): string[] {
  return proposals
    .filter(({ id, scores, scores_total }) =>
      scores.some((score, option) => {
        const difference = Math.abs((sums.get(id)?.[option] ?? 0) - score);
        return difference > 1e-6 * scores_total;
      }),
    )
    .map(({ id }) => id);
}

describe.skipIf(archive === undefined)(
  `the contract's tallies of Aave${archive === undefined ? ` (${WITHOUT_REAL_DATA})` : ""}`,
  () => {
    let proposals: z.infer<typeof Proposal>[];
    beforeAll(() => {
      proposals = linesOf(`proposals/${AAVE}.ndjson`, Proposal);
    });

    it("as lines are read, 472 of 477: four lack rows, in one two voters stand three times", () => {
      const sums = new Map<string, [number, number]>();
      for (const { proposal, choice, vp } of linesOf(`votes/${AAVE}.ndjson`, Vote)) {
        const sum = sums.get(proposal) ?? [0, 0];
        sum[choice === 1 ? 0 : 1] += vp;
        sums.set(proposal, sum);
      }
      expect(proposals).toHaveLength(477);
      expect(mismatches(proposals, sums)).toEqual(["6", ...WHERE_ROWS_ARE_MISSING]);
    });

    it("once each voter counts once, 473 of 477", async () => {
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
      expect(mismatches(proposals, sums)).toEqual(WHERE_ROWS_ARE_MISSING);
    });
  },
);

const PACK = "tally-zero";
const directory = packsDirectory([PACK]);

/** The last list was published with short names and without whoever has less than ten tokens. */
const Delegate = z.union([
  z.object({ address: z.string(), votingPower: z.string() }),
  z.object({ a: z.string(), vp: z.string() }).transform(({ a, vp }) => ({ address: a, votingPower: vp })),
]);
const Listing = z.object({ totalVotingPower: z.string(), delegates: z.array(Delegate) });

describe.skipIf(directory === undefined)(
  `Arbitrum's delegates${directory === undefined ? ` (${WITHOUT_REAL_DATA})` : ""}`,
  () => {
    let folder: string;
    beforeAll(() => {
      folder = unpackPack(directory ?? "", PACK, "delegate-cache_*.json");
    });

    it.each([
      { date: "2025-12-19", delegates: 12_016 },
      { date: "2025-12-27", delegates: 12_092 },
      { date: "2026-01-06", delegates: 12_184 },
      { date: "2026-03-20", delegates: 23_584 },
    ])("as of $date: the power of $delegates adds up to the declared total, to the wei", (row) => {
      const text = readFileSync(join(folder, `delegate-cache_${row.date}.json`), "utf8");
      const listing = Listing.parse(JSON.parse(text));
      const ranking = rankDelegates({
        date: row.date,
        asOfMs: Date.parse(row.date),
        fetchedAtMs: Date.parse(row.date),
        decimals: 18,
        delegates: listing.delegates.map(({ address, votingPower }) => ({
          address: address.toLowerCase(),
          votes: BigInt(votingPower),
          delegatorsCount: 0,
          ens: undefined,
        })),
      });
      expect(ranking.delegates).toHaveLength(row.delegates);
      expect(ranking.total).toBe(BigInt(listing.totalVotingPower));
    });
  },
);
